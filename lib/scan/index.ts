export {
  createPlanHandler,
  createScanHandlers,
  createVerifyHandler,
  createWorkHandler,
  type PlanEvent,
  type PlanInput,
  type ScanHandlers,
  type VerifyEvent,
  type WorkEvent,
} from './handlers/scan-handlers.js';

export type { SeatEnd, VerdictAnswer } from './handlers/verdict-answer.js';
export { addDigests, emptyDigest, type KeyDigest, keyDigest } from './keys/key-digest.js';
export { compareKeys, isLegalCut, separatingCut } from './keys/key-order.js';

export type { PlanOptions } from './plan/plan-options.js';
export { planScan, type ScanPlan } from './plan/planner.js';
export { type EachObjectCounts, type EachObjectOptions, eachObject } from './results/each-object.js';
export { type GroupCount, type GroupCounts, type InventoryPartial, inventory } from './results/inventory.js';

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
