import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import {
  AccountPrincipal,
  ArnPrincipal,
  CfnRole,
  type IGrantable,
  ManagedPolicy,
  PermissionsBoundary,
  Role,
  User,
} from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Architecture, CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { describe, expect, it, vi } from 'vitest';
import {
  LeaseholdAlarms,
  LeaseholdDashboard,
  LeaseholdStack,
  LeaseTable,
  LockService,
  SliceScan,
} from '../../../lib/cdk/index.js';
import { appAsDeployed } from '../../support/cdk/synthesize.js';

vi.setConfig({ testTimeout: 240_000 });

const account = '111122223333';
const region = 'eu-central-1';
const stackOf = (env: { account?: string; region?: string } = { account, region }) =>
  new Stack(appAsDeployed(), 'Test', { env });
const everything = {
  bucketName: 'data',
  outputBucketName: 'out',
  schedule: 'rate(1 day)',
  functionUrl: true,
  watchExecutions: ['arn:aws:states:eu-central-1:111122223333:stateMachine:nightly'],
};
const role = (stack: Stack) => new Role(stack, 'Role', { assumedBy: new AccountPrincipal(account) });
type Resources = Readonly<Record<string, { readonly Type: string; readonly Properties: never }>>;
const resourcesOf = (stack: Stack) => Template.fromStack(stack).toJSON().Resources as Resources;

describe('D25: constructs cut no ARN down to a name', () => {
  const elsewhere = 'arn:aws:dynamodb:eu-west-1:999988887777:table/leases';

  it('the functions of every construct are told the ARN of a table of another account or Region', () => {
    const stack = stackOf();
    const leases = LeaseTable.fromTableArn(stack, 'Leases', elsewhere);
    new LockService(stack, 'Locks', { leases, operators: true, watchExecutions: [machine('a')] });
    new SliceScan(stack, 'Scan', { leases, bucket: Bucket.fromBucketName(stack, 'Data', 'data') });
    Template.fromStack(stack).allResourcesProperties('AWS::Lambda::Function', {
      Environment: { Variables: { LEASEHOLD_TABLE: elsewhere } },
    });
  });

  it('nor do those of a stack that does not know where it will be', () => {
    const stack = new Stack(appAsDeployed(), 'Test');
    new LockService(stack, 'Locks', { leases: LeaseTable.fromTableArn(stack, 'Leases', elsewhere) });
    Template.fromStack(stack).hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: { LEASEHOLD_TABLE: elsewhere } },
    });
  });

  it.each([
    ['region', 'arn:aws:states:eu-west-1:111122223333:stateMachine:a'],
    ['account', 'arn:aws:states:eu-central-1:999988887777:stateMachine:a'],
  ])('executions of another %s are refused: nobody would tell of their ends', (part, arn) => {
    const stack = stackOf();
    const watching = (one: Parameters<LockService['watchExecutions']>[0]) => () =>
      new LockService(stack, `Locks${stack.node.children.length}`, { watchExecutions: [one] });
    expect(watching(arn)).toThrow(new RegExp(`^watchExecutions: .* is of the ${part} `));
    expect(watching(StateMachine.fromStateMachineArn(stack, 'M', arn))).toThrow(/^watchExecutions: /);
  });

  it('a topic of another Region, and what is no ARN of a table, are refused', () => {
    const topicArns = ['arn:aws:sns:eu-west-1:111122223333:ops'];
    expect(() => new LeaseholdAlarms(stackOf(), 'Alarms', { topicArns })).toThrow(
      /^topicArns: .* lies in eu-west-1/,
    );
    expect(() => LeaseTable.fromTableArn(stackOf(), 'L', 'arn:aws:sqs:eu-west-1:1:x')).toThrow(
      /^tableArn: must be/,
    );
  });
});

