import { Duration } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { expect, it } from 'vitest';
import {
  LeaseholdAlarms,
  LeaseholdDashboard,
  type LeaseholdDashboardProps,
  LeaseTable,
  LockService,
  SliceScan,
} from '../../../lib/cdk/index.js';
import { dashboardBody } from '../../support/cdk/dashboard-body.js';
import { emptyStack } from '../../support/cdk/synthesize.js';

const titles = ({ widgets }: ReturnType<typeof dashboardBody>) =>
  widgets.map(({ properties }) => properties.title ?? properties.markdown?.split('\n')[0]);

function toErrorBody(props: LeaseholdDashboardProps = {}, stack = emptyStack()) {
  new LeaseholdDashboard(stack, 'Dashboard', props);
  return dashboardBody(Template.fromStack(stack));
}

it('shows locks alone where there is nothing else', () => {
  expect(titles(toErrorBody())).toEqual([
    '# Leasehold',
    'Grants and refusals',
    'Waits until granted',
    'Hold times',
    'Waits for permits',
    'Length of lines',
    'Leaders',
    'Leases lost, by reason',
    'Refused and failed writes',
    'Throttles',
  ]);
});

it('shows scans, functions, the table and the alarms that it is given', () => {
  const stack = emptyStack();
  const leases = new LeaseTable(stack, 'Leases');
  const bucket = Bucket.fromBucketName(stack, 'Bucket', 'data');
  const scans = [new SliceScan(stack, 'Scan', { leases, bucket })];
  const lockServices = [new LockService(stack, 'Locks', { leases })];
  const alarms = new LeaseholdAlarms(stack, 'Alarms', { scans, lockServices });
  const body = toErrorBody({ leases, scans, lockServices, alarms }, stack);
  expect(titles(body)).toEqual([
    '# Leasehold',
    'Alarms',
    'Grants and refusals',
    'Waits until granted',
    'Hold times',
    'Waits for permits',
    'Length of lines',
    'Leaders',
    'Leases lost, by reason',
    'Refused and failed writes',
    'Throttles',
    'Slices by state',
    'Runs',
    'Errors and throttles of functions',
    'Duration of functions, p99',
    'Table: units used, writes refused by their condition',
    'Table: how long a write takes',
  ]);
  const shown = body.widgets.find(({ type }) => type === 'alarm')!.properties.alarms;
  expect(shown).toHaveLength(alarms.all.length);
});

it('tells several services apart', () => {
  const { widgets } = toErrorBody({ serviceNames: ['a', 'b'] });
  const [grants] = widgets.filter(({ properties }) => properties.title === 'Grants and refusals');
  const labels = grants!.properties.metrics!.map((entry) => (entry.at(-1) as { label?: string }).label);
  expect(labels).toEqual([
    'a: granted',
    'b: granted',
    'a: found held',
    'b: found held',
    'a: taken over',
    'b: taken over',
  ]);
});

it('has the name and the period that it is told', () => {
  const stack = emptyStack();
  const body = toErrorBody(
    { dashboardName: 'locks', period: Duration.minutes(1), defaultInterval: Duration.days(1) },
    stack,
  );
  Template.fromStack(stack).hasResourceProperties('AWS::CloudWatch::Dashboard', { DashboardName: 'locks' });
  expect(body.start).toBe('-P1D');
  const periods = body.widgets.flatMap(({ properties }) =>
    (properties.metrics ?? []).map((entry) => (entry.at(-1) as { period?: number }).period),
  );
  expect(new Set(periods)).toEqual(new Set([60]));
});
