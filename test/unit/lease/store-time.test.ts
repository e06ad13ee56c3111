import { describe, expect, it } from 'vitest';
import { StoreClock } from '../../../lib/clock/store-clock.js';
import {
  endFor,
  ensureStoreTime,
  expiryFor,
  type TableContext,
  takeoverBefore,
  ttlAfter,
} from '../../../lib/lease/index.js';
import { dateAt, HandClocks } from '../../support/hand-clocks.js';

const start = 1_700_000_000_000;

/** A store of which nothing is asked but the time. */
function makeContext(answer: (clock: StoreClock, runtime: HandClocks, ping: number) => void) {
  const runtime = new HandClocks();
  const clock = new StoreClock(runtime);
  const state = { pings: 0 };
  const table = {
    tableName: 'leases',
    ping: async (signal?: AbortSignal) => {
      signal?.throwIfAborted();
      answer(clock, runtime, ++state.pings);
    },
  } as unknown as TableContext['table'];
  const context: TableContext = { table, clock, runtime, skewMs: 500, retentionMs: 86_400_000 };
  return { context, clock, runtime, state };
}

const tellTime = (clock: StoreClock) => clock.observe(clock.instant(), dateAt(start));

describe('store time', () => {
  it('costs one request at first, and none while it is worth using', async () => {
    const { context, clock, runtime, state } = makeContext(tellTime);
    await ensureStoreTime(context);
    await ensureStoreTime(context);
    expect(state.pings).toBe(1);
    // Exactly as wide as may be: a second, and four that only one clock saw.
    runtime.move(0, 4_000 * (1 - 500e-6));
    expect(clock.now().latest - clock.now().earliest).toBe(5_000);
    await ensureStoreTime(context);
    expect(state.pings).toBe(1);
    runtime.move(0, 1);
    await ensureStoreTime(context);
    expect(state.pings).toBe(2);
  });

  it('is asked for once more where a clock was set meanwhile, and not again and again', async () => {
    const { context, state } = makeContext((clock, runtime) => {
      const sentAt = clock.instant();
      runtime.move(0, 3_600_000);
      clock.observe(sentAt, dateAt(start));
    });
    await ensureStoreTime(context);
    expect(state.pings).toBe(2);
  });

  it('that is there already is used where the store can’t be reached', async () => {
    const { context, clock, runtime, state } = makeContext(() => {
      throw new Error('unreachable');
    });
    await expect(ensureStoreTime(context)).rejects.toThrow('unreachable');
    tellTime(clock);
    runtime.move(0, 60_000);
    await ensureStoreTime(context);
    expect(state.pings).toBe(2);
    const reason = new Error('enough');
    await expect(ensureStoreTime(context, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it('is asked for once by several, of whom one may give up alone; when all have, so has the request', async () => {
    const runtime = new HandClocks();
    const clock = new StoreClock(runtime);
    const asked: AbortSignal[] = [];
    let land = () => {};
    const ping = (signal: AbortSignal) => {
      asked.push(signal);
      return new Promise<void>((resolve, reject) => {
        land = () => {
          tellTime(clock);
          resolve();
        };
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    };
    const table = { tableName: 'leases', ping };
    const context = { table, clock, runtime, skewMs: 500, retentionMs: 1 } as unknown as TableContext;
    const [one, other] = [new AbortController(), new AbortController()];
    const ends = [one, other].map(({ signal }) =>
      ensureStoreTime(context, signal).then(() => 'known', String),
    );
    one.abort('enough');
    expect(await ends[0]).toBe('enough');
    expect(asked.map(({ aborted }) => aborted)).toEqual([false]);
    other.abort('enough, too');
    expect(await ends[1]).toBe('enough, too');
    expect(asked.map(({ aborted }) => aborted)).toEqual([true]);
    const again = [ensureStoreTime(context), ensureStoreTime(context)];
    land();
    await Promise.all(again);
    expect(asked).toHaveLength(2);
  });

  it('that no response tells is an error that names the table, and no retry helps', async () => {
    const { context } = makeContext(() => {});
    await expect(ensureStoreTime(context)).rejects.toMatchObject({
      name: 'StoreError',
      message: 'The responses of table "leases" carry no Date header: there is no store time',
      retryable: false,
      mayHaveApplied: false,
      lockName: undefined,
    });
  });
});

describe('the times that are written', () => {
  function ready() {
    const made = makeContext(tellTime);
    tellTime(made.clock);
    return made;
  }

  it('an expiry counts from the latest that store time can be, in whole milliseconds, rounded up', () => {
    const { context, runtime } = ready();
    expect(expiryFor(context, 3_000)).toBe(start + 4_000);
    expect(expiryFor(context, 3_000.2)).toBe(start + 4_001);
    runtime.move(100, 100);
    expect(expiryFor(context, 3_000)).toBe(start + 4_000 + 101);
  });

  it('I6 the end of a lease counts from the skew before the earliest, where that is no more than a tenth', () => {
    const { context, runtime } = ready();
    expect(endFor({ ...context, skewMs: 500 }, 60_000, 1_000_000)).toBe(start + 59_500);
    expect(endFor({ ...context, skewMs: 0 }, 60_000, 1_000_000)).toBe(start + 60_000);
    expect(endFor({ ...context, skewMs: 500 }, 3_000, 1_000_000)).toBe(start + 3_700);
    // A renewal must have time for all its attempts.
    expect(endFor({ ...context, skewMs: 500 }, 3_000, 100)).toBe(start + 3_900);
    expect(endFor(context, 3_000)).toBe(start + 4_000);
    runtime.move(0, 3_600_000);
    expect(endFor({ ...context, skewMs: 500 }, 3_000, 1_000_000)).toBe(start + 7_700);
  });

  it('an expiry counts from no more than five seconds behind the earliest', () => {
    const { context, runtime } = ready();
    runtime.move(0, 3_600_000);
    expect(expiryFor(context, 3_000)).toBe(start + 8_000);
  });

  it('a takeover counts from the earliest, the skew before it, rounded down', () => {
    const { context, runtime } = ready();
    expect(takeoverBefore(context)).toBe(start - 500);
    runtime.move(100, 100);
    expect(takeoverBefore(context)).toBe(start - 500 + 99);
  });

  it('a time to live is in seconds, the retention later, rounded up', () => {
    const { context } = ready();
    expect(ttlAfter(context, 0)).toBe(86_400);
    expect(ttlAfter(context, 1)).toBe(86_401);
  });
});
