import { describe, expect, it } from 'vitest';
import type { Lease } from '../../../lib/index.js';
import { EventLog } from '../../support/event-log.js';
import { until } from '../../support/until.js';
import { useStage } from '../../support/use-stage.js';

const count = 500;
const beats = 3;
const leaseMs = 20_000;

/** Keeps this process's one thread busy most of the time, in bites, until it is stopped. */
function cpuLoad(biteMs: number): Disposable {
  let going = true;
  const bite = () => {
    for (const end = performance.now() + biteMs; performance.now() < end; );
    // Lets timers and sockets have their turn, as any server does between two requests.
    if (going) setTimeout(bite, biteMs / 2);
  };
  bite();
  return {
    [Symbol.dispose]: () => {
      going = false;
    },
  };
}

describe('many leases in one process', () => {
  const stage = useStage();

  it('C50 500 leases under CPU load: each is renewed again and again, or told in time that it is in danger', {
    timeout: 180_000,
  }, async () => {
    using events = new EventLog();
    const { locks } = await stage.it.readyActor({
      leaseMs,
      renewEveryMs: 4_000,
      safetyMarginMs: 2_000,
      requestTimeoutMs: 4_000,
    });
    const rival = await stage.it.readyActor();
    const names = Array.from({ length: count }, () => stage.name());
    const leases: Lease[] = [];
    for (let i = 0; i < count; i += 50) {
      leases.push(...(await Promise.all(names.slice(i, i + 50).map((name) => locks.acquire(name)))));
    }
    /** Whether the signal fired while nobody else could have had the lock yet. */
    const warnedInTime = new Map<string, boolean>();
    const expiries = new Map(leases.map(({ name, acquiredAt }) => [name, acquiredAt + leaseMs]));
    for (const { name, signal } of leases) {
      signal.addEventListener('abort', () => {
        const { latest } = locks.context.clock.now();
        warnedInTime.set(name, latest < expiries.get(name)! + locks.context.skewMs);
      });
    }
    {
      using _load = cpuLoad(20);
      await until(
        'each is renewed again and again, or lost',
        () => {
          const renewals = new Map<string, number>();
          for (const { name, expiresAt } of events.of('renewed')) {
            renewals.set(name, (renewals.get(name) ?? 0) + 1);
            expiries.set(name, expiresAt);
          }
          return names.every((name) => warnedInTime.has(name) || (renewals.get(name) ?? 0) >= beats);
        },
        150_000,
      );
    }
    expect([...warnedInTime.values()].every(Boolean)).toBe(true);
    expect(events.of('renewed').length).toBeGreaterThan(0);
    // What says that it is held can't be had by anybody else.
    for (const lease of leases) {
      const taken = await rival.locks.tryAcquire(lease.name);
      if (taken) expect(lease.isHeld).toBe(false);
      await taken?.release();
    }
    await Promise.all(leases.map((lease) => lease[Symbol.asyncDispose]()));
  });
});
