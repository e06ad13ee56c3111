import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  type Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { bundleDirectory, type ScanFunctionName } from './bundle-directory.js';

/** How the functions of a scan are made. */
export interface ScanFunctionSettings {
  readonly runtime: Runtime;
  readonly logRetention: RetentionDays;
  readonly removalPolicy: RemovalPolicy;
  readonly tracing: boolean;
  readonly environment: Readonly<Record<string, string>>;
}

/** One function of a scan from its built bundle, with a log group of its own. */
export function scanFunction(
  scope: Construct,
  name: ScanFunctionName,
  settings: ScanFunctionSettings & { readonly timeout: Duration; readonly memorySizeMb: number },
): LambdaFunction {
  const id = name.charAt(0).toUpperCase() + name.slice(1);
  return new LambdaFunction(scope, `${id}Function`, {
    description: `Leasehold: ${name} of a scan`,
    code: Code.fromAsset(bundleDirectory(name)),
    handler: 'index.handler',
    runtime: settings.runtime,
    architecture: Architecture.ARM_64,
    memorySize: settings.memorySizeMb,
    timeout: settings.timeout,
    environment: { ...settings.environment },
    tracing: settings.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
    logGroup: new LogGroup(scope, `${id}Logs`, {
      retention: settings.logRetention,
      removalPolicy: settings.removalPolicy,
    }),
  });
}
