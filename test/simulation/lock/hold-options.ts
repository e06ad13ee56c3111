import type { Random } from '../world/random.js';

/** How the clients of a schedule are set up: tight, so that little stands between a fault and its effect. */
export interface ClientHabits {
  readonly leaseMs: number;
  readonly renewEveryMs: number;
  readonly safetyMarginMs: number;
  readonly requestTimeoutMs: number;
  readonly maxAttempts: number;
  readonly pollFloorMs: number;
  readonly pollCeilingMs: number;
  readonly retentionMs: number;
}

const dayMs = 24 * 3_600_000;

/**
 * Draws settings that the client accepts.
 *
 * @param isShort leases run out soon, and whoever waits for one looks a few times only
 */
export function drawClientHabits(random: Random, isShort = false): ClientHabits {
  const requestTimeoutMs = isShort ? 200 : random.pick([200, 500]);
  const maxAttempts = isShort ? random.pick([1, 2]) : random.pick([1, 2, 3]);
  const renewEveryMs = isShort ? 400 : random.pick([400, 1_000]);
  const safetyMarginMs = random.pick([0, 0, 50, 300]);
  const spareMs = random.whole(0, isShort ? 500 : 1_500);
  const leaseMs = renewEveryMs + requestTimeoutMs * maxAttempts + safetyMarginMs + spareMs;
  return {
    leaseMs,
    renewEveryMs,
    safetyMarginMs,
    requestTimeoutMs,
    maxAttempts,
    pollFloorMs: random.pick([20, 50]),
    pollCeilingMs: random.pick([200, 1_000]),
    retentionMs: dayMs * random.whole(1, 7),
  };
}
