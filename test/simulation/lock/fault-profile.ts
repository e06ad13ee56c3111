import { calmNetwork, type NetworkHabits } from '../net/network.js';
import type { ClockHabits } from '../world/local-clocks.js';
import type { Random } from '../world/random.js';

/** 500 ppm, the bound of section 3. Written out here: the checkers take nothing from the code. */
const driftBound = 500e-6;

/** What kind of schedule it is. Each seed draws some kinds of trouble and leaves out the others. */
export interface FaultProfile {
  readonly isCalm: boolean;
  /** No caller gives up before its time. */
  readonly isPatient: boolean;
  /** Section 3's assumptions hold. */
  readonly clocksHold: boolean;
  readonly network: NetworkHabits;
  readonly skewMs: number;
  readonly frontEndsAheadMs: readonly number[];
  /** Each a likelihood per look of the nemesis. */
  readonly pauses: number;
  readonly freezes: number;
  readonly steps: number;
  readonly crashes: number;
  readonly cuts: number;
  readonly earlyDeletion: boolean;
  readonly ttlGap: boolean;
  /** The table is replaced by an older backup of itself. */
  readonly restore: boolean;
  /** All processes sleep for hours. */
  readonly deepSleep: boolean;
  /** A machine's clocks jump, and it finds its way back. */
  readonly jump: boolean;
}

const skews = [0, 100, 500, 1_000] as const;

/** Draws the kinds of trouble of a schedule. */
export function drawFaultProfile(random: Random, clocksMustHold = false): FaultProfile {
  const isCalm = random.chance(0.1);
  const clocksHold = isCalm || !random.chance(0.15) || clocksMustHold;
  const skewMs = random.pick(skews);
  // Then it shows whether each waiter gets its turn, whatever befalls the others.
  const isNetworkCalm = random.chance(0.15);
  const apart = clocksHold ? skewMs : skewMs * 4 + 1000;
  const maybe = (likelihood: number) => (!isCalm && random.chance(0.5) ? likelihood : 0);
  return {
    isCalm,
    isPatient: random.chance(0.5),
    clocksHold,
    skewMs,
    frontEndsAheadMs: random.chance(0.7)
      ? [-apart / 2, apart / 2]
      : [random.between(-apart / 2, apart / 2), random.between(-apart / 2, apart / 2)],
    network: isCalm || isNetworkCalm ? calmNetwork : drawNetwork(random),
    pauses: maybe(0.25),
    freezes: maybe(0.2),
    steps: maybe(0.25),
    crashes: maybe(0.12),
    cuts: isNetworkCalm ? 0 : maybe(0.25),
    earlyDeletion: !isCalm && random.chance(0.06),
    ttlGap: random.chance(0.12),
    restore: !isCalm && random.chance(0.1),
    deepSleep: !isCalm && random.chance(0.06),
    jump: clocksHold && !isCalm && random.chance(0.03),
  };
}

function drawNetwork(random: Random): NetworkHabits {
  const maybe = (most: number) => (random.chance(0.5) ? random.spread(0.01, most) : 0);
  if (random.chance(0.1)) return { ...calmNetwork, duplication: 0.7, latestDuplicateMs: 8_000 };
  return {
    maxDelayMs: random.pick([5, 50, 250, 900]),
    requestLoss: maybe(0.25),
    answerLoss: maybe(0.35),
    duplication: maybe(0.4),
    latestDuplicateMs: random.pick([100, 3_000, 15_000, 20 * 3_600_000]),
    throttling: maybe(0.2),
    internalErrors: maybe(0.2),
  };
}

/** How one machine's clocks run; within the assumptions or beyond. */
export function drawClocks(random: Random, clocksHold: boolean): ClockHabits {
  const most = clocksHold ? driftBound : 0.05;
  const rate = () => 1 + (random.chance(0.6) ? random.pick([-most, most]) : random.between(-most, most));
  const day = 24 * 3_600_000;
  return {
    monotonicRate: rate(),
    wallRate: rate(),
    wallAheadMs: random.chance(0.3) ? random.pick([-365 * day, 365 * day]) : random.between(-5_000, 5_000),
  };
}
