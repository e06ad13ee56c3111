import {
  type InventoryPartial,
  type InventoryReport,
  inventoryReport,
  type ScanReport,
  type ScanVerdict,
} from '../../../lib/scan/index.js';
import { print, printJson } from '../output.js';
import { locationText, type S3Location } from '../s3-location.js';
import { styleOfStdout } from '../text-table.js';
import { reportText } from './report-text.js';

/** A scan with a verdict, here or in the state machine. */
export interface FinishedScan {
  readonly verdict: ScanVerdict;
  /** Absent where only the state machine knows it. */
  readonly location?: S3Location;
  readonly durationMs: number;
  /** Further fields for `--json`. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

const maxRows = 20;

/**
 * Prints the report of a scan.
 *
 * @returns the exit code: 0 only if everything was scanned and nothing failed
 */
export function tellReport(finished: FinishedScan, options: { readonly json: boolean }): number {
  const { verdict } = finished;
  const inventory = takeInventory(verdict.report);
  if (options.json) printJson(reportJson(finished, inventory));
  else print(reportText(finished, inventory, styleOfStdout()));
  return verdict.status === 'complete' ? 0 : 1;
}

/** One flat object, so that `jq .objects` is enough. */
function reportJson(
  { verdict, location, durationMs, extra }: FinishedScan,
  inventory: InventoryReport | undefined,
): Record<string, unknown> {
  const { result: _result, ...counts } = verdict.report;
  return {
    run: verdict.run,
    status: verdict.status,
    complete: verdict.status === 'complete',
    ...(verdict.reason !== undefined && { reason: verdict.reason }),
    ...(location && { location: locationText(location) }),
    ...extra,
    round: verdict.round,
    durationMs: Math.round(durationMs),
    ...counts,
    inventory: inventory ?? null,
  };
}

/** A deployed scan may work with a processor of its own, or leave out a result that was too large to hand on. */
function takeInventory(report: ScanReport): InventoryReport | undefined {
  const partial = report.result as Partial<InventoryPartial> | null | undefined;
  const isInventory = typeof partial === 'object' && partial !== null && typeof partial.digest === 'string';
  return isInventory ? inventoryReport(partial as InventoryPartial, maxRows) : undefined;
}
