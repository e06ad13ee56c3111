import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClientOptions } from '../../../lib/client/client-options.js';
import { LockClient } from '../../../lib/client/index.js';
import type { StoreClock } from '../../../lib/clock/store-clock.js';
import type { ItemTable } from '../../../lib/table/index.js';
import { EventLog } from '../../support/event-log.js';
import { checkProperty } from '../../support/property.js';
import { restlessLease, shortLease } from '../../support/stage.js';
import { useStage } from '../../support/use-stage.js';
import { VirtualTime } from '../../support/virtual-time.js';

/** Any settings that leave a renewal time for all its attempts, by `spareMs`. */
const anySettings = fc
  .record({
    renewEveryMs: fc.integer({ min: 50, max: 20_000 }),
    safetyMarginMs: fc.integer({ min: 0, max: 5_000 }),
    requestTimeoutMs: fc.integer({ min: 100, max: 2_000 }),
    maxAttempts: fc.integer({ min: 1, max: 5 }),
    spareMs: fc.integer({ min: 0, max: 30_000 }),
  })
  .map(({ spareMs, ...settings }) => {
    const timeoutsMs = settings.requestTimeoutMs * settings.maxAttempts;
    return { ...settings, leaseMs: settings.renewEveryMs + timeoutsMs + settings.safetyMarginMs + spareMs };
  });

/** A store that grants everything, each answer after a while: only how often it is asked counts here. */
function grantingTable(time: VirtualTime, clock: StoreClock, latencyMs: number) {
  const asked = { writes: 0 };
  const answered = async () => {
    const sentAt = clock.instant();
    await new Promise<void>((resolve) => time.setTimer(resolve, latencyMs));
    clock.observe(sentAt, new Date(time.wallMs()).toUTCString());
  };
  const table: Pick<ItemTable, 'tableName' | 'ping' | 'update'> = {
    tableName: 'granting',
    ping: answered,
    async update() {
      asked.writes += 1;
      await answered();
      return { applied: true, old: undefined };
    },
  };
  return { asked, table: table as ItemTable };
}

describe('how often a lease is renewed', () => {
  const stage = useStage();

  it('C37 renewals are at most hold / cadence + 1, for any legal setting, and they keep the lease', async () => {
    const holds = fc.double({ min: 0, max: 40, noNaN: true });
    const latencies = fc.double({ min: 0, max: 0.25, noNaN: true });
    await checkProperty(
      fc.asyncProperty(anySettings, holds, latencies, async (settings, holdInBeats, latencyPart) => {
        const time = new VirtualTime();
        const latencyMs = settings.requestTimeoutMs * settings.maxAttempts * latencyPart;
        let asked = { writes: 0 };
        const locks = new LockClient({
          ...settings,
          runtime: time,
          table: (clock) => {
            const granting = grantingTable(time, clock, latencyMs);
            asked = granting.asked;
            return granting.table;
          },
        });
        const lease = await time.until(locks.acquire('x'));
        const holdMs = holdInBeats * settings.renewEveryMs;
        asked.writes = 0;
        await time.pass(holdMs);
        expect(asked.writes).toBeLessThanOrEqual(holdMs / settings.renewEveryMs + 1);
        expect(lease.isHeld).toBe(true);
        await time.until(lease.release());
      }),
      { cases: 150 },
    );
  });

  it('C37 any setting that leaves a renewal no time for all its attempts is refused when the client is made', () => {
    checkProperty(
      fc.property(anySettings, fc.integer({ min: 1, max: 1_000_000 }), (settings, missingMs) => {
        const { renewEveryMs, safetyMarginMs, requestTimeoutMs, maxAttempts } = settings;
        const minMs = renewEveryMs + safetyMarginMs + requestTimeoutMs * maxAttempts;
        const make = (leaseMs: number) => () => {
          const options: ClientOptions = { ...settings, leaseMs, table: () => ({}) as ItemTable };
          return new LockClient(options);
        };
        expect(make(minMs)).not.toThrow();
        expect(make(minMs - missingMs)).toThrow(
          expect.objectContaining({ name: 'UsageError', message: expect.stringContaining('leaseMs:') }),
        );
      }),
    );
  });

  it.each([restlessLease, shortLease])(
    'C37 on an engine: beats every $renewEveryMs ms and no more often',
    async (settings) => {
      using events = new EventLog();
      const name = stage.name();
      // For a machine that stands still: neither the lease nor a request's repetition is what this is about.
      const patient = { leaseMs: 60_000, requestTimeoutMs: 20_000 };
      const { locks, meter, clocks } = await stage.it.readyActor({ ...settings, ...patient });
      const since = clocks.monotonicMs();
      const lease = await locks.acquire(name);
      await events.next('renewed', name, 4);
      const holdMs = clocks.monotonicMs() - since;
      expect(meter.writes - 1).toBeLessThanOrEqual(holdMs / settings.renewEveryMs + 1);
      await lease.release();
    },
  );
});
