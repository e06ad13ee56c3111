export { isLegalCut, separatingCut } from './cut.js';
export { type EachObjectCounts, type EachObjectOptions, eachObject } from './each-object.js';
export { type InventoryPartial, inventory } from './inventory.js';
export type { GroupCount, GroupCounts } from './inventory-groups.js';
export { type InventoryReport, type InventoryRow, inventoryReport } from './inventory-report.js';
export { addDigests, emptyDigest, type KeyDigest, keyDigest } from './key-digest.js';
export { compareKeys } from './key-order.js';
export { type PlanOptions, planScan, type ScanPlan } from './planner.js';
export type { ProcessContext, Processor, ScanObject, ScanPage, SliceOutput } from './processor.js';
export { cutsOf, type RunOptions, type RunState, readRun } from './read-run.js';
export { type ReleaseCause, type ScanEvents, type SliceEvent, scanChannels } from './scan-events.js';
export type { QuarantinedSlice, ScanReport } from './scan-report.js';
export type { ScanRun } from './scan-run.js';
export { type SeatAnswer, type SeatOptions, workSeat } from './seat-worker.js';
export {
  type PendingChild,
  type SliceItem,
  type SliceRange,
  type SliceResult,
  type SliceState,
  sliceGroup,
  sliceIdOf,
  sliceName,
  stateOf,
} from './slice.js';
export type { OutputPlace } from './slice-output.js';
export type { ObjectFailure, PublishedPages, Tally } from './tally.js';
export type { Gap } from './tiling.js';
export { countStates, type ScanVerdict, type VerifyOptions, verifyScan } from './verify-scan.js';
export { type LedgerOptions, withLedger } from './with-ledger.js';
