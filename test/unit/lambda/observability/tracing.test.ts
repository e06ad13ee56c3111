import { describe, expect, it } from 'vitest';
import { type TraceWriter, tracedBy } from '../../../../lib/lambda/observability/tracing.js';

/** A tracer that notes what it is told, and in which order. */
function scene({ segment = true, subsegment = true } = {}) {
  const told: unknown[][] = [];
  const noting =
    (what: string) =>
    (...given: unknown[]) =>
      void told.push([what, ...given]);
  const inner = { named: 'subsegment', close: noting('close') };
  const outer = {
    named: 'segment',
    addNewSubsegment: (name: string) => {
      told.push(['addNewSubsegment', name]);
      return subsegment ? inner : undefined;
    },
  };
  const tracer = {
    getSegment: () => (segment ? outer : undefined),
    setSegment: ({ named }: { named: string }) => void told.push(['setSegment', named]),
    annotateColdStart: noting('annotateColdStart'),
    addServiceNameAnnotation: noting('addServiceNameAnnotation'),
    putAnnotation: noting('putAnnotation'),
    addErrorAsMetadata: noting('addErrorAsMetadata'),
  };
  return { told, observer: tracedBy(tracer as unknown as TraceWriter, 'orders') };
}

const closed = [['close'], ['setSegment', 'segment']];

describe('tracing of an invocation', () => {
  it('is a subsegment, annotated with what it is about, that ends with the invocation', () => {
    const { told, observer } = scene();
    const end = observer.begin({ functionName: 'work' }, { lock: 'x', seat: 3 });
    expect(told).toEqual([
      ['addNewSubsegment', '## work'],
      ['setSegment', 'subsegment'],
      ['annotateColdStart'],
      ['addServiceNameAnnotation'],
      ['putAnnotation', 'lock', 'x'],
      ['putAnnotation', 'seat', 3],
    ]);
    told.length = 0;
    end();
    expect(told).toEqual(closed);
  });

  it('has the error of one that failed, before it is sent', () => {
    const { told, observer } = scene();
    const end = observer.begin({}, {});
    expect(told[0]).toEqual(['addNewSubsegment', '## orders']);
    told.length = 0;
    const error = new Error('trouble');
    end({ error });
    expect(told).toEqual([['addErrorAsMetadata', error], ...closed]);
  });

  it('has nothing of what was thrown and is no error', () => {
    const { told, observer } = scene();
    const end = observer.begin({}, {});
    told.length = 0;
    end({ error: 'trouble' });
    expect(told).toEqual(closed);
  });

  it.each([{ segment: false }, { subsegment: false }])(
    'does nothing with %j, as outside of Lambda',
    (missing) => {
      const { told, observer } = scene(missing);
      observer.begin({}, { lock: 'x' })({ error: new Error('trouble') });
      expect(told.filter(([what]) => what !== 'addNewSubsegment')).toEqual([]);
    },
  );
});
