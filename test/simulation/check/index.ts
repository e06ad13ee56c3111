import type { Check, History, Violation } from '../history/history.js';
import { checkAbandoned } from './abandoned.js';
import { checkAfterwards } from './afterwards.js';
import { checkAnswers } from './answers.js';
import { checkCompletion } from './completion.js';
import { checkDerivedCalls } from './derived-calls.js';
import { checkFreeNotYet } from './free-not-yet.js';
import { checkGivenBack } from './given-back.js';
import { checkHandOvers } from './hand-overs.js';
import { checkHolders } from './holders.js';
import { checkLateAcquires } from './late-acquires.js';
import { checkLeaders } from './leaders.js';
import { checkLinear } from './linear.js';
import { checkLines } from './lines.js';
import { checkLiveness } from './liveness.js';
import { checkMonotony } from './monotony.js';
import { checkRequestCounts } from './request-counts.js';
import { checkResources } from './resources.js';
import { checkShared } from './shared.js';
import { checkStaleWrites } from './stale-writes.js';
import { checkStoreTime } from './store-time.js';
import { checkTakeovers } from './takeovers.js';
import { checkTerms } from './terms.js';
import { checkTimeToLive } from './time-to-live.js';
import { checkTogether } from './together.js';
import { checkTokens } from './tokens.js';
import { checkTurns } from './turns.js';
import { checkUndisturbed } from './undisturbed.js';

/** The checks of protocol.md, section 8, and of what the sections before it promise. */
export const lockChecks: readonly Check[] = [
  checkTokens,
  checkHolders,
  checkShared,
  checkHandOvers,
  checkTakeovers,
  checkFreeNotYet,
  checkLateAcquires,
  checkResources,
  checkStaleWrites,
  checkMonotony,
  checkLiveness,
  checkCompletion,
  checkDerivedCalls,
  checkRequestCounts,
  checkStoreTime,
  checkTimeToLive,
  checkTerms,
  checkAnswers,
  checkAfterwards,
  checkGivenBack,
  checkLinear,
  checkAbandoned,
  checkTurns,
  checkLines,
  checkTogether,
  checkLeaders,
  checkUndisturbed,
];

/** The same through the lock service, whose requests to the table are its own: who asks counts none of them. */
export const serviceChecks: readonly Check[] = lockChecks.filter((check) => check !== checkRequestCounts);

/** All that a history breaks, in the order of true time. */
export function violationsOf(history: History, checks: readonly Check[]): Violation[] {
  return checks.flatMap((check) => check(history)).sort((a, b) => a.atMs - b.atMs);
}
