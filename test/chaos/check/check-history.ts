import type { ScanVerdict } from '../../../lib/scan/index.js';
import { unexplained } from '../../linear/of-chaos.js';
import type { History } from '../history/read-history.js';
import { lockNames, semaphores } from '../terms.js';
import { lineOrder } from './line-order.js';
import { tooManyHolders } from './permit-holders.js';
import { scanResult, splitsHappened, type WalkedKeys } from './scan-result.js';
import { type FinalSets, fenceOrder, foreignElements, lostFencedUpdates } from './set-updates.js';
import { tokenOrder } from './token-order.js';
import { twoHolders } from './two-holders.js';
import type { Violation } from './violation.js';
import { type OwnEnd, workerEnds } from './worker-ends.js';

/** What a run leaves to judge. */
export interface Evidence {
  readonly history: History;
  readonly sets: FinalSets;
  readonly verdicts: readonly ScanVerdict[];
  readonly walked: WalkedKeys;
  readonly ownEnds: readonly OwnEnd[];
}

/** Everything that must not be, found in what was recorded. Knows nothing of how it came about. */
export function checkHistory({ history, sets, verdicts, walked, ownEnds }: Evidence): Violation[] {
  return [
    ...twoHolders(history),
    ...semaphores.flatMap((semaphore) => tooManyHolders(history, semaphore)),
    ...tokenOrder(history),
    ...fenceOrder(history, lockNames.fenced),
    ...lostFencedUpdates(history, sets, lockNames.fenced),
    ...foreignElements(history, sets),
    ...verdicts.flatMap((verdict) => scanResult(verdict, walked)),
    ...splitsHappened(history, verdicts),
    ...lineOrder(history).violations,
    ...workerEnds(history, ownEnds),
    ...unexplained(history, lockNames.fenced),
  ];
}
