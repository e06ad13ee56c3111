import { CfnParameter, Duration, RemovalPolicy, type Stack, Token } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Runtime } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { DefinitionBody, JsonPath, Pass, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { describe, expect, it } from 'vitest';
import {
  LeaseholdStack,
  LeaseTable,
  LockedSection,
  LockService,
  type LockServiceProps,
} from '../../../lib/cdk/index.js';
import { lineName } from '../../../lib/kit/line-store.js';
import { hashless } from '../../support/cdk/hashless.js';
import { nagFindings } from '../../support/cdk/nag.js';
import { appAsDeployed, emptyStack, statementsOf } from '../../support/cdk/synthesize.js';

interface Made {
  readonly stack: Stack;
  readonly service: LockService;
  readonly template: () => Template;
}

function made(props: LockServiceProps = {}): Made {
  const stack = emptyStack();
  const service = new LockService(stack, 'Locks', props);
  return { stack, service, template: () => Template.fromStack(stack) };
}

interface PolicyStatement {
  readonly Action: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

/** All statements of the policies whose ids begin so. */
function allStatements(template: Template, policyPrefix: string): readonly PolicyStatement[] {
  return Object.entries(template.findResources('AWS::IAM::Policy'))
    .filter(([id]) => id.startsWith(policyPrefix))
    .flatMap(([, policy]) => policy.Properties.PolicyDocument.Statement as PolicyStatement[]);
}

/** The environments of all functions, by what they are for. */
function environments(template: Template): Record<string, Record<string, unknown>> {
  return Object.fromEntries(
    Object.values(template.findResources('AWS::Lambda::Function')).map(({ Properties: one }) => [
      one.Description,
      one.Environment.Variables,
    ]),
  );
}

const caller = (stack: Stack) =>
  new Role(stack, 'Caller', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
const machineIn = (stack: Stack, id = 'Machine') =>
  new StateMachine(stack, id, { definitionBody: DefinitionBody.fromChainable(new Pass(stack, `${id}Pass`)) });

describe('by default', () => {
  const template = made().template();

  it('is one function from the bundle, over a table of its own', () => {
    template.resourceCountIs('AWS::Lambda::Function', 1);
    template.resourceCountIs('AWS::DynamoDB::GlobalTable', 1);
    template.hasResourceProperties('AWS::Lambda::Function', {
      Handler: 'lock-service/index.handler',
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      MemorySize: 512,
      Timeout: 10,
      FunctionName: Match.absent(),
      ReservedConcurrentExecutions: Match.absent(),
      TracingConfig: Match.absent(),
    });
  });

  it('tells the function its table, and that it is the callers’', () => {
    expect(environments(template)).toEqual({
      'Leasehold: locks, for callers': {
        LEASEHOLD_TABLE: { Ref: expect.stringMatching(/^LocksLeasesTable/) },
        LEASEHOLD_OPERATIONS: 'use',
        LEASEHOLD_LOGS: 'on',
        LEASEHOLD_METRICS: 'on',
        LEASEHOLD_TRACING: 'off',
        POWERTOOLS_SERVICE_NAME: 'leasehold',
      },
    });
  });

  it('keeps logs and table', () => {
    template.allResources('AWS::Logs::LogGroup', {
      DeletionPolicy: 'RetainExceptOnCreate',
      Properties: { RetentionInDays: 30 },
    });
    template.allResources('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Retain' });
  });

  it('has no address, no queue, no rule', () => {
    for (const type of ['AWS::Lambda::Url', 'AWS::SQS::Queue', 'AWS::Events::Rule']) {
      template.resourceCountIs(type, 0);
    }
  });
});

it('can be told otherwise', () => {
  const template = made({
    operators: true,
    functionName: 'locks',
    reservedConcurrency: 20,
    timeout: Duration.seconds(20),
    memoryMb: 1_024,
    maxLease: Duration.hours(1),
    runtime: Runtime.NODEJS_22_X,
    architecture: Architecture.X86_64,
    logs: false,
    metrics: false,
    tracing: true,
    serviceName: 'settlement-locks',
    logRetention: RetentionDays.ONE_WEEK,
    removalPolicy: RemovalPolicy.DESTROY,
  }).template();
  template.resourceCountIs('AWS::Lambda::Function', 2);
  template.allResourcesProperties('AWS::Lambda::Function', {
    Runtime: 'nodejs22.x',
    Architectures: ['x86_64'],
    MemorySize: 1_024,
    Timeout: 20,
    TracingConfig: { Mode: 'Active' },
    Environment: {
      Variables: {
        LEASEHOLD_MAX_LEASE_MS: '3600000',
        LEASEHOLD_LOGS: 'off',
        LEASEHOLD_METRICS: 'off',
        LEASEHOLD_TRACING: 'on',
        POWERTOOLS_SERVICE_NAME: 'settlement-locks',
      },
    },
  });
  template.hasResourceProperties('AWS::Lambda::Function', {
    FunctionName: 'locks',
    ReservedConcurrentExecutions: 20,
  });
  // Callers who use up what was reserved do not keep operators out.
  template.hasResourceProperties('AWS::Lambda::Function', {
    FunctionName: 'locks-operators',
    ReservedConcurrentExecutions: Match.absent(),
  });
  template.allResources('AWS::Logs::LogGroup', {
    DeletionPolicy: 'Delete',
    Properties: { RetentionInDays: 7 },
  });
  template.allResources('AWS::DynamoDB::GlobalTable', {
    DeletionPolicy: 'Delete',
    Properties: { Replicas: [Match.objectLike({ DeletionProtectionEnabled: false })] },
  });
});

it('with all that it can have is what it was', () => {
  const { stack, service, template } = made({
    names: ['settlement/*'],
    groups: ['night/*'],
    operators: true,
    functionUrl: true,
  });
  service.watchExecutions(machineIn(stack));
  expect(hashless(template())).toMatchSnapshot();
});

it('takes a table that is there', () => {
  const stack = emptyStack();
  const leases = new LeaseTable(stack, 'Shared');
  const service = new LockService(stack, 'Locks', { leases });
  expect(service.leases).toBe(leases);
  Template.fromStack(stack).resourceCountIs('AWS::DynamoDB::GlobalTable', 1);
});

describe('names', () => {
  const names = ['settlement/*', 'report'];

  it('are told to all functions, and limit the roles', () => {
    const { stack, service, template } = made({ names, operators: true });
    service.watchExecutions(machineIn(stack));
    for (const environment of Object.values(environments(template()))) {
      expect(JSON.parse(environment.LEASEHOLD_NAMES as string)).toEqual(names);
    }
    for (const role of ['LocksServiceRole', 'LocksOperatorsRole', 'LocksExecutionsRole']) {
      const written = allStatements(template(), role)
        .filter(({ Action }) => [Action].flat().includes('dynamodb:UpdateItem'))
        .flatMap(({ Condition }) => Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys']);
      // What an execution holds is noted in an item of its own; the end of executions reaches it in the same statement.
      // Callers may wait in line for what they may lock; the end of executions joins no line.
      const lines = role === 'LocksExecutionsRole' ? [] : [lineName('report')];
      expect(new Set(written)).toEqual(new Set([...names, ...lines, 'execution/*']));
    }
  });

  it('D28: reach the names of a list that only deployment knows, also in batches, and no line by itself', () => {
    const names = Token.asList({ Ref: 'Names' });
    const { stack, template } = made({ names, operators: true });
    new CfnParameter(stack, 'Names', { type: 'CommaDelimitedList' });
    for (const role of ['LocksServiceRole', 'LocksOperatorsRole']) {
      const statements = allStatements(template(), role).filter(({ Action }) =>
        Action.includes('dynamodb:UpdateItem'),
      );
      expect(statements.length).toBeGreaterThan(0);
      for (const { Condition } of statements) {
        expect(Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys']).toEqual({ Ref: 'Names' });
      }
      expect(statements.flatMap(({ Action }) => Action)).toContain('dynamodb:BatchGetItem');
    }
  });

  it('D28: a list that only deployment knows is refused where executions are watched', () => {
    const names = Token.asList({ Ref: 'Names' });
    const { stack, service } = made({ names });
    expect(() => service.watchExecutions(machineIn(stack))).toThrow(/^names: must be known/);
    const lockNames = names;
    const watchExecutions = ['arn:aws:states:eu-central-1:111122223333:stateMachine:settle-*'];
    expect(() => new LeaseholdStack(appAsDeployed(), 'It', { lockNames, watchExecutions })).toThrow(
      /^lockNames: must be known/,
    );
  });

  it.each([
    [{ names: [] }, 'names: must be a list'],
    [{ names: ['*'] }, 'names: "*" alone is every name'],
    [{ names: ['a*b'] }, 'names: a "*" may stand only at the end'],
    [{ groups: ['a*b'] }, 'groups: a "*" may stand only at the end'],
    [{ maxLease: Duration.millis(10) }, 'maxLease: must be from 1 second to 366 days, got 10 millis'],
    [{ maxLease: Duration.days(400) }, 'maxLease: must be from 1 second to 366 days, got 400 days'],
    [{ timeout: Duration.seconds(1) }, 'timeout: must be from 3 seconds to 15 minutes, got 1 second'],
    [{ reservedConcurrency: 0 }, 'reservedConcurrency: must be a whole number, at least 1, got 0'],
    [{ reservedConcurrency: 1.5 }, 'reservedConcurrency: must be a whole number, at least 1, got 1.5'],
    [{ watchExecutions: ['Machine'] }, 'watchExecutions: must be state machines, or their ARNs'],
  ])('%j is refused', (props, message) => {
    expect(() => made(props)).toThrow(message);
  });
});

describe('who may call', () => {
  it('grantInvoke allows the callers’ function only', () => {
    const { stack, service, template } = made({ operators: true });
    service.grantInvoke(caller(stack));
    expect(resourcesOf(template())).toEqual({ 'lambda:InvokeFunction': [/^LocksServiceFunction/] });
  });

  it('grantOperate allows the operators’ only', () => {
    const { stack, service, template } = made({ operators: true });
    service.grantOperate(caller(stack));
    expect(resourcesOf(template())).toEqual({ 'lambda:InvokeFunction': [/^LocksOperatorsFunction/] });
  });

  it('without an operators’ function there is nothing to grant', () => {
    const { stack, service } = made();
    const role = caller(stack);
    expect(() => service.grantOperate(role)).toThrow(
      'Test/Locks: grantOperate() needs the option operators: true',
    );
    expect(() => service.grantInvokeUrl(role)).toThrow(
      'Test/Locks: grantInvokeUrl() needs the option functionUrl: true',
    );
  });

  it('an address demands a signature', () => {
    const { stack, service, template } = made({ functionUrl: true });
    service.grantInvokeUrl(caller(stack));
    template().allResourcesProperties('AWS::Lambda::Url', { AuthType: 'AWS_IAM' });
    template().resourceCountIs('AWS::Lambda::Permission', 0);
    expect(Object.keys(statementsOf(template(), 'Caller'))).toEqual(
      expect.arrayContaining(['lambda:InvokeFunctionUrl']),
    );
  });

  it.each([
    ['ARN', 'arn:aws:lambda:eu-central-1:111122223333:function:locks'],
    ['name', 'locks'],
  ])('a service elsewhere is known by its %s', (kind, value) => {
    const stack = emptyStack();
    const from = kind === 'ARN' ? LockService.fromFunctionArn : LockService.fromFunctionName;
    const service = from(stack, 'Locks', value);
    service.grantInvoke(caller(stack));
    const [statement] = Object.values(statementsOf(Template.fromStack(stack), 'Caller'));
    expect(JSON.stringify(statement)).toContain('function:locks');
  });

  /** The functions that the caller's role names, by action, as patterns of their logical ids. */
  function resourcesOf(template: Template): Record<string, RegExp[]> {
    return Object.fromEntries(
      Object.entries(statementsOf(template, 'Caller')).map(([action, { Resource }]) => {
        const text = JSON.stringify(Resource);
        const found = ['LocksServiceFunction', 'LocksOperatorsFunction', 'LocksExecutionsFunction'];
        return [action, found.filter((id) => text.includes(id)).map((id) => new RegExp(`^${id}`))];
      }),
    );
  }
});

describe('watched executions', () => {
  it('a function that nobody else may invoke is told of their ends', () => {
    const { stack, service, template } = made({ operators: true });
    service.watchExecutions(machineIn(stack));
    service.grantInvoke(caller(stack));
    service.grantOperate(caller2(stack));
    expect(environments(template())['Leasehold: frees what an execution held when it ends']).toMatchObject({
      LEASEHOLD_OPERATIONS: 'use',
    });
    template().resourceCountIs('AWS::Lambda::Permission', 1);
    template().hasResourceProperties('AWS::Lambda::Permission', {
      Action: 'lambda:InvokeFunction',
      Principal: 'events.amazonaws.com',
      FunctionName: { 'Fn::GetAtt': [Match.stringLikeRegexp('^LocksExecutionsFunction'), 'Arn'] },
      SourceArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^LocksWatchedEnds'), 'Arn'] },
    });
    const policies = JSON.stringify([statementsOf(template(), 'Caller'), statementsOf(template(), 'Second')]);
    expect(policies).not.toContain('LocksExecutionsFunction');
  });

  it('the rule knows each machine and what a Distributed Map of it starts', () => {
    const machine = { 'Fn::GetAtt': undefined, Ref: Match.stringLikeRegexp('^Machine') };
    const { stack, service, template } = made({
      watchExecutions: ['arn:aws:states:eu-central-1:111122223333:stateMachine:settle-*'],
    });
    service.watchExecutions(machineIn(stack));
    template().resourceCountIs('AWS::Events::Rule', 1);
    template().hasResourceProperties('AWS::Events::Rule', {
      EventPattern: {
        source: ['aws.states'],
        'detail-type': ['Step Functions Execution Status Change'],
        detail: {
          status: ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED'],
          stateMachineArn: [
            { prefix: 'arn:aws:states:eu-central-1:111122223333:stateMachine:settle-' },
            { Ref: machine.Ref },
            { prefix: { 'Fn::Join': ['', [{ Ref: machine.Ref }, '/']] } },
          ],
        },
      },
    });
  });

  it('events are tried again, and kept if that does not help', () => {
    const { stack, service, template } = made();
    service.watchExecutions(machineIn(stack));
    const queue = { 'Fn::GetAtt': [Match.stringLikeRegexp('^LocksWatchedUndelivered'), 'Arn'] };
    template().hasResourceProperties('AWS::Events::Rule', {
      Targets: [
        Match.objectLike({
          DeadLetterConfig: { Arn: queue },
          RetryPolicy: { MaximumEventAgeInSeconds: 7_200, MaximumRetryAttempts: 20 },
        }),
      ],
    });
    template().hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      MaximumRetryAttempts: 2,
      DestinationConfig: { OnFailure: { Destination: queue } },
    });
    template().hasResource('AWS::SQS::Queue', {
      DeletionPolicy: 'Retain',
      Properties: { SqsManagedSseEnabled: true, MessageRetentionPeriod: 1_209_600 },
    });
  });

  it('all functions may ask for the status of those executions, and for nothing else', () => {
    const arn = 'arn:aws:states:eu-central-1:111122223333:stateMachine:settle';
    const template = made({ operators: true, watchExecutions: [arn] }).template();
    const [policy] = Object.values(template.findResources('AWS::IAM::Policy')).filter(({ Properties }) =>
      JSON.stringify(Properties).includes('states:'),
    );
    const executions = 'arn:aws:states:eu-central-1:111122223333:execution:settle';
    expect(policy!.Properties.PolicyDocument.Statement).toEqual([
      {
        Effect: 'Allow',
        Action: 'states:DescribeExecution',
        Resource: [`${executions}/*`, `${executions}:*`],
      },
    ]);
    expect(policy!.Properties.Roles).toHaveLength(3);
  });

  it('a machine whose section the service locks can be watched: nothing waits for itself', () => {
    const { stack, service, template } = made();
    const section = new LockedSection(stack, 'Settle', {
      service,
      name: JsonPath.stringAt('$.batch'),
      states: new Pass(stack, 'Work'),
    });
    const definitionBody = DefinitionBody.fromChainable(section);
    service.watchExecutions(new StateMachine(stack, 'Machine', { definitionBody }));
    // The check for cycles is a part of this.
    expect(template).not.toThrow();
  });

  const caller2 = (stack: Stack) =>
    new Role(stack, 'Second', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
});

it('metrics are those of the functions’ service name', () => {
  const { service } = made({ serviceName: 'settlement-locks' });
  const metrics = [
    service.metricGranted(),
    service.metricHeld(),
    service.metricHoldTime(),
    service.metricTakeovers(),
    service.metricLost(),
    service.metricReleasesFailed(),
    service.metricStoreThrottled({ period: Duration.minutes(1) }),
    service.metric('Waited'),
  ];
  for (const { namespace, dimensions } of metrics) {
    expect({ namespace, dimensions }).toEqual({
      namespace: 'Leasehold',
      dimensions: { service: 'settlement-locks' },
    });
  }
  expect(metrics.map(({ metricName, statistic }) => `${metricName} ${statistic}`)).toEqual([
    'Granted Sum',
    'Held Sum',
    'HoldTime p99',
    'Takeover Sum',
    'Lost Sum',
    'ReleaseFailed Sum',
    'StoreThrottled Sum',
    'Waited p99',
  ]);
  expect(metrics[6]!.period.toSeconds()).toBe(60);
});

it('cdk-nag has nothing to say, whatever is switched on', () => {
  const { stack, service } = made({ operators: true, functionUrl: true, tracing: true, names: ['a/*'] });
  service.watchExecutions('arn:aws:states:eu-central-1:111122223333:stateMachine:settle-*');
  service.watchExecutions(machineIn(stack));
  // The machine is not ours.
  expect(nagFindings(stack).filter((finding) => !finding.includes('Test/Machine'))).toEqual([]);
});