describe('D29: a principal whose policies the app can’t write', () => {
  const principals: readonly (readonly [string, (stack: Stack) => IGrantable])[] = [
    [
      'a role of another account',
      (stack) => Role.fromRoleArn(stack, 'R', 'arn:aws:iam::999988887777:role/other'),
    ],
    [
      'a role that is not to be changed',
      (stack) => Role.fromRoleArn(stack, 'R', `arn:aws:iam::${account}:role/own`, { mutable: false }),
    ],
    [
      'a user of another account',
      (stack) => User.fromUserArn(stack, 'U', 'arn:aws:iam::999988887777:user/other'),
    ],
    ['an account', () => new AccountPrincipal('999988887777')],
    ['an ARN', () => new ArnPrincipal('arn:aws:iam::999988887777:role/other')],
  ];

  it.each(principals)('%s: the statement stands in the policy of the table', (_, principal) => {
    const stack = stackOf();
    new LeaseTable(stack, 'Leases').grantUse(principal(stack), { names: ['a/*'] });
    Template.fromStack(stack).hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      Replicas: [
        Match.objectLike({
          ResourcePolicy: {
            PolicyDocument: {
              Statement: Match.arrayWith([
                Match.objectLike({
                  Action: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
                  Principal: { AWS: Match.anyValue() },
                  Condition: Match.objectLike({
                    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['a/*'] },
                  }),
                }),
              ]),
            },
          },
        }),
      ],
    });
  });

  it.each(principals)('%s: is refused where the table’s policy can’t be written either', (_, principal) => {
    const stack = stackOf();
    const leases = LeaseTable.fromTableName(stack, 'Leases', 'leases');
    const grantee = principal(stack);
    for (const grant of ['grantUse', 'grantRead', 'grantBreak'] as const)
      expect(() => leases[grant](grantee)).toThrow(
        new RegExp(`^${grant}: the policies of .* can't be written`),
      );
  });

  it.each(principals)(
    '%s: nor are the grants of a scan that is deployed elsewhere dropped',
    (_, principal) => {
      const stack = stackOf();
      const scan = SliceScan.fromStateMachineArn(stack, 'Scan', machine('scan'));
      const grantee = principal(stack);
      for (const grant of ['grantStartExecution', 'grantRead', 'grantRedriveExecution'] as const)
        expect(() => scan[grant](grantee)).toThrow(new RegExp(`^${grant}: `));
    },
  );

  it('a role of the app gets its own statement, and the table no policy', () => {
    const stack = stackOf();
    new LeaseTable(stack, 'Leases').grantUse(role(stack));
    const template = Template.fromStack(stack);
    template.resourceCountIs('AWS::IAM::Policy', 1);
    expect(JSON.stringify(template.toJSON())).not.toContain('ResourcePolicy');
  });
});

