import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { play, type Suite } from '../../simulation/run/play.js';
import { PlainAbortController, PlainAbortSignal, usePlainAbort } from '../../simulation/world/plain-abort.js';
import { checkProperty } from '../../support/property.js';

/** What listeners do besides being called. */
const deed = fc.constantFrom('nothing', 'nothing', 'add', 'remove', 'abort');
const step = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), who: fc.nat(3), once: fc.boolean(), deed, whom: fc.nat(3) }),
  fc.record({ kind: fc.constant('remove' as const), who: fc.nat(3) }),
  fc.record({ kind: fc.constant('abort' as const), reason: fc.option(fc.string(), { nil: undefined }) }),
  fc.constant({ kind: 'look' as const }),
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What happens to a controller and its listeners, in order. */
function logOf(controller: AbortController, steps: readonly Step[]): unknown[] {
  const log: unknown[] = [];
  const { signal } = controller;
  let now: Extract<Step, { kind: 'add' }> | undefined;
  const deeds = new Map<number, Extract<Step, { kind: 'add' }>>();
  const listeners = [0, 1, 2, 3].map((who) => (event: Event) => {
    log.push([who, event.type, event.target === signal, signal.aborted, described(signal.reason)]);
    now = deeds.get(who);
    if (now?.deed === 'add') signal.addEventListener('abort', listeners[now.whom]!);
    if (now?.deed === 'remove') signal.removeEventListener('abort', listeners[now.whom]!);
    if (now?.deed === 'abort') controller.abort('again');
  });
  for (const one of steps) {
    if (one.kind === 'add') {
      deeds.set(one.who, one);
      signal.addEventListener('abort', listeners[one.who]!, { once: one.once });
    } else if (one.kind === 'remove') signal.removeEventListener('abort', listeners[one.who]!);
    else if (one.kind === 'abort') controller.abort(one.reason);
    else log.push([signal.aborted, described(signal.reason), thrownBy(signal)]);
  }
  return log;
}

function thrownBy(signal: AbortSignal): unknown {
  try {
    signal.throwIfAborted();
    return 'nothing';
  } catch (error) {
    return described(error);
  }
}

function described(reason: unknown): unknown {
  return reason instanceof Error ? `${reason.name}: ${reason.message}` : reason;
}

describe('the simulator’s own AbortController', () => {
  it('does what the platform’s does, whatever is done to it', () => {
    checkProperty(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const plain = new PlainAbortController() as unknown as AbortController;
        expect(logOf(plain, steps)).toEqual(logOf(new AbortController(), steps));
      }),
    );
  });

  it('has signals that have aborted already', () => {
    const reason = new Error('enough');
    expect(PlainAbortSignal.abort(reason)).toMatchObject({ aborted: true, reason });
    expect(PlainAbortSignal.abort().reason).toEqual(AbortSignal.abort().reason);
  });

  it.each(['lock', 'scan'] as const)(
    'leaves every schedule of a %s as it is, to the last line',
    async (suite) => {
      const seeds = Array.from({ length: suite === 'lock' ? 5 : 2 }, (_, index) => index + 1);
      const platform = { AbortController, AbortSignal };
      const first = await tracesOf(suite, seeds);
      try {
        usePlainAbort();
        expect(await tracesOf(suite, seeds)).toEqual(first);
      } finally {
        Object.assign(globalThis, platform);
      }
      // A schedule is its seed: nothing is left of those before it.
      expect(await tracesOf(suite, seeds)).toEqual(first);
    },
  );

  it('stops rather than guess at other events', () => {
    const { signal } = new PlainAbortController();
    expect(() => signal.addEventListener('loss' as 'abort', () => {})).toThrow('not simulated');
  });
});

async function tracesOf(suite: Suite, seeds: readonly number[]): Promise<readonly string[][]> {
  const traces: string[][] = [];
  for (const seed of seeds) {
    const lines: string[] = [];
    await play(suite, seed, (elapsedMs, who, what) => lines.push(`${elapsedMs} ${who} ${what}`));
    traces.push(lines);
  }
  return traces;
}
