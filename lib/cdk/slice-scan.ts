import { Duration, RemovalPolicy, Token } from 'aws-cdk-lib';
import { type Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { grantListUnder, grantReadUnder, grantWriteUnder } from './bucket-access.js';
import type { ScanFunctionName } from './bundle-directory.js';
import { LeaseTable } from './lease-table.js';
import { scanDefinition } from './scan-definition.js';
import { type ScanFunctionSettings, scanFunction } from './scan-function.js';
import type { SliceScanProps } from './slice-scan-props.js';

const defaultSeats = 16;

/**
 * Scans one S3 prefix with many workers under leases: three functions and the state machine that runs them.
 *
 * Start an execution with `{}`, or with `{ prefix, seats, slices, cuts }` for what differs from the defaults given
 * here. The execution's name is the run's; `{ "run": "…" }` goes on with an earlier one.
 */
export class SliceScan extends Construct {
  /** The table of leases. */
  readonly leases: LeaseTable;
  /** The functions, by what they do. */
  readonly functions: Readonly<Record<ScanFunctionName, LambdaFunction>>;
  /** The state machine; grant `grantStartExecution` to whoever runs scans. */
  readonly stateMachine: StateMachine;

  /** @throws Error if the output prefix lies inside the scanned one, or if the bundles were not built */
  constructor(scope: Construct, id: string, props: SliceScanProps) {
    super(scope, id);
    refuseOutputInside(props);
    const removalPolicy = props.removalPolicy ?? RemovalPolicy.RETAIN;
    this.leases = props.leases ?? new LeaseTable(this, 'Leases', leaseTableProps(removalPolicy));

    const settings: ScanFunctionSettings = {
      runtime: props.runtime ?? Runtime.NODEJS_LATEST,
      logRetention: props.logRetention ?? RetentionDays.ONE_MONTH,
      removalPolicy,
      tracing: props.tracing ?? false,
      environment: environmentOf(props, this.leases),
    };
    const timeouts = {
      plan: Duration.minutes(5),
      work: props.workTimeout ?? Duration.minutes(15),
      verify: Duration.minutes(5),
    };
    const make = (name: ScanFunctionName, memorySizeMb: number) =>
      scanFunction(this, name, { ...settings, timeout: timeouts[name], memorySizeMb });
    this.functions = {
      plan: make('plan', 512),
      work: make('work', props.workMemoryMb ?? 512),
      verify: make('verify', 512),
    };
    this.#grant(props);

    const seats = props.seats ?? defaultSeats;
    this.stateMachine = new StateMachine(this, 'StateMachine', {
      comment: 'Leasehold: scans one S3 prefix under leases',
      stateMachineType: StateMachineType.STANDARD,
      definitionBody: DefinitionBody.fromChainable(
        scanDefinition(this, {
          functions: this.functions,
          timeouts,
          defaults: planDefaults(props, seats),
          maxConcurrency: props.maxConcurrency ?? seats,
          maxRounds: props.maxRounds ?? 5,
          roundPause: props.roundPause ?? Duration.seconds(5),
        }),
      ),
      timeout: props.timeout ?? Duration.days(1),
      tracingEnabled: props.tracing ?? false,
      logs: {
        level: props.logLevel ?? LogLevel.ERROR,
        includeExecutionData: false,
        destination: new LogGroup(this, 'StateMachineLogs', {
          retention: settings.logRetention,
          removalPolicy,
        }),
      },
    });
  }

  /** Each function gets what it does, no more. */
  #grant(props: SliceScanProps): void {
    const { plan, work, verify } = this.functions;
    const prefix = props.prefix ?? '';
    for (const lambda of [plan, work, verify]) this.leases.grantUse(lambda);
    for (const lambda of [plan, work]) grantListUnder(lambda, props.bucket, prefix);
    if (props.readObjects) grantReadUnder(work, props.bucket, prefix);
    if (props.output) {
      grantWriteUnder(work, props.output.bucket, props.output.prefix);
      // A successor goes on from its predecessor's partial result, and Verify merges all of them.
      for (const lambda of [work, verify]) grantReadUnder(lambda, props.output.bucket, props.output.prefix);
    }
    props.ledger?.grant(work, 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem');
  }
}

function leaseTableProps(removalPolicy: RemovalPolicy) {
  return { removalPolicy, deletionProtection: removalPolicy !== RemovalPolicy.DESTROY };
}

function environmentOf(props: SliceScanProps, leases: LeaseTable): Record<string, string> {
  return {
    LEASEHOLD_TABLE: leases.table.tableName,
    ...(props.lease && { LEASEHOLD_LEASE_MS: String(props.lease.toMilliseconds()) }),
    ...(props.ledger && { LEASEHOLD_LEDGER_TABLE: props.ledger.tableName }),
    ...(props.output && {
      LEASEHOLD_OUTPUT_BUCKET: props.output.bucket.bucketName,
      LEASEHOLD_OUTPUT_PREFIX: props.output.prefix,
    }),
  };
}

function planDefaults(props: SliceScanProps, seats: number): Record<string, unknown> {
  return {
    bucket: props.bucket.bucketName,
    prefix: props.prefix ?? '',
    seats,
    slices: props.slices,
  };
}

/** The scan would find its own results. What is known only at deployment is checked by the plan. */
function refuseOutputInside({ bucket, prefix = '', output }: SliceScanProps): void {
  if (!output || output.bucket !== bucket || Token.isUnresolved([prefix, output.prefix])) return;
  if (!output.prefix.startsWith(prefix)) return;
  throw new Error(
    `output.prefix: "${output.prefix}" lies inside the scanned prefix "${prefix}" of the same bucket`,
  );
}
