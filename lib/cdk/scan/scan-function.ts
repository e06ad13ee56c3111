import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Architecture, Function as LambdaFunction, type Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { acknowledgeWildcards } from '../functions/acknowledged.js';
import { bundledFunction, type ScanFunctionName } from '../functions/bundle-directory.js';
import { functionRole } from '../functions/function-role.js';
import type { ScanProcessor } from './scan-processor.js';

/** How the functions of a scan are made. */
export interface ScanFunctionSettings {
  readonly runtime: Runtime;
  readonly logRetention: RetentionDays;
  readonly removalPolicy: RemovalPolicy;
  readonly tracing: boolean;
  readonly encryptionKey: IKey | undefined;
  readonly environment: Readonly<Record<string, string>>;
}

/** What differs from function to function. */
export interface ScanFunctionOptions {
  readonly timeout: Duration;
  readonly memorySizeMb: number;
  /** The user's own module. @default the bundle of the package */
  readonly processor?: ScanProcessor;
}

/** One function of a scan, with a role and a log group of its own. */
export function scanFunction(
  scope: Construct,
  name: ScanFunctionName,
  settings: ScanFunctionSettings,
  { timeout, memorySizeMb, processor }: ScanFunctionOptions,
): LambdaFunction {
  const id = name.charAt(0).toUpperCase() + name.slice(1);
  const logGroup = new LogGroup(scope, `${id}Logs`, {
    retention: settings.logRetention,
    removalPolicy: settings.removalPolicy,
    encryptionKey: settings.encryptionKey,
  });
  const made = new LambdaFunction(scope, `${id}Function`, {
    description: `Leasehold: ${name} of a scan`,
    ...(processor ? { code: processor.code, handler: `index.${name}` } : bundledFunction(name)),
    role: functionRole(scope, `${id}Role`, logGroup),
    runtime: settings.runtime,
    architecture: Architecture.ARM_64,
    memorySize: memorySizeMb,
    timeout,
    environment: { ...settings.environment },
    environmentEncryption: settings.encryptionKey,
    tracing: settings.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
    logGroup,
  });
  const { role } = made;
  if (settings.tracing) acknowledgeWildcards(role!, /^\*$/, 'X-Ray has no resources to name.');
  // Objects below the prefixes of the scan, by `grantReadUnder` and `grantWriteUnder`.
  acknowledgeWildcards(
    role!,
    /(:s3:::|\.Arn>\/)[^*]*\*$/,
    'The objects are those below one prefix; they come and go.',
  );
  acknowledgeWildcards(role!, /^kms:(ReEncrypt|GenerateDataKey)\*$/, 'Variants of one action on one key.');
  return made;
}
