import { describe, expect, it } from 'vitest';
import { LockLostError } from '../../../lib/errors/index.js';
import type { SeatHost } from '../../../lib/scan/seats/seat-host.js';
import { endOfSlice } from '../../../lib/scan/seats/slice-end.js';
import { OutOfTime, ProcessorFailure, type SliceWork } from '../../../lib/scan/seats/slice-work.js';
import { onScan } from '../../support/scan/scan-events.js';
import { VirtualTime } from '../../support/virtual-time.js';

const name = 'scan/r/000000';
const owner = 'scan/r/seat-0';

interface Scene {
  /** What the work ends with. @default it is completed */
  readonly error?: unknown;
  /** Why the lease is over, where it is. */
  readonly loss?: unknown;
  /** What the table has by then; an error: it does not answer. */
  readonly item?: object | Error | 'hangs';
  readonly leftMs?: number;
  readonly signal?: AbortSignal;
}

/** Work that ends in some way, and what came of it. */
async function endOf({ error, loss, item, leftMs = 60_000, signal }: Scene) {
  const time = new VirtualTime();
  const done: unknown[] = [];
  const signals: AbortSignal[] = [];
  const lease = {
    ...{ name, owner, leaseId: 'mine', token: 7, isHeld: loss === undefined, signal: { reason: loss } },
    release: async () => {
      done.push('release');
      throw new Error('too late');
    },
  };
  const work = {
    ...{ lease, event: { run: 'r', seat: 0, slice: '000000', name, token: 7, lease } },
    run: async () => {
      if (error !== undefined) throw error;
    },
    giveBack: async (...given: unknown[]) => void done.push(['give back', ...given]),
  };
  const table = {
    get: async (asked: string, given: AbortSignal) => {
      expect(asked).toBe(name);
      signals.push(given);
      if (item === 'hangs') await new Promise(() => {});
      if (item instanceof Error) throw item;
      return item;
    },
  };
  const host = { context: { runtime: time, table }, time: { leftMs }, signal } as unknown as SeatHost;
  using _lost = onScan('scan-slice-lost', 'r', ({ reason, ...event }) =>
    done.push(['lost', reason, event.name, event.error]),
  );
  using _released = onScan('scan-slice-released', 'r', ({ why, ...event }) =>
    done.push(['released', why, event.name, event.error]),
  );
  const startMs = time.monotonicMs();
  const ending = endOfSlice(host, work as unknown as SliceWork).then(
    (end) => ({ end }),
    (thrown: unknown) => ({ thrown }),
  );
  const outcome = await time.until(ending);
  return { outcome, done, signals, tookMs: time.monotonicMs() - startMs };
}

const badPage = new RangeError('a bad page');
const failure = new ProcessorFailure(badPage);
const stale = Object.assign(new Error('a newer one'), { name: 'StaleTokenError' });
const takenOver = new LockLostError(name, 'taken-over', 7);

describe('the work on a slice ends', () => {
  it('completed, with nothing to give back', async () => {
    expect(await endOf({})).toMatchObject({ outcome: { end: 'completed' }, done: [] });
  });

  it('as failed where the processor threw: that counts against the slice', async () => {
    expect(await endOf({ error: failure })).toMatchObject({
      outcome: { end: 'failed' },
      done: [
        ['give back', true, 'RangeError: a bad page'],
        ['released', 'failed', name, badPage],
      ],
    });
  });

  it('with the error of the store or of S3, which counts against no slice', async () => {
    expect(await endOf({ error: badPage })).toMatchObject({
      outcome: { thrown: badPage },
      done: [
        ['give back', false, 'RangeError: a bad page'],
        ['released', 'failed', name, badPage],
      ],
    });
  });

  it('out of time, which is no fault', async () => {
    expect(await endOf({ error: new OutOfTime() })).toMatchObject({
      outcome: { end: 'out-of-time' },
      done: [
        ['give back', false, undefined],
        ['released', 'out-of-time', name, undefined],
      ],
    });
  });

  it.each([
    [20, 'out-of-time'],
    [-5, 'out-of-time'],
    [21, 'failed'],
  ])('as a page’s fault that the invocation’s end cut off: %d ms are left', async (leftMs, end) => {
    expect(await endOf({ error: failure, leftMs })).toMatchObject({
      outcome: { end },
      done: [
        ['give back', true, 'RangeError: a bad page'],
        ['released', end, name, badPage],
      ],
    });
  });

  it('with the reason of the caller’s signal, and no fault, whatever failed by then', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    stop.abort(reason);
    for (const error of [failure, badPage, new OutOfTime()]) {
      expect(await endOf({ error, signal: stop.signal })).toMatchObject({
        outcome: { thrown: reason },
        done: [
          ['give back', false, undefined],
          ['released', 'aborted', name, undefined],
        ],
      });
    }
  });

  it.each([stale, takenOver])('lost, where a guard has seen a newer token: $name', async (cause) => {
    for (const error of [cause, new ProcessorFailure(cause)]) {
      expect(await endOf({ error })).toMatchObject({
        outcome: { end: 'lost' },
        done: [
          ['give back', true, `${cause.name}: ${cause.message}`],
          ['lost', 'stale-token', name, cause],
        ],
      });
    }
  });
});

describe('a lease that is over', () => {
  const other = { leaseId: 'other', owner: 'somebody' };

  it.each([
    ['taken by another seat', takenOver, other, 'lost', 'taken-over'],
    ['run out, and taken by nobody', takenOver, {}, 'lost', 'taken-over'],
    ['of a slice that is gone', takenOver, undefined, 'lost', 'taken-over'],
    ['of which nobody knows more', {}, other, 'lost', 'expired'],
    ['with the store away', takenOver, new Error('no'), 'lost', 'taken-over'],
    ['still in the item', takenOver, { leaseId: 'mine', owner }, 'lost', 'taken-over'],
    [
      'taken by a later instance of the seat',
      takenOver,
      { leaseId: 'later', owner },
      'superseded',
      'superseded',
    ],
    ['completed by another', takenOver, { completedAt: 1, lastLeaseId: 'other' }, 'lost', 'taken-over'],
  ])('%s: nothing is written, but for giving it back', async (_, loss, item, end, reason) => {
    expect(await endOf({ error: badPage, loss, ...(item && { item }) })).toMatchObject({
      outcome: { end },
      done: ['release', ['lost', reason, name, badPage]],
    });
  });

  it('is completed where it was its own completion whose answer was lost', async () => {
    const item = { completedAt: 1, lastLeaseId: 'mine' };
    expect(await endOf({ error: badPage, loss: takenOver, item })).toMatchObject({
      ...{ outcome: { end: 'completed' }, done: ['release'] },
    });
  });

  it('is told as stale where a guard saw it first', async () => {
    const error = new ProcessorFailure(stale);
    expect(await endOf({ error, loss: takenOver, item: other })).toMatchObject({
      ...{ outcome: { end: 'lost' }, done: ['release', ['lost', 'stale-token', name, error]] },
    });
  });

  it('waits five seconds for what the item says, no longer', async () => {
    const { outcome, tookMs, signals } = await endOf({ error: badPage, loss: takenOver, item: 'hangs' });
    expect(outcome).toEqual({ end: 'lost' });
    expect(tookMs).toBe(5_000);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });
});
