export type { AlarmName } from './alarm-kinds.js';
export { LeaseMetrics, type ObservabilitySettings, observabilityEnvironment } from './lease-metrics.js';
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
export { type AlarmThresholds, LeaseholdAlarms, type LeaseholdAlarmsProps } from './leasehold-alarms.js';
export { LeaseholdDashboard, type LeaseholdDashboardProps } from './leasehold-dashboard.js';
export { LeaseholdStack } from './leasehold-stack.js';
export type { LeaseholdStackProps } from './leasehold-stack-props.js';
export { type ILockService, LockService } from './lock-service.js';
export type { LockServiceProps } from './lock-service-props.js';
export { LockedSection } from './locked-section.js';
export type { LockedSectionProps } from './locked-section-props.js';
export type { ObservedProps } from './observed-parts.js';
export type { ProcessorBundleOptions } from './processor-bundle.js';
export { ScanProcessor } from './scan-processor.js';
export type { ScanInput, ScanSchedule } from './scan-schedule.js';
export { SliceScan } from './slice-scan.js';
export type { ISliceScan } from './slice-scan-base.js';
export type { ScanOutput, SliceScanProps } from './slice-scan-props.js';
