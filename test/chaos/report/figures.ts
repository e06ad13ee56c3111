import type { Evidence } from '../check/check-history.js';
import { lineOrder } from '../check/line-order.js';
import { permitStays } from '../check/permit-holders.js';
import { lostUpdates } from '../check/set-updates.js';
import { staysOf } from '../check/stays.js';
import { type History, ofKind } from '../history/read-history.js';
import { lockNames, semaphores } from '../terms.js';
import type { ChaosReport, LockFigures, ScanFigures, SetFigures } from './report.js';

/** Everything that is counted from what a run leaves. */
export function figuresOf(evidence: Evidence): Pick<ChaosReport, 'locks' | 'workloads' | 'failures'> {
  const { history } = evidence;
  return {
    locks: lockFigures(history),
    workloads: {
      hold: {
        stays: staysOf(history).filter(({ name }) => lockNames.hold.some((known) => known === name)).length,
        askedWhetherHeld: ofKind(history, 'held').length,
      },
      plain: setFigures(evidence, lockNames.plain),
      fenced: {
        ...setFigures(evidence, lockNames.fenced),
        refusedStaleWrites: ofKind(history, 'refused').length,
      },
      permit: { stays: semaphores.flatMap((semaphore) => permitStays(history, semaphore)).length },
      line: lineFigures(history),
      scan: scanFigures(evidence),
    },
    failures: countBy(ofKind(history, 'failed'), ({ workload, error }) => `${workload}: ${error}`),
  };
}

function lockFigures(history: History): LockFigures {
  const grants = ofKind(history, 'granted');
  const taken = grants.filter(({ takenFrom }) => takenFrom !== undefined);
  return {
    granted: grants.length,
    takeovers: taken.length,
    superseded: taken.filter(({ takenFrom, owner }) => takenFrom?.owner === owner).length,
    adopted: grants.filter(({ adopted }) => adopted).length,
    lost: countBy(ofKind(history, 'lost'), ({ reason }) => reason),
  };
}

function setFigures({ history, sets }: Evidence, names: readonly string[]): SetFigures {
  const begun = ofKind(history, 'adding').filter(({ set }) => names.includes(set)).length;
  const acknowledged = ofKind(history, 'added').filter(({ set }) => names.includes(set)).length;
  return {
    acknowledged,
    unknown: begun - acknowledged,
    lostUpdates: lostUpdates(history, sets, names).length,
  };
}

function scanFigures({ history, verdicts, walked }: Evidence): ScanFigures {
  const sum = (of: (report: (typeof verdicts)[number]['report']) => number) =>
    verdicts.reduce((total, { report }) => total + of(report), 0);
  return {
    scans: verdicts.length,
    complete: verdicts.filter(({ status }) => status === 'complete').length,
    slices: sum(({ slices }) => slices),
    keysEach: walked.keys.size,
    pages: sum(({ pages }) => pages),
    splits: ofKind(history, 'split').length,
    refusedSplits: ofKind(history, 'split-refused').length,
    takeovers: sum(({ takeovers }) => takeovers),
  };
}

function lineFigures(history: History) {
  const { turns, compared } = lineOrder(history);
  return { turns, compared };
}

function countBy<Value>(values: readonly Value[], toKey: (value: Value) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[toKey(value)] = (counts[toKey(value)] ?? 0) + 1;
  return counts;
}
