import { describe, expect, it } from 'vitest';
import { lastWrite } from '../../../lib/client/last-write.js';
import { StoreClock } from '../../../lib/clock/store-clock.js';
import { LockLostError, StoreError } from '../../../lib/errors/index.js';
import type { Lease, LeaseContext } from '../../../lib/lease/index.js';
import { VirtualTime } from '../../support/virtual-time.js';

const passing = () => new StoreError('away', 'x', { retryable: true, mayHaveApplied: true });

/** A write that fails so often as there are errors, the last one for good where it is told so. */
function scene(errors: readonly Error[], { forGood = false, leftMs = 10_000 } = {}) {
  const runtime = new VirtualTime();
  const context = { clock: new StoreClock(runtime), runtime } as unknown as LeaseContext;
  const lease = { name: 'x', token: 7, remainingMs: leftMs } as Lease;
  const triedMs: number[] = [];
  const startMs = runtime.monotonicMs();
  const write = async () => {
    triedMs.push(runtime.monotonicMs() - startMs);
    // What is left is counted from the beginning.
    Object.assign(lease, { remainingMs: 1_000_000 });
    const error = forGood ? errors.at(-1) : errors[triedMs.length - 1];
    if (error) throw error;
  };
  const end = runtime.until(lastWrite(context, lease, 'result', write).catch((error) => error));
  return { end, triedMs };
}

describe('the write that says that work is done', () => {
  it('is tried until it works, at once and then farther and farther apart', async () => {
    const { end, triedMs } = scene(Array.from({ length: 8 }, passing));
    expect(await end).toBeUndefined();
    expect(triedMs).toHaveLength(9);
    const gaps = triedMs.slice(1).map((ms, i) => ms - triedMs[i]!);
    expect(triedMs[0]).toBe(0);
    expect(gaps[0]).toBeLessThan(200);
    expect(gaps[0]).toBeGreaterThanOrEqual(50);
    expect(Math.max(...gaps)).toBeGreaterThan(500);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(1_000);
  });

  it('is given up when the lease would be over: a loss that carries the result', async () => {
    const error = passing();
    const { end, triedMs } = scene([error], { forGood: true });
    const lost = await end;
    expect(lost).toBeInstanceOf(LockLostError);
    expect(lost).toMatchObject({ lockName: 'x', reason: 'store-unavailable', token: 7, result: 'result' });
    expect((lost as Error).cause).toBe(error);
    expect(triedMs.at(-1)).toBeGreaterThan(10_000);
    expect(triedMs.at(-1)).toBeLessThan(11_500);
  });

  it('that finds the lease lost is that loss, with the result', async () => {
    const loss = new LockLostError('x', 'taken-over', 7);
    const { end, triedMs } = scene([passing(), loss]);
    const lost = await end;
    expect(lost).toMatchObject({ lockName: 'x', reason: 'taken-over', token: 7, result: 'result' });
    expect((lost as Error).cause).toBe(loss);
    expect(triedMs).toHaveLength(2);
  });

  it.each([
    new StoreError('no right', 'x', { retryable: false, mayHaveApplied: false }),
    new Error('of another kind'),
  ])('ends at once with what does not pass: $message', async (error) => {
    const { end, triedMs } = scene([error]);
    expect(await end).toBe(error);
    expect(triedMs).toHaveLength(1);
  });
});
