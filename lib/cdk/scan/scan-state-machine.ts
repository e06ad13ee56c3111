import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import {
  CustomerManagedEncryptionConfiguration,
  DefinitionBody,
  type IChainable,
  LogLevel,
  StateMachine,
  StateMachineType,
} from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { acknowledge, acknowledgeWildcards } from '../functions/acknowledged.js';

/** How the state machine of a scan is made. */
export interface ScanStateMachineSettings {
  readonly timeout?: Duration;
  readonly tracing?: boolean;
  readonly logLevel?: LogLevel;
  readonly logRetention: RetentionDays;
  readonly removalPolicy: RemovalPolicy;
  readonly encryptionKey?: IKey;
}

/** The state machine around a definition, with a log group of its own. Input and output are never logged. */
export function scanStateMachine(
  scope: Construct,
  definition: IChainable,
  settings: ScanStateMachineSettings,
): StateMachine {
  const { encryptionKey, logLevel = LogLevel.ALL, tracing = false } = settings;
  const made = new StateMachine(scope, 'StateMachine', {
    comment: 'Leasehold: scans one S3 prefix under leases',
    stateMachineType: StateMachineType.STANDARD,
    definitionBody: DefinitionBody.fromChainable(definition),
    timeout: settings.timeout ?? Duration.days(1),
    tracingEnabled: tracing,
    ...(encryptionKey && {
      encryptionConfiguration: new CustomerManagedEncryptionConfiguration(encryptionKey),
    }),
    logs: {
      level: logLevel,
      includeExecutionData: false,
      destination: new LogGroup(scope, 'StateMachineLogs', {
        retention: settings.logRetention,
        removalPolicy: settings.removalPolicy,
        encryptionKey,
      }),
    },
  });
  acknowledgeWildcards(made, /^<\w+Function\w+\.Arn>:\*$/, 'Versions of its own three functions.');
  acknowledgeWildcards(made, /:execution:.*:\*$/, 'Executions of its own map; each is named when it starts.');
  acknowledgeWildcards(made, /^\*$/, 'Log delivery and X-Ray have no resources to name.');
  if (!tracing)
    acknowledge(made, 'AwsSolutions-SF2', 'X-Ray is a switch (tracing), as it costs for every step.');
  if (logLevel !== LogLevel.ALL) {
    acknowledge(made, 'AwsSolutions-SF1', 'Less than all was asked for (logLevel).');
  }
  return made;
}
