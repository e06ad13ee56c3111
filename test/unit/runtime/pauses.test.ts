import { describe, expect, it } from 'vitest';
import { deadlineAfter, retry, sendUntil, sleep } from '../../../lib/runtime/index.js';
import { VirtualTime } from '../../support/virtual-time.js';

const spacing = { firstPauseMs: 5_000, maxPauseMs: 60_000 };

/** A caller's signal, and how many listen to it. */
function callers() {
  const caller = new AbortController();
  const { signal } = caller;
  const listening = new Set<unknown>();
  const [add, remove] = [signal.addEventListener, signal.removeEventListener];
  Object.assign(signal, {
    addEventListener: (...given: Parameters<typeof add>) => {
      listening.add(given[1]);
      add.apply(signal, given);
    },
    removeEventListener: (...given: Parameters<typeof remove>) => {
      listening.delete(given[1]);
      remove.apply(signal, given);
    },
  });
  return { caller, signal, listening };
}

describe('a pause between two tries', () => {
  it('C17 ends at once with the caller’s own reason, and leaves no timer', async () => {
    const time = new VirtualTime();
    const { caller, signal, listening } = callers();
    const trouble = new Error('not now');
    const tried = retry(time, { ...spacing, mayPass: () => true, signal }, () => Promise.reject(trouble));
    let end: unknown;
    tried.catch((error) => {
      end = error;
    });
    await time.pass(1);
    const enough = new Error('enough');
    caller.abort(enough);
    await time.pass(0);
    expect(end).toBe(enough);
    expect(time.timers).toBe(0);
    expect(listening.size).toBe(0);
  });
});

describe('what is over', () => {
  it.each<[string, (time: VirtualTime, signal: AbortSignal) => Promise<unknown>]>([
    ['a pause', (time, signal) => sleep(time, 1_000, signal)],
    [
      'a request that was answered',
      (time, signal) => sendUntil(deadlineAfter(time, 1_000, signal), async () => 'answer'),
    ],
    [
      'a request out of time',
      (time, signal) =>
        sendUntil(deadlineAfter(time, 1_000, signal), () => new Promise(() => {})).catch(() => {}),
    ],
  ])(
    '%s leaves neither a timer nor anything at its caller’s signal, which may live on for days',
    async (_, run) => {
      const time = new VirtualTime();
      const { signal, listening } = callers();
      await time.until(run(time, signal));
      await time.pass(0);
      expect(time.timers).toBe(0);
      expect(listening.size).toBe(0);
    },
  );
});