describe('D30: limits that only deployment would find', () => {
  const names = (count: number) =>
    Array.from({ length: count }, (_, i) => `nightly-settlement-of-branch-${i}`);

  it('15 state machines take several rules, each within the limit of a pattern', () => {
    const stack = stackOf();
    new LockService(stack, 'Locks', { watchExecutions: names(15).map(machine) });
    const rules = Object.values(Template.fromStack(stack).findResources('AWS::Events::Rule'));
    expect(rules.length).toBeGreaterThan(1);
    const patterns = rules.map(({ Properties }) => JSON.stringify(Properties.EventPattern));
    for (const pattern of patterns) expect(pattern.length).toBeLessThanOrEqual(2_048);
    for (const name of names(15)) expect(patterns.join()).toContain(machine(name));
  });

  it('more than the policies have room for are refused, with what to do', () => {
    const watchExecutions = names(80).map(machine);
    expect(() => new LockService(stackOf(), 'Locks', { watchExecutions })).toThrow(
      /^watchExecutions: the functions' policies have room for some \d+ .* ends in "\*"/,
    );
  });

  it('a role’s policies stay within IAM’s limit for as many as are let through', () => {
    const stack = stackOf();
    const service = new LockService(stack, 'Locks', { names: ['a/*'] });
    for (let i = 0; ; i += 1) {
      try {
        service.watchExecutions(machine(`nightly-settlement-of-branch-${i}`));
      } catch {
        break;
      }
    }
    const policies = Object.values(Template.fromStack(stack).findResources('AWS::IAM::Policy'));
    const chars = (id: string) =>
      policies
        .filter(({ Properties }) => JSON.stringify(Properties.Roles).includes(id))
        .reduce((sum, { Properties }) => sum + JSON.stringify(Properties.PolicyDocument).length, 0);
    expect(chars('LocksServiceRole')).toBeLessThanOrEqual(10_240);
  });

  it('an environment of more than 4 KB is refused by the property that fills it', () => {
    const stack = stackOf();
    new LockService(stack, 'Locks', { names: names(200) });
    expect(() => (stack.node.root as ReturnType<typeof appAsDeployed>).synth()).toThrow(
      /names: the environment of a function has at most 4096 bytes/,
    );
  });

  it.each<[string, (stack: Stack) => unknown, RegExp]>([
    [
      'the name of a function',
      (s) => new LockService(s, 'L', { functionName: 'x'.repeat(65) }),
      /^functionName: must be 1 to 64/,
    ],
    [
      '… and of the operators’',
      (s) => new LockService(s, 'L', { operators: true, functionName: 'x'.repeat(60) }),
      /^functionName: must be 1 to 54/,
    ],
    ['the memory of a function', (s) => new LockService(s, 'L', { memoryMb: 64 }), /^memoryMb: must be/],
    [
      'the name of a service',
      (s) => new LockService(s, 'L', { serviceName: 'größe' }),
      /^serviceName: must be/,
    ],
    ['the name of a table', (s) => new LeaseTable(s, 'L', { tableName: 'a b' }), /^tableName: must be/],
    [
      'the name of a dashboard',
      (s) => new LeaseholdDashboard(s, 'L', { dashboardName: 'a b' }),
      /^dashboardName: must be/,
    ],
    [
      'the metrics of a dashboard',
      (s) => new LeaseholdDashboard(s, 'L', { serviceNames: names(84) }),
      /^serviceNames: a dashboard has room for 83/,
    ],
    [
      'the metrics of an alarm',
      (s) => new LeaseholdAlarms(s, 'L', { serviceNames: names(11) }),
      /at 10 metrics/,
    ],
    [
      'who an alarm tells',
      (s) =>
        new LeaseholdAlarms(s, 'L', {
          topicArns: names(6).map((n) => `arn:aws:sns:${region}:${account}:${n}`),
        }),
      /an alarm tells at most 5/,
    ],
    [
      'the input of a schedule',
      (s) =>
        new SliceScan(s, 'L', {
          bucket: Bucket.fromBucketName(s, 'B', 'data'),
          schedule: { expression: {} as never, input: { cuts: ['x'.repeat(300_000)] } },
        }),
      /^schedule.input: must take at most 262144 bytes/,
    ],
    [
      'a variable that the construct sets',
      (s) => new LockService(s, 'L', { environment: { LEASEHOLD_TABLE: 'x' } }),
      /^environment.LEASEHOLD_TABLE: is set by the construct/,
    ],
  ])('%s', (_, build, message) => {
    expect(() => build(stackOf())).toThrow(message);
  });
});

