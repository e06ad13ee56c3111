import type { Duration } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { acknowledgeWildcards } from '../functions/acknowledged.js';
import type { ScanFunctionName } from '../functions/bundle-directory.js';
import { leaseholdFunction } from '../functions/leasehold-function.js';
import type { ScanProcessor } from './scan-processor.js';
import type { SliceScanProps } from './slice-scan-props.js';

/** What differs from function to function. */
export interface ScanFunctionOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly timeout: Duration;
  readonly memorySizeMb: number;
  /** The user's own module. @default the bundle of the package */
  readonly processor?: ScanProcessor | undefined;
  readonly reservedConcurrency?: number | undefined;
}

/** One function of a scan, with a role and a log group of its own. */
export function scanFunction(
  scope: Construct,
  name: ScanFunctionName,
  props: SliceScanProps,
  { environment, timeout, memorySizeMb, processor, reservedConcurrency }: ScanFunctionOptions,
): LambdaFunction {
  const made = leaseholdFunction(scope, name.charAt(0).toUpperCase() + name.slice(1), {
    description: `Leasehold: ${name} of a scan`,
    bundle: name,
    own: processor && { code: processor.code, handler: `index.${name}` },
    settings: props,
    timeout,
    memorySize: memorySizeMb,
    environment,
    tracing: props.tracing,
    removalPolicy: props.removalPolicy,
    encryptionKey: props.encryptionKey,
    reservedConcurrentExecutions: reservedConcurrency,
  });
  const { role } = made;
  // Objects below the prefixes of the scan, by `grantReadUnder` and `grantWriteUnder`.
  acknowledgeWildcards(
    role!,
    /(:s3:::|\.Arn>\/)[^*]*\*$/,
    'The objects are those below one prefix; they come and go.',
  );
  acknowledgeWildcards(role!, /^kms:(ReEncrypt|GenerateDataKey)\*$/, 'Variants of one action on one key.');
  return made;
}
