import { numberIn } from '../check/lease-writes.js';
import type { CallRecord } from '../history/history.js';
import { type Cluster, leaseTable } from '../world/cluster.js';
import type { FaultProfile } from './fault-profile.js';
import type { ClientHabits } from './hold-options.js';
import { Machine } from './machine.js';

/** The `Date` header has whole seconds. */
const headerMs = 1_000;
/** Drift within the bound since the last sample, and rounding up. */
const driftMs = 200;
/** A wider interval counts for no more in the end of a lease, whatever wall clocks were set forward. */
const maxUncertaintyMs = 5_000;
/** Requests and answers of a network in which nothing goes wrong. */
const calmTripMs = 100;

/** Until the last of these locks can be had that was released before its time. */
function untilFreeMs(cluster: Cluster, names: readonly string[]): number {
  const items = cluster.store.itemsOf(leaseTable);
  return Math.max(0, ...names.map((name) => (numberIn(items.get(name), 'freeFrom') ?? 0) - cluster.nowMs));
}

/** Within this time, in milliseconds, a newcomer gets each of these locks, whose holders have all crashed. */
export function lastBoundMs(
  cluster: Cluster,
  faultProfile: FaultProfile,
  habits: ClientHabits,
  names: readonly string[],
  forwardMs: number,
): number {
  const apart = Math.max(...faultProfile.frontEndsAheadMs) - Math.min(...faultProfile.frontEndsAheadMs);
  const grantersUncertainty = Math.min(
    headerMs + habits.requestTimeoutMs * habits.maxAttempts + driftMs + forwardMs,
    maxUncertaintyMs + driftMs,
  );
  const takersUncertainty = headerMs + calmTripMs + driftMs;
  return (
    Math.max(habits.leaseMs, cluster.longestAskedMs, untilFreeMs(cluster, names)) +
    faultProfile.skewMs +
    apart +
    grantersUncertainty +
    takersUncertainty +
    habits.pollCeilingMs +
    2 * calmTripMs
  );
}

/** A dead waiter costs those behind it no more, in milliseconds. */
const graceMs = 2_000;
/** Whoever stands in line looks at least so often, in milliseconds, drift and a request besides. */
const lookMs = 2_000;

/** Those that stand in a lock's line whose time is not over by then. */
function ticketsIn(cluster: Cluster, name: string, overMs: number): readonly string[] {
  const tickets = cluster.store.itemsOf(leaseTable).get(`${name}\u001fline`)?.tickets?.L ?? [];
  return tickets.map(({ S: text }) => text!).filter((text) => Number(text.split(' ')[0]) > overMs);
}

/**
 * I6: everybody has crashed and nothing goes wrong any more. A newcomer gets each lock within
 * leaseMs + skewMs + the clocks' uncertainty + one poll; in line within a grace more for each who died there, and then
 * nobody's ticket is left.
 */
export async function takeLast(
  cluster: Cluster,
  faultProfile: FaultProfile,
  habits: ClientHabits,
  names: readonly string[],
  forwardMs: number,
): Promise<void> {
  const clocks = { monotonicRate: 1, wallRate: 1, wallAheadMs: 0 };
  const machine = new Machine(cluster, 'last', 'last', habits, clocks);
  const isFair = cluster.random.chance(0.5);
  const deadIn = new Map(
    names.map((name) => [name, ticketsIn(cluster, name, cluster.nowMs - maxUncertaintyMs)]),
  );
  const dead = Math.max(...[...deadIn.values()].map((tickets) => tickets.length));
  const lineMs = isFair ? 1.001 * dead * graceMs + lookMs : 0;
  const withinMs = lastBoundMs(cluster, faultProfile, habits, names, forwardMs) + lineMs;
  if (isFair && dead > 0) cluster.history.tally.count('asked: behind dead waiters');
  // Broken clocks grant leases of any length: nobody waits.
  const isPromised = faultProfile.clocksHold;
  // BackOff is measured by the newcomer's clocks, in the more impatient way.
  const askedWaitMs = isPromised ? 1.001 * withinMs + 1 : 1;
  let open = names.length;
  for (const name of names) {
    const acquired = machine.call(
      'acquire at last',
      name,
      () => machine.locks.acquire(name, { waitMs: askedWaitMs, fair: isFair }),
      ({ leaseId }) => ({ leaseId }),
      isFair ? { isFair } : {},
    );
    acquired.then(
      async (lease) => {
        if (lease) {
          machine.hold(lease);
          cluster.letGo(lease);
          await machine.call(
            'release at last',
            name,
            () => lease.release(),
            (outcome) => ({ outcome }),
            { leaseId: lease.leaseId },
          );
        }
        open -= 1;
      },
      (error) => cluster.fail(error),
    );
  }
  const untilMs = cluster.nowMs + askedWaitMs + 10_000;
  await cluster.loop.run(untilMs, () => open === 0);
  const records = cluster.history.records;
  for (const name of names) {
    const call = records.findLast(
      (record): record is CallRecord =>
        record.kind === 'call' && record.what === 'acquire at last' && record.name === name,
    );
    // Behind the newcomer a request of the dead may still have put a ticket; that one ages out.
    const left = ticketsIn(cluster, name, cluster.nowMs + maxUncertaintyMs);
    if (isFair && call?.outcome === 'ok' && left.some((ticket) => deadIn.get(name)?.includes(ticket)))
      records.push({ kind: 'stuck', atMs: cluster.nowMs, what: 'has tickets left', name, withinMs });
    const isLate = call !== undefined && call.atMs - call.sinceMs > withinMs;
    const outcome = isLate ? 'too late' : (call?.outcome ?? 'no answer');
    if (!isPromised || outcome === 'ok' || outcome === 'AlreadyCompletedError') continue;
    records.push({
      kind: 'stuck',
      atMs: cluster.nowMs,
      what: `nobody gets the lock: ${outcome}`,
      name,
      withinMs,
    });
  }
}
