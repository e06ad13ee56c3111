import { Duration, Fn, Names, Stack } from 'aws-cdk-lib';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
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
import { logRemoval } from '../functions/leasehold-function.js';
import type { SliceScanProps } from './slice-scan-props.js';

/** The state machine around a definition, with a log group of its own. Input and output are never logged. */
export function scanStateMachine(
  scope: Construct,
  definition: IChainable,
  settings: SliceScanProps,
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
        logGroupName: vendedLogName(scope),
        retention: settings.logRetention ?? RetentionDays.ONE_MONTH,
        removalPolicy: logRemoval(settings.removalPolicy),
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

/**
 * Below `/aws/vendedlogs/` the policy by which services may write logs needs no statement for each group, of which it
 * has room for few. With a part of the stack's id in it, so that one that is kept is in nobody's way.
 *
 * @see https://docs.aws.amazon.com/step-functions/latest/dg/bp-cwl.html
 */
function vendedLogName(scope: Construct): string {
  const stack = Stack.of(scope);
  const id = Fn.select(2, Fn.split('/', stack.stackId));
  return `/aws/vendedlogs/states/${Names.uniqueResourceName(scope, { maxLength: 200, separator: '-' })}-${id}`;
}
