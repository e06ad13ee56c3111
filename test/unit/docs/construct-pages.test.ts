import { describe, expect, it } from 'vitest';
import { propsOf, rowsOf } from '../../support/docs/construct-pages.js';

/** Each construct's page, the file of its properties, and the interfaces in it that the page shows. */
const pages: readonly (readonly [page: string, file: string, interfaces: readonly string[]])[] = [
  [
    'docs/reference/lease-table.md',
    'lib/cdk/table/lease-table-props.ts',
    [
      'LeaseTableProps',
      'LeaseTableReplicas',
      'LeaseSweeperProps',
      'LockScope',
      'UseGrantProps',
      'ExistingLeaseTableProps',
    ],
  ],
  ['docs/reference/permissions.md', 'lib/cdk/functions/function-settings.ts', ['FunctionSettings']],
  ['docs/guides/observability.md', 'lib/cdk/observability/lease-metrics.ts', ['ObservabilitySettings']],
  ['docs/guides/observability.md', 'lib/cdk/observability/observed-parts.ts', ['ObservedProps']],
  [
    'docs/guides/observability.md',
    'lib/cdk/observability/leasehold-dashboard.ts',
    ['LeaseholdDashboardProps'],
  ],
  [
    'docs/guides/observability.md',
    'lib/cdk/observability/leasehold-alarms.ts',
    ['LeaseholdAlarmsProps', 'AlarmThresholds'],
  ],
  ['docs/guides/observability.md', 'lib/lambda/observability/observed.ts', ['ObservedOptions']],
  ['docs/guides/lambda.md', 'lib/lambda/with-locked-handler.ts', ['LockedHandlerOptions']],
  ['docs/reference/lock-service.md', 'lib/cdk/service/lock-service-function.ts', ['LockServiceProps']],
  ['docs/reference/lock-service.md', 'lib/cdk/observability/lease-metrics.ts', ['ObservabilitySettings']],
  ['docs/guides/step-functions.md', 'lib/cdk/section/locked-section-props.ts', ['LockedSectionProps']],
  ['docs/guides/scans.md', 'lib/cdk/scan/slice-scan-props.ts', ['SliceScanProps', 'ScanOutput']],
  ['docs/guides/scans.md', 'lib/cdk/scan/slice-scan-props.ts', ['ScanSchedule', 'ScanInput']],
  ['docs/guides/scans.md', 'lib/cdk/scan/scan-processor.ts', ['ProcessorBundleOptions']],
  ['docs/guides/deploying.md', 'lib/cdk/stack/leasehold-stack-props.ts', ['LeaseholdStackProps']],
];

describe.each(pages)('%s', (page, file, interfaces) => {
  it.each(interfaces)('shows every property of %s with its default, as the docstrings say', (name) => {
    expect(rowsOf(page, name)).toEqual(propsOf(file, name));
  });
});
