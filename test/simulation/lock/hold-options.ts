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

/** Draws settings that the client accepts. */
export function drawClientHabits(random: Random): ClientHabits {
  const requestTimeoutMs = random.pick([200, 500]);
  const maxAttempts = random.pick([1, 2, 3]);
  const renewEveryMs = random.pick([400, 1_000]);
  const safetyMarginMs = random.pick([0, 0, 50, 300]);
  const leaseMs = renewEveryMs + requestTimeoutMs * maxAttempts + safetyMarginMs + random.whole(0, 1_500);
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
