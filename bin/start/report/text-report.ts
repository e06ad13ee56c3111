import { type InventoryPartial, inventoryReport } from '../../../lib/scan/index.js';
import type { RunProgress } from '../progress/run-progress.js';
import type { RunOutcome } from '../run-outcome.js';
import type { Palette } from '../view/palette.js';
import { inventoryTables } from './inventory-tables.js';
import { proofLines } from './proof-lines.js';
import { sliceTable } from './slice-table.js';
import { summaryLines } from './summary-lines.js';

/** Rows of each of the inventory's tables. */
const topRows = 6;
const minWidth = 60;
const maxWidth = 120;

/** What is printed when a run is over: the report as tables, then the proof. */
export function textReport(
  progress: RunProgress,
  outcome: RunOutcome,
  palette: Palette,
  columns: number,
): string {
  const width = Math.max(minWidth, Math.min(maxWidth, columns - 1));
  const { report, slices, checks } = outcome;
  const found = report?.result as InventoryPartial | null | undefined;
  const tables =
    found && found.objects > 0 ? inventoryTables(inventoryReport(found, topRows), palette, width) : [];
  return [
    ...tables,
    ...(slices.length > 0 ? [sliceTable(slices, palette, width)] : []),
    summaryLines(progress, outcome, palette),
    proofLines(checks, outcome.independentCount, palette),
  ].join('\n\n');
}
