import { describe, expect, it } from 'vitest';
import { propsOf, rowsOf } from '../../support/docs/construct-pages.js';

/** Each construct's page, the file of its properties, and the interfaces in it that the page shows. */
const pages: readonly (readonly [page: string, file: string, interfaces: readonly string[]])[] = [
  [
    'docs/lease-table.md',
    'lib/cdk/table/lease-table-props.ts',
    ['LeaseTableProps', 'LeaseTableReplicas', 'LeaseSweeperProps', 'LockScope', 'UseGrantProps'],
  ],
  ['docs/observability.md', 'lib/cdk/observability/lease-metrics.ts', ['ObservabilitySettings']],
  ['docs/observability.md', 'lib/cdk/observability/observed-parts.ts', ['ObservedProps']],
  ['docs/observability.md', 'lib/cdk/observability/leasehold-dashboard.ts', ['LeaseholdDashboardProps']],
  [
    'docs/observability.md',
    'lib/cdk/observability/leasehold-alarms.ts',
    ['LeaseholdAlarmsProps', 'AlarmThresholds'],
  ],
  ['docs/observability.md', 'lib/lambda/observability/observed.ts', ['ObservedOptions']],
  ['docs/lambda.md', 'lib/lambda/locked-handler-options.ts', ['LockedHandlerOptions']],
  ['docs/lock-service.md', 'lib/cdk/service/lock-service-props.ts', ['LockServiceProps']],
  ['docs/lock-service.md', 'lib/cdk/observability/lease-metrics.ts', ['ObservabilitySettings']],
  ['docs/locked-section.md', 'lib/cdk/section/locked-section-props.ts', ['LockedSectionProps']],
  ['docs/slice-scan.md', 'lib/cdk/scan/slice-scan-props.ts', ['SliceScanProps', 'ScanOutput']],
  ['docs/slice-scan.md', 'lib/cdk/scan/scan-schedule.ts', ['ScanSchedule', 'ScanInput']],
  ['docs/slice-scan.md', 'lib/cdk/scan/processor-bundle.ts', ['ProcessorBundleOptions']],
  ['docs/deploying.md', 'lib/cdk/stack/leasehold-stack-props.ts', ['LeaseholdStackProps']],
];

describe.each(pages)('%s', (page, file, interfaces) => {
  it.each(interfaces)('shows every property of %s with its default, as the docstrings say', (name) => {
    expect(rowsOf(page, name)).toEqual(propsOf(file, name));
  });
});
