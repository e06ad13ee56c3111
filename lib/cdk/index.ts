export { LeaseSweeper } from './lease-sweeper.js';
export { LeaseTable } from './lease-table.js';
export type { ILeaseTable } from './lease-table-base.js';
export type {
  LeaseSweeperProps,
  LeaseTableProps,
  LeaseTableReplicas,
  LockScope,
  UseGrantProps,
} from './lease-table-props.js';
export { LeaseholdStack, type LeaseholdStackProps } from './leasehold-stack.js';
export { SliceScan } from './slice-scan.js';
export type { ScanOutput, SliceScanProps } from './slice-scan-props.js';
