export { LeaseTable, type LeaseTableProps } from './lease-table.js';
export { LeaseholdStack, type LeaseholdStackProps } from './leasehold-stack.js';
export { SliceScan } from './slice-scan.js';
export type { ScanOutput, SliceScanProps } from './slice-scan-props.js';
