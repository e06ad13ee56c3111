import { CfnParameter, Duration, Fn, Stack, Token } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { DefinitionBody, Pass, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { describe, expect, it, vi } from 'vitest';
import {
  LeaseholdAlarms,
  LeaseholdDashboard,
  LeaseholdStack,
  LeaseTable,
  LockedSection,
  LockService,
  ScanProcessor,
  SliceScan,
} from '../../../lib/cdk/index.js';
import { appAsDeployed } from '../../support/cdk/synthesize.js';
import { propsOf } from '../../support/docs/construct-pages.js';
import { size } from '../../support/size.js';

vi.setConfig({ testTimeout: 240_000 });

/**
 * What a CloudFormation parameter can be to a property.
 *
 * @param of tells the parameters of several properties apart
 */
const tokens = (of = '') => {
  const number = Token.asNumber({ Ref: `Number${of}` });
  return {
    text: Token.asString({ Ref: `Text${of}` }),
    number,
    list: Token.asList({ Ref: `List${of}` }),
    texts: [Fn.importValue(`one${of}`), Fn.importValue(`two${of}`)],
    seconds: Duration.seconds(number),
    millis: Duration.millis(number),
    minutes: Duration.minutes(number),
    // No type lets these through, but JavaScript does.
    flag: Token.asAny({ Ref: `Text${of}` }) as never,
  };
};
const parameters = { Text: 'String', Number: 'Number', List: 'CommaDelimitedList' };
type Tokens = ReturnType<typeof tokens>;

/** Properties that are other constructs, classes of CDK, or code: nothing that a parameter could be. */
type Case = readonly [name: string, value: (all: Tokens) => unknown, outcome: 'passes' | 'is refused'];
interface Table {
  readonly file: string;
  readonly interfaces: readonly string[];
  readonly build: (stack: Stack, props: never) => unknown;
  readonly cases: readonly Case[];
  readonly objects: readonly string[];
  readonly path?: string;
  /** It takes long to build: in the short form what passes is tried at once, but for what does not go with the others. */
  readonly together?: { readonly but: readonly string[] };
}

const flags = (...names: string[]): Case[] => names.map((name) => [name, ({ flag }) => flag, 'is refused']);
const bucket = (stack: Stack) => Bucket.fromBucketName(stack, 'Bucket', 'data');
const functionSettings = ['runtime', 'architecture', 'vpc', 'vpcSubnets', 'securityGroups'];
const ofFunctions: readonly Case[] = [
  ['logRetention', ({ number }) => number, 'passes'],
  ['environment', ({ text }) => ({ PROXY: text }), 'passes'],
];

const tables: Readonly<Record<string, Table>> = {
  LeaseTable: {
    file: 'lib/cdk/table/lease-table-props.ts',
    interfaces: ['LeaseTableProps'],
    build: (stack, props) => new LeaseTable(stack, 'It', props),
    cases: [
      ['tableName', ({ text }) => text, 'passes'],
      ...flags('pointInTimeRecovery', 'deletionProtection', 'removalPolicy', 'contributorInsights'),
    ],
    objects: ['encryption', 'replicas', 'sweeper'],
  },
  'replicas of a LeaseTable': {
    file: 'lib/cdk/table/lease-table-props.ts',
    interfaces: ['LeaseTableReplicas'],
    build: (stack, replicas) =>
      new LeaseTable(stack, 'It', {
        replicas: { regions: ['eu-west-1', 'eu-west-2'], ...(replicas as object) },
      }),
    cases: [
      ['regions', ({ list }) => list, 'is refused'],
      ['regions', ({ texts }) => texts, 'is refused'],
      ['witness', ({ text }) => text, 'is refused'],
      ['consistency', ({ text }) => text, 'is refused'],
    ],
    objects: [],
    path: 'replicas.',
  },
  'sweeper of a LeaseTable': {
    file: 'lib/cdk/table/lease-table-props.ts',
    interfaces: ['LeaseSweeperProps'],
    build: (stack, sweeper) =>
      new LeaseTable(stack, 'It', { replicas: { regions: ['eu-west-1', 'eu-west-2'] }, sweeper }),
    cases: [
      ['every', ({ minutes }) => minutes, 'is refused'],
      ['deletesPerSecond', ({ number }) => number, 'passes'],
    ],
    objects: [],
    path: 'sweeper.',
  },
  'an existing LeaseTable': {
    file: 'lib/cdk/table/lease-table-props.ts',
    interfaces: ['ExistingLeaseTableProps'],
    build: (stack, props) =>
      new LockService(stack, 'Locks', { leases: LeaseTable.fromTableAttributes(stack, 'It', props) }),
    cases: [
      ['tableName', ({ text }) => text, 'passes'],
      ['tableArn', ({ text }) => text, 'passes'],
    ],
    objects: ['encryptionKey'],
  },
  'a grant': {
    file: 'lib/cdk/table/lease-table-props.ts',
    interfaces: ['LockScope', 'UseGrantProps'],
    build: (stack, scope) =>
      new LeaseTable(stack, 'It').grantUse(new LockService(stack, 'Locks').function, scope),
    cases: [
      ['names', ({ list }) => list, 'passes'],
      ['names', ({ texts }) => texts, 'passes'],
      ['groups', ({ list }) => list, 'passes'],
      ['groups', ({ texts }) => texts, 'passes'],
      ...(['semaphores', 'readWriteLocks', 'fairLocks'] as const).flatMap((name): Case[] => [
        [name, ({ list }) => list, 'is refused'],
        [name, ({ texts }) => texts, 'passes'],
      ]),
      ...flags('scans', 'heldChecks'),
    ],
    objects: [],
  },
  LockService: {
    file: 'lib/cdk/service/lock-service-function.ts',
    interfaces: ['LockServiceProps'],
    build: (stack, props) => new LockService(stack, 'It', { operators: true, ...(props as object) }),
    cases: [
      ['names', ({ list }) => list, 'passes'],
      ['names', ({ texts }) => texts, 'passes'],
      ['groups', ({ list }) => list, 'passes'],
      ['operators', ({ flag }) => flag, 'is refused'],
      ['watchExecutions', ({ list }) => list, 'is refused'],
      ['watchExecutions', ({ texts }) => texts, 'passes'],
      ['maxLease', ({ millis }) => millis, 'passes'],
      ['maxLease', ({ seconds }) => seconds, 'is refused'],
      ['functionName', ({ text }) => text, 'passes'],
      ['reservedConcurrency', ({ number }) => number, 'passes'],
      ['timeout', ({ seconds }) => seconds, 'passes'],
      ['timeout', ({ minutes }) => minutes, 'is refused'],
      ['memoryMb', ({ number }) => number, 'passes'],
      ...ofFunctions,
      ...flags('functionUrl', 'removalPolicy'),
    ],
    objects: ['leases'],
  },
  'what LockService tells of itself': {
    file: 'lib/cdk/observability/lease-metrics.ts',
    interfaces: ['ObservabilitySettings'],
    build: (stack, props) => new LockService(stack, 'It', props),
    cases: [['serviceName', ({ text }) => text, 'passes'], ...flags('logs', 'metrics', 'tracing')],
    objects: [],
  },
  'the functions’ settings': {
    file: 'lib/cdk/functions/function-settings.ts',
    interfaces: ['FunctionSettings'],
    build: (stack, props) => new LockService(stack, 'It', props),
    cases: [...ofFunctions, ['environment', ({ flag }) => flag, 'is refused']],
    objects: functionSettings,
  },
  LockedSection: {
    file: 'lib/cdk/section/locked-section-props.ts',
    interfaces: ['LockedSectionProps'],
    build: (stack, props) => {
      const service = new LockService(stack, 'Locks');
      const states = new Pass(stack, 'Work');
      const section = new LockedSection(stack, 'It', { service, name: 'a', states, ...(props as object) });
      const machine = new StateMachine(stack, 'Machine', {
        definitionBody: DefinitionBody.fromChainable(section),
      });
      service.watchExecutions(machine);
    },
    cases: [
      ['name', ({ text }) => text, 'passes'],
      ['lockPath', ({ text }) => text, 'is refused'],
      ['whenHeld', ({ text }) => text, 'is refused'],
      ['waitFor', ({ seconds }) => seconds, 'is refused'],
      ['timeout', ({ millis }) => millis, 'passes'],
      ['timeout', ({ seconds }) => seconds, 'is refused'],
      ['minHold', ({ millis }) => millis, 'passes'],
      ['minHold', ({ seconds }) => seconds, 'is refused'],
      ['lockDelay', ({ millis }) => millis, 'passes'],
      ['lockDelay', ({ seconds }) => seconds, 'is refused'],
      ['whenLost', ({ text }) => text, 'is refused'],
    ],
    objects: ['service', 'states'],
  },
  SliceScan: {
    file: 'lib/cdk/scan/slice-scan-props.ts',
    interfaces: ['SliceScanProps'],
    build: (stack, props) => new SliceScan(stack, 'It', { bucket: bucket(stack), ...(props as object) }),
    together: { but: [] },
    cases: [
      ['bucket', ({ text }) => ({ text }), 'passes'],
      ['prefix', ({ text }) => text, 'passes'],
      ['seats', ({ number }) => number, 'passes'],
      ['slices', ({ number }) => number, 'passes'],
      ['maxConcurrency', ({ number }) => number, 'passes'],
      ['reservedConcurrency', ({ number }) => number, 'passes'],
      ['maxRounds', ({ number }) => number, 'passes'],
      ['roundPause', ({ seconds }) => seconds, 'passes'],
      ['roundPause', ({ minutes }) => minutes, 'is refused'],
      ['timeout', ({ seconds }) => seconds, 'passes'],
      ['timeout', ({ minutes }) => minutes, 'is refused'],
      ['lease', ({ millis }) => millis, 'passes'],
      ['lease', ({ seconds }) => seconds, 'is refused'],
      ['workTimeout', ({ seconds }) => seconds, 'passes'],
      ['workTimeout', ({ minutes }) => minutes, 'is refused'],
      ['workMemoryMb', ({ number }) => number, 'passes'],
      ['serviceName', ({ text }) => text, 'passes'],
      ...ofFunctions,
      ...flags('readObjects', 'requesterPays', 'logs', 'metrics', 'tracing', 'logLevel', 'removalPolicy'),
    ],
    objects: ['leases', 'output', 'ledger', 'processor', 'schedule', 'encryptionKey'],
  },
  'output of a SliceScan': {
    file: 'lib/cdk/scan/slice-scan-props.ts',
    interfaces: ['ScanOutput'],
    build: (stack, output) => {
      const data = bucket(stack);
      return new SliceScan(stack, 'It', {
        bucket: data,
        prefix: 'in/',
        output: { bucket: data, ...(output as { prefix: string }) },
      });
    },
    cases: [['prefix', ({ text }) => text, 'passes']],
    objects: ['bucket'],
  },
  'schedule of a SliceScan': {
    file: 'lib/cdk/scan/slice-scan-props.ts',
    interfaces: ['ScanSchedule'],
    build: (stack, schedule) => {
      const expression = ScheduleExpression.expression('rate(1 day)');
      return new SliceScan(stack, 'It', {
        bucket: bucket(stack),
        schedule: { expression, ...(schedule as object) },
      });
    },
    cases: [['expression', ({ text }) => ScheduleExpression.expression(text), 'passes'], ...flags('enabled')],
    objects: ['input', 'timeWindow'],
    path: 'schedule.',
  },
  'input of a schedule': {
    file: 'lib/cdk/scan/slice-scan-props.ts',
    interfaces: ['ScanInput'],
    build: (stack, input) => {
      const expression = ScheduleExpression.expression('rate(1 day)');
      return new SliceScan(stack, 'It', { bucket: bucket(stack), schedule: { expression, input } });
    },
    cases: [
      ['prefix', ({ text }) => text, 'passes'],
      ['seats', ({ number }) => number, 'passes'],
      ['slices', ({ number }) => number, 'passes'],
      ['pageSize', ({ number }) => number, 'passes'],
      ['cuts', ({ list }) => list, 'is refused'],
      ['cuts', ({ texts }) => texts, 'passes'],
    ],
    objects: [],
    path: 'schedule.input.',
  },
  'bundling of a processor': {
    file: 'lib/cdk/scan/scan-processor.ts',
    interfaces: ['ProcessorBundleOptions'],
    build: (_stack, options) => ScanProcessor.fromEntry('package.json', options),
    cases: [['external', ({ list }) => list, 'is refused'], ...flags('minify')],
    objects: [],
    path: 'ScanProcessor.fromEntry: ',
  },
  LeaseholdAlarms: {
    file: 'lib/cdk/observability/leasehold-alarms.ts',
    interfaces: ['LeaseholdAlarmsProps'],
    build: (stack, props) => new LeaseholdAlarms(stack, 'It', props),
    cases: [
      ['thresholds', ({ number }) => ({ lostLeases: number, longWaits: number }), 'passes'],
      ['topicArns', ({ texts }) => texts, 'passes'],
      ['topicArns', ({ list }) => list, 'is refused'],
      ['tellWhenOver', ({ flag }) => flag, 'is refused'],
      ['period', ({ seconds }) => seconds, 'is refused'],
    ],
    objects: ['actions'],
  },
  'what is watched': {
    file: 'lib/cdk/observability/observed-parts.ts',
    interfaces: ['ObservedProps'],
    build: (stack, props) => [
      new LeaseholdAlarms(stack, 'It', props),
      new LeaseholdDashboard(stack, 'Board', props),
    ],
    cases: [
      ['serviceNames', ({ texts }) => texts, 'passes'],
      ['serviceNames', ({ list }) => list, 'is refused'],
    ],
    objects: ['leases', 'lockServices', 'scans', 'functions'],
  },
  LeaseholdDashboard: {
    file: 'lib/cdk/observability/leasehold-dashboard.ts',
    interfaces: ['LeaseholdDashboardProps'],
    build: (stack, props) => new LeaseholdDashboard(stack, 'It', props),
    cases: [
      ['dashboardName', ({ text }) => text, 'passes'],
      ['period', ({ seconds }) => seconds, 'is refused'],
      ['defaultInterval', ({ seconds }) => seconds, 'is refused'],
    ],
    objects: ['alarms'],
  },
  LeaseholdStack: {
    file: 'lib/cdk/stack/leasehold-stack-props.ts',
    interfaces: ['LeaseholdStackProps'],
    build: (_stack, props) =>
      new LeaseholdStack(appAsDeployed(), 'It', { bucketName: 'data', ...(props as object) }),
    together: { but: ['lockNames'] },
    cases: [
      ...['tableName', 'bucketName', 'prefix', 'outputBucketName', 'schedule', 'alarmTopicArn'].map(
        (name): Case => [name, ({ text }) => text, 'passes'],
      ),
      ...['seats', 'slices', 'leaseMs', 'maxConcurrency', 'reservedConcurrency', 'lockConcurrency'].map(
        (name): Case => [name, ({ number }) => number, 'passes'],
      ),
      ['lockNames', ({ list }) => list, 'passes'],
      ['watchExecutions', ({ texts }) => texts, 'passes'],
      ['watchExecutions', ({ list }) => list, 'is refused'],
      ...flags('keep', 'lockService', 'operators', 'functionUrl', 'bucketParameter', 'readObjects'),
      ...flags('requesterPays', 'dashboard', 'alarms', 'logs', 'metrics', 'tracing'),
    ],
    objects: ['outputPrefix'],
  },
};

const stackOf = () => new Stack(appAsDeployed(), 'Test', { env: { region: 'eu-central-1' } });

describe.each(Object.entries(tables))(
  'D28: %s',
  (_, { file, interfaces, build, cases, objects, path = '', together }) => {
    it('every property is here', () => {
      const known = new Set([...cases.map(([name]) => name), ...objects]);
      const all = interfaces.flatMap((one) => propsOf(file, one)).map(({ name }) => name);
      expect(all.filter((name) => !known.has(name))).toEqual([]);
    });

    const isTogether = ([name, , outcome]: Case) =>
      size === 'short' && together !== undefined && outcome === 'passes' && !together.but.includes(name);
    const passing = cases.filter(isTogether);
    it.each(cases.filter((one) => !isTogether(one)))(
      '%s that only deployment knows (%s) %s',
      (name, value, outcome) => {
        const stack = stackOf();
        const props = toProps(stack, [[name, value, outcome]], () => tokens());
        if (outcome === 'is refused') {
          expect(() => build(stack, props as never)).toThrow(new RegExp(`^${path}${name}: `));
          return;
        }
        const template = toTemplate(stack, build(stack, props as never), props);
        expect(template).toMatch(/"Ref":"(Text|Number|List)"|Fn::ImportValue|reference(to|To)/);
      },
    );

    if (passing.length === 0) return;
    it('what only deployment knows passes, of all properties that it may be', () => {
      const stack = stackOf();
      const props = toProps(stack, passing, tokens);
      const template = toTemplate(stack, build(stack, props as never), props);
      const missing = passing.filter(
        ([name]) =>
          !new RegExp(
            `"Ref":"(Text|Number|List)${name}"|reference[tT]o(Text|Number|List)${name}|"Fn::ImportValue":"one${name}"`,
          ).test(template),
      );
      expect(missing.map(([name]) => name)).toEqual([]);
    });
  },
);

/** The properties of these cases. */
function toProps(
  stack: Stack,
  cases: readonly Case[],
  tokensOf: (name: string) => Tokens,
): Record<string, unknown> {
  return Object.fromEntries(
    cases.map(([name, value]) => {
      const given = value(tokensOf(name));
      const isBucket = name === 'bucket';
      return [
        name,
        isBucket ? Bucket.fromBucketName(stack, 'Other', (given as { text: string }).text) : given,
      ];
    }),
  );
}

/** The template of what was built, with the parameters that it asks for. */
function toTemplate(stack: Stack, made: unknown, props: Record<string, unknown>): string {
  const whole = made instanceof Stack ? made : stack;
  const { bucket: other, ...rest } = props as { bucket?: { bucketName: string } };
  const used = JSON.stringify(whole.resolve([rest, other?.bucketName]));
  for (const [, id, type] of used.matchAll(/"Ref":"((Text|Number|List)\w*)"/g)) {
    if (!whole.node.tryFindChild(id!))
      new CfnParameter(whole, id!, { type: parameters[type as keyof typeof parameters] });
  }
  const template = JSON.stringify(Template.fromStack(whole).toJSON());
  // A token that was handled as what it looks like.
  expect(template).not.toMatch(/\$\{Token\[|#\{Token\[|e\+2\d\d\b/);
  return template;
}