describe('D31: the share of a scan', () => {
  const sharesOf = (props: object) => {
    const template = Template.fromStack(
      new LeaseholdStack(appAsDeployed(), 'L', { bucketName: 'data', ...props }),
    );
    const [machineOf] = Object.values(template.findResources('AWS::StepFunctions::StateMachine'));
    const [, most] = /\\"MaxConcurrency\\":(\d+)/.exec(JSON.stringify(machineOf)) ?? [];
    return { most: Number(most), template };
  };

  it('leaves the lock service something of ten concurrent executions, unless told otherwise', () => {
    expect(sharesOf({}).most).toBe(8);
    expect(sharesOf({ seats: 32 }).most).toBe(32);
    expect(sharesOf({ seats: 32, maxConcurrency: 4 }).most).toBe(4);
  });

  it('can be reserved, and so can that of the lock service', () => {
    const { template } = sharesOf({ maxConcurrency: 4, reservedConcurrency: 6, lockConcurrency: 20 });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Description: 'Leasehold: work of a scan',
      ReservedConcurrentExecutions: 6,
    });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Description: 'Leasehold: locks, for callers',
      ReservedConcurrentExecutions: 20,
    });
    expect(() => sharesOf({ maxConcurrency: 4, reservedConcurrency: 2 })).toThrow(
      /^reservedConcurrency: .*, at least 4/,
    );
  });
});

it('D26: the functions of a scan are told that whoever scans pays', () => {
  const template = Template.fromStack(
    new LeaseholdStack(appAsDeployed(), 'L', { bucketName: 'data', lockService: false, requesterPays: true }),
  );
  template.allResourcesProperties('AWS::Lambda::Function', {
    Environment: { Variables: { LEASEHOLD_REQUESTER_PAYS: 'on' } },
  });
});

describe('D33: what is kept blocks no later deployment', () => {
  it('the table can be imported: it has a name and a policy that keeps it', () => {
    const stack = new LeaseholdStack(appAsDeployed(), 'L', { tableName: 'leases', ...everything });
    Template.fromStack(stack).hasResource('AWS::DynamoDB::GlobalTable', {
      Properties: { TableName: 'leases' },
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
    });
  });

  it('logs of a first deployment that failed go with it, and no name is taken twice', () => {
    const resources = Object.values(resourcesOf(new LeaseholdStack(appAsDeployed(), 'L', everything)));
    const logs = resources.filter(({ Type }) => Type === 'AWS::Logs::LogGroup') as never as {
      DeletionPolicy: string;
      Properties: { LogGroupName?: unknown };
    }[];
    expect(logs.length).toBeGreaterThan(4);
    for (const { DeletionPolicy, Properties } of logs) {
      expect(DeletionPolicy).toBe('RetainExceptOnCreate');
      if (Properties.LogGroupName) expect(JSON.stringify(Properties.LogGroupName)).toContain('AWS::StackId');
    }
  });
});

it('D34: the log group of the state machine lies below /aws/vendedlogs/', () => {
  const template = Template.fromStack(new LeaseholdStack(appAsDeployed(), 'L', everything));
  const names = Object.values(template.findResources('AWS::Logs::LogGroup')).map(({ Properties }) =>
    JSON.stringify(Properties.LogGroupName ?? ''),
  );
  expect(names.filter((name) => name.includes('/aws/vendedlogs/states/'))).toHaveLength(1);
});

