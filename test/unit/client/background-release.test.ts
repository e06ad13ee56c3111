import { describe, expect, it } from 'vitest';
import { BackgroundRelease } from '../../../lib/client/background-release.js';
import { StoreClock } from '../../../lib/clock/store-clock.js';
import { StoreError } from '../../../lib/errors/index.js';
import type { HolderOutcome, LeaseContext, LeaseIdentity } from '../../../lib/lease/index.js';
import { dateAt } from '../../support/hand-clocks.js';
import { VirtualTime } from '../../support/virtual-time.js';

const gone: HolderOutcome = { kind: 'lost', reason: 'broken' };
const done: HolderOutcome = { kind: 'done' };
const throttled = () => new StoreError('throttled', 'jobs', { retryable: true, mayHaveApplied: false });
const unknown = () => new StoreError('nobody knows', 'jobs', { retryable: false, mayHaveApplied: true });
const leaseMs = 60_000;

/** A store that answers releases one after the other, the last answer for good. */
function scene(answers: readonly (HolderOutcome | (() => Error) | 'none')[], { isSet = true } = {}) {
  const runtime = new VirtualTime();
  const clock = new StoreClock(runtime);
  if (isSet) clock.observe(clock.instant(), dateAt(runtime.wallMs()));
  const released: LeaseIdentity[] = [];
  const asked: string[] = [];
  const signals: AbortSignal[] = [];
  const store = {
    async ensureTime() {
      await new Promise<void>((resolve) => void runtime.setTimer(resolve, 5));
      asked.push('time');
    },
    async release(lease: LeaseIdentity, _change: unknown, signal: AbortSignal) {
      asked.push('release');
      released.push(lease);
      signals.push(signal);
      const answer = answers[Math.min(released.length, answers.length) - 1]!;
      if (answer === 'none') {
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      }
      if (typeof answer === 'function') throw answer();
      return answer;
    },
  };
  const context = { clock, runtime, store } as unknown as LeaseContext;
  return { runtime, released, asked, signals, giveBack: new BackgroundRelease(context, 1_000) };
}

const unseen = { name: 'jobs', leaseId: 'a' };
const seen = { ...unseen, token: 7 };

describe('a lease that is given back in the background', () => {
  it.each([
    ['C09 that may yet arrive is asked for again until it is there', unseen, [gone, gone, gone, done], 4],
    ['C09 that never arrives is asked for eight times', unseen, [gone], 8],
    ['whose token is known has been there: it is gone', seen, [gone], 1],
    ['is asked for again while the store can’t be used', seen, [throttled, throttled, done], 3],
    ['C07 of which nobody can know what became is not asked for again', seen, [unknown], 1],
  ])('%s', async (_what, lease, answers, times) => {
    const { runtime, released, giveBack } = scene(answers);
    giveBack.start(lease, leaseMs);
    await runtime.pass(10 * leaseMs);
    expect(released).toEqual(Array.from({ length: times }, () => lease));
    expect(runtime.timers).toBe(0);
  });

  it('is not asked for any more when it would be over by itself, and not at once again and again', async () => {
    const { runtime, released, giveBack } = scene([throttled]);
    giveBack.start(seen, leaseMs);
    await runtime.pass(2 * leaseMs);
    const tries = released.length;
    expect(runtime.timers).toBe(0);
    expect(tries).toBeGreaterThan(leaseMs / 5_000);
    expect(tries).toBeLessThan(leaseMs / 100);
  });

  it('is asked for with an end of its own: an answer that never comes stops nothing', async () => {
    const { runtime, released, giveBack } = scene(['none', done]);
    giveBack.start(seen, leaseMs);
    await runtime.pass(10_000);
    expect(released).toHaveLength(2);
    expect(runtime.timers).toBe(0);
  });

  it('asks for the time only where it is not known: the release itself needs none', async () => {
    const known = scene([done]);
    known.giveBack.start(seen, leaseMs);
    await known.runtime.pass(1);
    expect(known.asked).toEqual(['release']);
    const unset = scene([done], { isSet: false });
    unset.giveBack.start(seen, leaseMs);
    await unset.runtime.pass(10);
    expect(unset.asked).toEqual(['time', 'release']);
  });

  it('C30 is known as given back, also when it is: of the last hundred', async () => {
    const { runtime, giveBack } = scene([done]);
    expect(giveBack.isLeftBehind('0')).toBe(false);
    for (let i = 0; i <= 100; i++) giveBack.start({ ...seen, leaseId: String(i) }, leaseMs);
    await runtime.pass(1);
    expect(giveBack.isLeftBehind('0')).toBe(false);
    expect(giveBack.isLeftBehind('1')).toBe(true);
    expect(giveBack.isLeftBehind('100')).toBe(true);
  });

  it('C30 what was refused is known, too: a late copy of its request may make a lease of it', () => {
    const { giveBack } = scene([done]);
    for (let i = 0; i <= 100; i++) giveBack.noteRefused(String(i));
    expect([0, 1, 100].map((i) => giveBack.isLeftBehind(String(i)))).toEqual([false, true, true]);
  });

  it('is asked for once more, at once, when the client is closed: it may have arrived since', async () => {
    const { runtime, released, giveBack } = scene([gone]);
    giveBack.start(unseen, leaseMs);
    await runtime.pass(1);
    expect(released).toHaveLength(1);
    await runtime.until(giveBack.close());
    expect(released).toHaveLength(2);
    await runtime.pass(leaseMs);
    expect(released).toHaveLength(2);
    expect(runtime.timers).toBe(0);
  });

  it('C50 ends with the client, after the last try, which is waited for', async () => {
    const { runtime, released, giveBack } = scene([gone, 'none']);
    giveBack.start(unseen, leaseMs);
    await runtime.pass(1);
    let isClosed = false;
    const closed = giveBack.close().then(() => {
      isClosed = true;
    });
    await runtime.pass(500);
    expect(released).toHaveLength(2);
    expect(isClosed).toBe(false);
    await runtime.until(closed);
    expect(runtime.timers).toBe(0);
  });

  it('keeps no process from its end by its pauses, only by what it asks', async () => {
    const { runtime, released, giveBack } = scene([throttled, gone]);
    let awaited = 0;
    const { setAwaitedTimer } = runtime;
    Object.assign(runtime, {
      setAwaitedTimer: (...args: Parameters<typeof setAwaitedTimer>) => {
        awaited += 1;
        return setAwaitedTimer(...args);
      },
    });
    giveBack.start(unseen, leaseMs);
    await runtime.pass(2 * leaseMs);
    expect(awaited).toBe(released.length);
    expect(runtime.timers).toBe(0);
  });

  it('C50 ends with the client, after the try that is under way', async () => {
    const { runtime, released, giveBack } = scene([throttled, 'none']);
    giveBack.start(seen, leaseMs);
    await runtime.pass(200);
    let isClosed = false;
    const closed = giveBack.close().then(() => {
      isClosed = true;
    });
    await runtime.pass(1);
    expect(released).toHaveLength(2);
    expect(isClosed).toBe(false);
    await runtime.until(closed);
    await runtime.pass(leaseMs);
    expect(released).toHaveLength(2);
    expect(runtime.timers).toBe(0);
  });
});
