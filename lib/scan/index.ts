export { createPlanHandler, type PlanEvent, type PlanInput } from './handlers/plan-handler.js';
export { createScanHandlers, type ScanHandlers } from './handlers/scan-handlers.js';
export type { SeatEnd } from './handlers/seat-end.js';
export type { VerdictAnswer } from './handlers/verdict-answer.js';
export { createVerifyHandler, type VerifyEvent } from './handlers/verify-handler.js';
export { createWorkHandler, type WorkEvent } from './handlers/work-handler.js';
export { isLegalCut, separatingCut } from './keys/cut.js';
export { addDigests, emptyDigest, type KeyDigest, keyDigest } from './keys/key-digest.js';
export { compareKeys } from './keys/key-order.js';
export type { PlanOptions } from './plan/plan-options.js';
export { planScan, type ScanPlan } from './plan/planner.js';
export { type EachObjectCounts, type EachObjectOptions, eachObject } from './results/each-object.js';
export { type InventoryPartial, inventory } from './results/inventory.js';
export type { GroupCount, GroupCounts } from './results/inventory-groups.js';
export { type InventoryReport, type InventoryRow, inventoryReport } from './results/inventory-report.js';
export type { ProcessContext, Processor, ScanObject, ScanPage, SliceOutput } from './results/processor.js';
export type { QuarantinedSlice, ScanReport } from './results/scan-report.js';
export type { OutputPlace } from './results/slice-output.js';
export type { ObjectFailure, PublishedPages, Tally } from './results/tally.js';
export { countStates, type ScanVerdict, type VerifyOptions, verifyScan } from './results/verify-scan.js';
export { type LedgerOptions, withLedger } from './results/with-ledger.js';
export { type ReleaseCause, type ScanEvents, type SliceEvent, scanChannels } from './seats/scan-events.js';
export { type SeatAnswer, type SeatOptions, workSeat } from './seats/seat-worker.js';
export { type RunOptions, type RunState, readCuts, readRun } from './slices/read-run.js';
export type { ScanRun } from './slices/scan-run.js';
export {
  findState,
  type PendingChild,
  parseSliceId,
  type SliceItem,
  type SliceRange,
  type SliceResult,
  type SliceState,
  sliceGroup,
  sliceName,
} from './slices/slice.js';
export type { Gap } from './slices/tiling.js';
