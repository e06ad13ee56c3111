import { describe, expect, it } from 'vitest';
import { publish } from '../../../../lib/events/events.js';
import type { LibraryEvents } from '../../../../lib/lambda/observability/library-events.js';
import { lossMetrics, metricUnits } from '../../../../lib/lambda/observability/metric-names.js';
import { metricListeners, metrics } from '../../../../lib/lambda/observability/metrics.js';
import { ownListeners } from '../../../support/lambda/own-listeners.js';
import { sampleEvents } from '../../../support/sample-events.js';

type Name = keyof LibraryEvents;

/** What an event counts as, with fields of its own in the place of the sample's. */
function counted(name: Name, more: object = {}): Readonly<Record<string, number>> {
  const added: Record<string, number> = {};
  const listeners = metricListeners((metric, value) => {
    expect(added).not.toHaveProperty(metric);
    added[metric] = value;
  });
  listeners[name]?.({ ...sampleEvents[name], ...more } as never);
  return added;
}

/** What the events of `sampleEvents` count as. */
const expected: Readonly<Partial<Record<Name, Readonly<Record<string, number>>>>> = {
  granted: { Granted: 1, Waited: 3, Takeover: 1 },
  held: { Held: 1 },
  released: { HoldTime: 5 },
  completed: { HoldTime: 5 },
  'handed-over': { HoldTime: 5 },
  lost: { Lost: 1, LostExpired: 1 },
  'stale-write-refused': { StaleWriteRefused: 1 },
  'release-requested': { ReleaseRequested: 1 },
  'permit-granted': { PermitWaited: 3 },
  'line-joined': { LineLength: 4 },
  elected: { LeaderElected: 1 },
  'lead-ended': { LeaderSteppedDown: 1 },
  'renewal-failed': { RenewalFailed: 1 },
  'release-failed': { ReleaseFailed: 1 },
  throttled: { StoreThrottled: 1 },
  'scan-planned': { SlicesPlanned: 4 },
  'scan-slice-acquired': { SlicesTakenOver: 1 },
  'scan-slice-completed': { SlicesDone: 1 },
  'scan-slice-released': { SlicesGivenBack: 1 },
  'scan-slice-lost': { SlicesLost: 1 },
  'scan-slice-quarantined': { SlicesQuarantined: 1 },
};

describe('what an event counts as', () => {
  it.each(Object.keys(sampleEvents) as Name[])('%s', (name) => {
    expect(counted(name)).toEqual(expected[name] ?? {});
  });

  it('a grant of a lock that was free is no take-over; times are whole milliseconds', () => {
    expect(counted('granted', { takenOverFrom: undefined, waitedMs: 0.6 })).toEqual({
      Granted: 1,
      Waited: 1,
    });
    expect(counted('released', { heldMs: 4.4 })).toEqual({ HoldTime: 4 });
    expect(counted('completed', { heldMs: 4.4 })).toEqual({ HoldTime: 4 });
    expect(counted('handed-over', { heldMs: 4.4 })).toEqual({ HoldTime: 4 });
    expect(counted('permit-granted', { waitedMs: 4.4 })).toEqual({ PermitWaited: 4 });
  });

  it('a lead that ended otherwise than on demand, a plan that was there, a slice that was free: nothing', () => {
    expect(counted('lead-ended', { why: 'lost' })).toEqual({});
    expect(counted('scan-planned', { existed: true })).toEqual({});
    expect(counted('scan-slice-acquired', { takenOver: false })).toEqual({});
  });

  it.each([
    ['expired', 'LostExpired'],
    ['taken-over', 'LostTakenOver'],
    ['broken', 'LostBroken'],
    ['store-unavailable', 'LostStoreUnavailable'],
    ['max-hold', 'LostMaxHold'],
  ])('a loss for the reason %s is %s, too', (reason, metric) => {
    expect(counted('lost', { reason })).toEqual({ Lost: 1, [metric]: 1 });
    expect(lossMetrics).toHaveProperty(reason, metric);
  });

  it('every metric there is has an event that brings it, and its unit', () => {
    const metric = new Set(Object.values(expected).flatMap((one) => Object.keys(one)));
    expect(new Set([...metric, ...Object.values(lossMetrics)])).toEqual(new Set(Object.keys(metricUnits)));
    const times = new Set(['Waited', 'HoldTime', 'PermitWaited']);
    for (const [name, unit] of Object.entries(metricUnits)) {
      expect([name, unit]).toEqual([name, times.has(name) ? 'Milliseconds' : 'Count']);
    }
  });
});

/** Metrics by a clock that is set by hand, and what was written when. */
function scene() {
  const written: string[][] = [];
  const made: unknown[] = [];
  let stored: string[] = [];
  let nowMs = 1_000;
  class Writer {
    constructor(options: unknown) {
      made.push(options);
    }
    addMetric(name: string, unit: string, value: number): void {
      stored.push(`${name} ${value} ${unit}`);
    }
    hasStoredMetrics(): boolean {
      return stored.length > 0;
    }
    publishStoredMetrics(): void {
      written.push(stored);
      stored = [];
    }
  }
  const runtime = { monotonicMs: () => nowMs };
  const observer = metrics(Writer, { serviceName: 'orders', flushEveryMs: 100, runtime });
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { observer, written, made, pass };
}

describe('metrics', () => {
  it('are those of a service, in one namespace', () => {
    using _ = ownListeners();
    expect(scene().made).toEqual([{ namespace: 'Leasehold', serviceName: 'orders' }]);
  });

  it('are written at the end of an invocation, and nothing where there are none', () => {
    using _ = ownListeners();
    const { observer, written } = scene();
    const end = observer.begin({}, {});
    end();
    publish('held', sampleEvents.held);
    expect(written).toEqual([]);
    observer.begin({}, {})({ error: new Error('trouble') });
    expect(written).toEqual([['Held 1 Count']]);
  });

  it.each(['granted', 'renewed', 'released', 'completed', 'handed-over', 'lost'] as const)(
    'are written before the end, once they are old enough, by what a lease does: %s, itself among them',
    (name) => {
      using _ = ownListeners();
      const { written, pass } = scene();
      publish('held', sampleEvents.held);
      pass(99);
      publish(name, sampleEvents[name] as never);
      expect(written).toEqual([]);
      pass(1);
      publish(name, sampleEvents[name] as never);
      expect(written).toHaveLength(1);
      const own = Object.keys(expected[name] ?? {});
      for (const metric of ['Held', ...own]) {
        const values = written[0]!.filter((value) => value.startsWith(`${metric} `));
        expect([metric, values.length]).toEqual([metric, metric === 'Held' ? 1 : 2]);
      }
      // From then on anew.
      pass(99);
      publish(name, sampleEvents[name] as never);
      expect(written).toHaveLength(1);
      pass(1);
      publish('held', sampleEvents.held);
      publish(name, sampleEvents[name] as never);
      expect(written).toHaveLength(2);
    },
  );
});