describe('locked-down organisations', () => {
  it('D35: with roles that exist there is no IAM resource in the template', () => {
    const ordinary = new LeaseholdStack(appAsDeployed(), 'L', everything);
    const paths = ordinary.node
      .findAll()
      .filter((one) => one instanceof CfnRole)
      .map(({ node }) => node.path.replace('/Resource', ''));
    expect(paths.length).toBeGreaterThan(6);
    const app = appAsDeployed();
    Role.customizeRoles(app, {
      usePrecreatedRoles: Object.fromEntries(paths.map((path, i) => [path, `role-${i}`])),
    });
    const stack = new LeaseholdStack(app, 'L', everything);
    const types = Object.values(resourcesOf(stack)).map(({ Type }) => Type);
    expect(types.filter((type) => type.startsWith('AWS::IAM::'))).toEqual([]);
    const { directory } = app.synth();
    expect(readFileSync(join(directory, 'iam-policy-report.json'), 'utf8')).toContain(
      'states:DescribeExecution',
    );
  });

  it('a permissions boundary is on every role', () => {
    const stack = new LeaseholdStack(appAsDeployed(), 'L', everything);
    PermissionsBoundary.of(stack).apply(ManagedPolicy.fromManagedPolicyName(stack, 'Edge', 'edge'));
    const roles = Object.values(Template.fromStack(stack).findResources('AWS::IAM::Role'));
    expect(roles.length).toBeGreaterThan(6);
    for (const { Properties } of roles)
      expect(JSON.stringify(Properties.PermissionsBoundary)).toContain('policy/edge');
  });

  it('a customer’s key of a table that exists is granted along', () => {
    const stack = stackOf();
    const encryptionKey = Key.fromKeyArn(stack, 'Key', `arn:aws:kms:${region}:${account}:key/1`);
    const leases = LeaseTable.fromTableAttributes(stack, 'Leases', { tableName: 'leases', encryptionKey });
    new LockService(stack, 'Locks', { leases });
    expect(JSON.stringify(Template.fromStack(stack).findResources('AWS::IAM::Policy'))).toContain(
      'kms:GenerateDataKey*',
    );
    expect(() => LeaseTable.fromTableAttributes(stack, 'None', {})).toThrow(/exactly one of them/);
  });

  it('the functions of every construct go into a network, with their processor and variables', () => {
    const stack = stackOf();
    const vpc = new Vpc(stack, 'Net', {
      natGateways: 0,
      subnetConfiguration: [{ name: 'in', subnetType: SubnetType.PRIVATE_ISOLATED }],
    });
    const settings = {
      vpc,
      vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED },
      securityGroups: [new SecurityGroup(stack, 'Group', { vpc })],
      environment: { HTTPS_PROXY: 'http://proxy:3128' },
      architecture: Architecture.X86_64,
    };
    const replicas = { regions: ['eu-west-1', 'eu-west-2'] };
    const leases = new LeaseTable(stack, 'Leases', { replicas, sweeper: settings });
    new LockService(stack, 'Locks', {
      leases,
      operators: true,
      watchExecutions: [machine('a')],
      ...settings,
    });
    new SliceScan(stack, 'Scan', {
      leases,
      bucket: Bucket.fromBucketName(stack, 'Data', 'data'),
      ...settings,
    });
    const made = stack.node
      .findAll()
      .filter((one) => one instanceof CfnFunction && one.node.path.includes('Function/'));
    expect(made.length).toBe(7);
    const template = Template.fromStack(stack);
    for (const one of made) {
      const { Properties } = template.toJSON().Resources[stack.getLogicalId(one as CfnFunction)];
      expect(Properties).toMatchObject({
        Architectures: ['x86_64'],
        Environment: { Variables: { HTTPS_PROXY: 'http://proxy:3128' } },
        VpcConfig: {
          SecurityGroupIds: [{}],
          SubnetIds: expect.arrayContaining([{ Ref: expect.any(String) }]),
        },
      });
    }
    const policies = JSON.stringify(template.findResources('AWS::IAM::Policy'));
    expect(policies.split('ec2:CreateNetworkInterface').length - 1).toBe(7);
  });

  it.each(['cn-north-1', 'us-gov-west-1'])('in %s no ARN is of the partition aws', (partitionRegion) => {
    const stack = new LeaseholdStack(appAsDeployed(), 'L', {
      env: { account, region: partitionRegion },
      bucketName: 'data',
      outputBucketName: 'out',
      schedule: 'rate(1 day)',
    });
    new LockService(stack, 'Own', {
      watchExecutions: [StateMachine.fromStateMachineName(stack, 'M', 'nightly')],
    });
    expect(JSON.stringify(Template.fromStack(stack).toJSON())).not.toMatch(/arn:aws:/);
  });
});

function machine(name: string): string {
  return `arn:aws:states:${region}:${account}:stateMachine:${name}`;
}
