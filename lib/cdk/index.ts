export type { FunctionSettings } from './functions/function-settings.js';
export {
  LeaseMetrics,
  type ObservabilitySettings,
  observabilityEnvironment,
} from './observability/lease-metrics.js';
export {
  type AlarmName,
  type AlarmThresholds,
  LeaseholdAlarms,
  type LeaseholdAlarmsProps,
} from './observability/leasehold-alarms.js';

export { LeaseholdDashboard, type LeaseholdDashboardProps } from './observability/leasehold-dashboard.js';
export type { ObservedProps } from './observability/observed-parts.js';
export { type ProcessorBundleOptions, ScanProcessor } from './scan/scan-processor.js';
export { SliceScan } from './scan/slice-scan.js';
export type { ISliceScan } from './scan/slice-scan-base.js';
export type { ScanInput, ScanOutput, ScanSchedule, SliceScanProps } from './scan/slice-scan-props.js';

export { LockedSection } from './section/locked-section.js';
export type { LockedSectionProps } from './section/locked-section-props.js';
export { type ILockService, LockService } from './service/lock-service.js';
export type { LockServiceProps } from './service/lock-service-function.js';
export { LeaseholdStack } from './stack/leasehold-stack.js';
export type { LeaseholdStackProps } from './stack/leasehold-stack-props.js';
export { LeaseSweeper } from './table/lease-sweeper.js';
export { LeaseTable } from './table/lease-table.js';
export type { ILeaseTable } from './table/lease-table-base.js';
export type {
  ExistingLeaseTableProps,
  LeaseSweeperProps,
  LeaseTableProps,
  LeaseTableReplicas,
  LockScope,
  UseGrantProps,
} from './table/lease-table-props.js';
