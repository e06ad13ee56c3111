import './loaded.js';
import { lockChecks, serviceChecks, violationsOf } from '../check/index.js';
import { scanChecks } from '../check/scan-checks.js';
import type { Violation } from '../history/history.js';
import { playLines } from '../lock/hand-over-schedule.js';
import { playLocks } from '../lock/lock-schedule.js';
import { playScan } from '../scan/scan-schedule.js';
import { playService } from '../service/service-schedule.js';
import { Random, type Spared } from '../world/random.js';
import type { Trace } from '../world/trace.js';

const suites = {
  lock: { play: playLocks, checks: lockChecks },
  'hand-over': { play: playLines, checks: lockChecks },
  service: { play: playService, checks: serviceChecks },
  scan: { play: playScan, checks: scanChecks },
} as const;

/** Which kind of schedule. */
export type Suite = keyof typeof suites;

/** How one schedule went. */
export interface Played {
  readonly seed: number;
  readonly violations: readonly Violation[];
  /** Of the history: a measure of how much happened. */
  readonly records: number;
  /** How often chance decided. */
  readonly draws: number;
  /** How often each kind of trouble and of outcome came. */
  readonly counts: Readonly<Record<string, number>>;
}

const strays: unknown[] = [];

/** Production code must never leave a rejection unhandled: each one found is a violation of the seed at hand. */
export function watchForStrays(): void {
  process.on('unhandledRejection', (reason) => strays.push(reason));
  // Nobody reads the stacks of the thousands of errors that are part of a schedule.
  Error.stackTraceLimit = 0;
}

/**
 * Plays the schedule of a seed and checks its history, with the trouble left out that is spared. Never throws: what is thrown is a
 * violation.
 */
export async function play(suite: Suite, seed: number, trace?: Trace, spared?: Spared): Promise<Played> {
  const random = new Random(seed, spared);
  const violations: Violation[] = [];
  let records = 0;
  let counts: Played['counts'] = {};
  try {
    const history = await suites[suite].play(random, trace);
    records = history.records.length;
    violations.push(...violationsOf(history, suites[suite].checks));
    counts = history.tally.counts;
  } catch (error) {
    violations.push({
      rule: 'no crash',
      atMs: 0,
      what: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    });
  }
  // Unhandled rejections are told once the microtasks and ticks are done.
  await new Promise((resolve) => setImmediate(resolve));
  for (const stray of strays.splice(0)) {
    violations.push({ rule: 'strays', atMs: 0, what: `an unhandled rejection: ${String(stray)}` });
  }
  return { seed, violations, records, draws: random.drawn, counts };
}
