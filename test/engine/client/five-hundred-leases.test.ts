import { describe, expect, it } from 'vitest';
import type { Lease } from '../../../lib/index.js';
import { EventLog } from '../../support/event-log.js';
import { bySize } from '../../support/size.js';
import { patientLease } from '../../support/stage.js';
import { until } from '../../support/until.js';
import { useStage } from '../../support/use-stage.js';

const count = bySize({ short: 100, long: 500 });
/** Asked for at once: more would only wait for each other's sockets. */
const batch = 50;
const beats = 3;
const leaseMs = 20_000;
/** It is under load for as long as this takes. */
const renewEveryMs = bySize({ short: 1_500, long: 4_000 });

/**
 * Keeps this process's one thread busy most of the time, in bites, until it is stopped.
 *
 * @param onTurn called once in each turn of the event loop that it has
 */
function cpuLoad(biteMs: number, onTurn: () => void): Disposable {
  let going = true;
  const bite = () => {
    onTurn();
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

  it('C50 hundreds of leases under CPU load: each is renewed again and again, or told in time that it is in danger', {
    timeout: 180_000,
  }, async () => {
    using events = new EventLog();
    const { locks } = await stage.it.readyActor({
      leaseMs,
      renewEveryMs,
      safetyMarginMs: 2_000,
      requestTimeoutMs: 4_000,
    });
    const rival = await stage.it.readyActor(patientLease);
    const names = Array.from({ length: count }, () => stage.name());
    const leases: Lease[] = [];
    await using _all = {
      [Symbol.asyncDispose]: async () => {
        // Whatever goes wrong with one, the others are ended, too.
        for (const some of inBatches(leases)) await Promise.allSettled(some.map((lease) => lease.release()));
      },
    };
    for (const some of inBatches(names)) {
      leases.push(...(await Promise.all(some.map((name) => locks.acquire(name)))));
    }
    /** The latest store time at the last turns of the event loop, the oldest of them first. */
    let turns: readonly number[] = [];
    /**
     * Whether the signal fired while nobody else could have had the lock yet; or, where the machine stood still over
     * that moment, in the first turn after. A turn's own timers come in any order: the turn before the last one counts.
     */
    const warnedInTime = new Map<string, boolean>();
    for (const lease of leases) {
      lease.signal.addEventListener('abort', () => {
        const renewed = events.of('renewed', lease.name).at(-1)?.expiresAt;
        const expiresAt = renewed ?? lease.acquiredAt + leaseMs;
        warnedInTime.set(lease.name, (turns[0] ?? 0) < expiresAt + locks.context.skewMs);
      });
    }
    {
      using _load = cpuLoad(20, () => {
        turns = [...turns.slice(-1), locks.context.clock.now().latest];
      });
      await until(
        'each is renewed again and again, or lost',
        () => {
          const renewals = new Map<string, number>();
          for (const { name } of events.of('renewed')) renewals.set(name, (renewals.get(name) ?? 0) + 1);
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
  });
});

function inBatches<T>(all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / batch) }, (_, i) =>
    all.slice(i * batch, (i + 1) * batch),
  );
}
