import { type Duration, RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  Architecture,
  type CfnFunction,
  Code,
  Function as LambdaFunction,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { type ILogGroup, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { acknowledgeWildcards } from './acknowledged.js';
import { type BundleName, bundlesDirectory } from './bundle-directory.js';
import type { FunctionSettings } from './function-settings.js';

/** What one function is. */
export interface LeaseholdFunctionProps {
  readonly description: string;
  /** Which bundle of the package it is. */
  readonly bundle: BundleName;
  /** A module of the user's in place of the bundle, and what it exports. */
  readonly own?: { readonly code: Code; readonly handler: string } | undefined;
  readonly settings: FunctionSettings;
  readonly timeout: Duration;
  readonly memorySize: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly tracing?: boolean | undefined;
  readonly removalPolicy?: RemovalPolicy | undefined;
  readonly encryptionKey?: IKey | undefined;
  readonly functionName?: string | undefined;
  readonly reservedConcurrentExecutions?: number | undefined;
}

/** A bundled function's code and handler. All share one asset, as they share most of their code. */
function bundledFunction(name: BundleName): { readonly code: Code; readonly handler: string } {
  return { code: Code.fromAsset(bundlesDirectory()), handler: `${name}/index.handler` };
}

/**
 * A function of the package, with a role and a log group of its own: every construct makes its functions here, so that
 * each setting counts in all of them.
 *
 * @param id the beginning of its parts' ids: `…Function`, `…Role`, `…Logs`
 */
export function leaseholdFunction(
  scope: Construct,
  id: string,
  props: LeaseholdFunctionProps,
): LambdaFunction {
  const { settings, encryptionKey, tracing } = props;
  const logGroup = new LogGroup(scope, `${id}Logs`, {
    retention: settings.logRetention ?? RetentionDays.ONE_MONTH,
    removalPolicy: logRemoval(props.removalPolicy),
    encryptionKey,
  });
  const role = functionRole(scope, `${id}Role`, logGroup);
  if (settings.vpc) grantNetwork(role);
  if (tracing) acknowledgeWildcards(role, /^\*$/, 'X-Ray has no resources to name.');
  const made = new LambdaFunction(scope, `${id}Function`, {
    description: props.description,
    ...(props.own ?? bundledFunction(props.bundle)),
    runtime: settings.runtime ?? Runtime.NODEJS_LATEST,
    architecture: settings.architecture ?? Architecture.ARM_64,
    memorySize: props.memorySize,
    timeout: props.timeout,
    tracing: tracing ? Tracing.ACTIVE : Tracing.DISABLED,
    environment: { ...settings.environment, ...props.environment },
    environmentEncryption: encryptionKey,
    functionName: props.functionName,
    reservedConcurrentExecutions: props.reservedConcurrentExecutions,
    vpc: settings.vpc,
    vpcSubnets: settings.vpcSubnets,
    securityGroups: settings.securityGroups && [...settings.securityGroups],
    logGroup,
    role,
  });
  made.node.addValidation({ validate: () => environmentProblems(made) });
  return made;
}

/** A log group that a failed first deployment made is of no use to anybody. */
export function logRemoval(policy: RemovalPolicy = RemovalPolicy.RETAIN): RemovalPolicy {
  return policy === RemovalPolicy.RETAIN ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : policy;
}

/**
 * Lambda's network interfaces; their actions have no resources that could be named beforehand.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
 */
function grantNetwork(role: ReturnType<typeof functionRole>): void {
  role.addToPrincipalPolicy(
    new PolicyStatement({
      actions: [
        'ec2:CreateNetworkInterface',
        'ec2:DescribeNetworkInterfaces',
        'ec2:DescribeSubnets',
        'ec2:DeleteNetworkInterface',
        'ec2:AssignPrivateIpAddresses',
        'ec2:UnassignPrivateIpAddresses',
      ],
      resources: ['*'],
    }),
  );
  acknowledgeWildcards(role, /^\*$/, 'Network interfaces have no names beforehand.');
}

/** Lambda's limit on all variables of a function, names and values together. */
const maxEnvironmentBytes = 4_096;

/** Deployment would find this only after it has made half of the stack. */
function environmentProblems(made: LambdaFunction): string[] {
  const cfn = made.node.defaultChild as CfnFunction;
  const { variables = {} } = (Stack.of(made).resolve(cfn.environment) ?? {}) as {
    readonly variables?: Readonly<Record<string, unknown>>;
  };
  const sizes = Object.entries(variables).map(
    ([name, value]) => [name, sizeOf(value) + name.length] as const,
  );
  const bytes = sizes.reduce((sum, [, size]) => sum + size, 0);
  if (bytes <= maxEnvironmentBytes) return [];
  const [largest] = [...sizes].sort(([, a], [, b]) => b - a)[0]!;
  const property = largest === 'LEASEHOLD_NAMES' ? 'names' : `environment.${largest}`;
  return [
    `${property}: the environment of a function has at most ${maxEnvironmentBytes} bytes, these settings need ${bytes}, most of them for ${largest}; beginnings of names ("a/*") take less`,
  ];
}

/** What is known of a value's length. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Token.isUnresolved(value) ? 0 : Buffer.byteLength(value);
  const { 'Fn::Join': [, parts] = [] } = (value ?? {}) as { 'Fn::Join'?: readonly unknown[] };
  // What is joined may itself be known only at deployment.
  return Array.isArray(parts) ? parts.reduce<number>((sum, part) => sum + sizeOf(part), 0) : 0;
}

/**
 * The role of a function, which may write to its own log group only. The managed policy that CDK attaches otherwise
 * allows every log group of the account, and making some.
 */
function functionRole(scope: Construct, id: string, logGroup: ILogGroup): Role {
  const role = new Role(scope, id, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  logGroup.grantWrite(role);
  return role;
}
