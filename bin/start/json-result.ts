import { type InventoryPartial, inventoryReport } from '../../lib/scan/index.js';
import { isComplete, type RunOutcome } from './proof/slice-evidence.js';
import type { RunProgress } from './run-progress.js';
import type { StartOptions } from './start-options.js';

/** Rows of each of the inventory's tables. */
const topRows = 20;

/** What `--json` prints. */
export function jsonResult(options: StartOptions, progress: RunProgress, outcome: RunOutcome) {
  const { report, slices, checks } = outcome;
  const retries = progress.takeovers.filter(({ how }) => how === 'retry').length;
  return {
    complete: isComplete(outcome),
    objects: report?.objects ?? 0,
    bytes: report?.bytes ?? 0,
    slices: slices.length,
    takeovers: progress.takeovers.length,
    takeoversByRetry: retries,
    takeoversAfterExpiry: progress.takeovers.length - retries,
    staleWritesRejected: progress.refusedWrites.length,
    leasesLost: progress.lostLeases,
    splits: progress.splits,
    /** Shares of 1 of the time; null before anything was done. */
    seatsBusy: progress.seatShares ?? null,
    listRequests: outcome.listRequests,
    independentCount: outcome.independentCount,
    durationMs: Math.round(progress.elapsedMs),
    scanMs: Math.round(outcome.scanMs),
    run: outcome.run,
    engine: outcome.engine,
    directory: options.directory,
    seats: options.seats,
    pageSize: options.pageSize,
    leaseMs: options.leaseMs,
    seed: options.seed,
    checks,
    faults: {
      ordered: progress.ordered,
      strikes: progress.strikes,
      notes: progress.faultNotes,
      takeovers: progress.takeovers,
      refusedWrites: progress.refusedWrites,
    },
    sliceResults: slices,
    inventory: report?.result ? inventoryReport(report.result as InventoryPartial, topRows) : null,
  };
}
