import type { HoldOptions } from '../../../lib/client/index.js';
import type { Terms } from '../history/history.js';
import type { Cluster } from '../world/cluster.js';
import type { SimProcess } from '../world/sim-process.js';
import type { ClientHabits } from './hold-options.js';

/** How one lease is asked for: the call's options, and the same for the checkers. */
export interface DrawnTerms {
  readonly options: HoldOptions;
  readonly terms: Terms;
}

/**
 * Draws how a lease is to be held: as the client was made, for another length, up to a cap, or while its caller has time.
 *
 * @param beforeMs how long it is without a length of its own
 */
export function drawTerms(
  cluster: Cluster,
  process: SimProcess,
  habits: ClientHabits,
  beforeMs = habits.leaseMs,
): DrawnTerms {
  const { random, history } = cluster;
  const ownMs = random.chance(0.2) ? drawLeaseMs(cluster, habits) : undefined;
  const leaseMs = ownMs ?? beforeMs;
  const maxHoldMs = random.chance(0.15) ? Math.ceil(random.spread(50, 4 * habits.leaseMs)) : undefined;
  const isEnding = random.chance(0.15);
  const endsAtMs = isEnding ? process.clocks.monotonicMs + random.spread(100, 4 * habits.leaseMs) : 0;
  const endsInMs = isEnding ? () => endsAtMs - process.clocks.monotonicMs : undefined;
  if (ownMs !== undefined) history.tally.count('asked: a lease length of its own');
  if (maxHoldMs) history.tally.count('asked: maxHoldMs');
  if (endsInMs) history.tally.count('asked: endsInMs');
  return {
    options: {
      ...(ownMs !== undefined && { leaseMs: ownMs }),
      ...(leaseMs !== habits.leaseMs && fitting(habits)),
      ...(maxHoldMs !== undefined && { maxHoldMs }),
      ...(endsInMs && { endsInMs }),
    },
    terms: { leaseMs, ...(maxHoldMs !== undefined && { maxHoldMs }), ...(endsInMs && { endsInMs }) },
  };
}

/** Another length: the client's renewals still fit in. */
function drawLeaseMs(cluster: Cluster, { leaseMs }: ClientHabits): number {
  const ownMs = leaseMs + cluster.random.whole(1, 2 * leaseMs);
  cluster.asksFor(ownMs);
  return ownMs;
}

/** A fraction of the client's lease is no measure for another one: said anew. */
function fitting({ renewEveryMs, safetyMarginMs }: ClientHabits) {
  return { renewEveryMs, safetyMarginMs };
}

const dayMs = 24 * 3_600_000;

/** How long a result is kept: for good, or for some days. */
export function drawRetention(cluster: Cluster): number | undefined {
  if (!cluster.random.chance(0.5)) return undefined;
  cluster.history.tally.count('asked: retainMs');
  return dayMs * cluster.random.whole(1, 10);
}
