import { Duration, Fn, Names, Stack } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import {
  Choice,
  Condition,
  CustomerManagedEncryptionConfiguration,
  DefinitionBody,
  DistributedMap,
  Errors,
  Fail,
  type IChainable,
  JitterType,
  JsonPath,
  LogLevel,
  Pass,
  StateMachine,
  StateMachineType,
  Succeed,
  TaskInput,
  Timeout,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions';
import { LambdaInvoke, type LambdaInvokeProps } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import type { Construct } from 'constructs';
import { acknowledge, acknowledgeWildcards } from '../functions/acknowledged.js';
import type { ScanFunctionName } from '../functions/bundle-directory.js';
import { taskTimeout } from '../functions/durations.js';
import { logRemoval } from '../functions/leasehold-function.js';
import { transientErrors } from '../functions/transient-errors.js';
import type { SliceScanProps } from './slice-scan-props.js';

/** What the state machine of a scan is made of. */
export interface ScanDefinition {
  readonly functions: Readonly<Record<ScanFunctionName, IFunction>>;
  /** The functions' time-outs; a task ends a little later, so that the function's own error is seen. */
  readonly timeouts: Readonly<Record<ScanFunctionName, Duration>>;
  /** Input of the plan where an execution's own input says nothing. */
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly maxConcurrency: number;
  readonly maxRounds: number;
  readonly roundPause: Duration;
}

/** Plan, a map over seats, verify; then the end, or another round. */
export function scanDefinition(scope: Construct, definition: ScanDefinition): IChainable {
  const plan = task(scope, definition, 'plan', 'Plan', {
    payload: TaskInput.fromObject({
      run: JsonPath.stringAt('$$.Execution.Name'),
      input: JsonPath.objectAt('$'),
      defaults: definition.defaults,
    }),
    resultSelector: {
      run: JsonPath.stringAt('$.Payload.run'),
      seats: JsonPath.objectAt('$.Payload.seats'),
      round: 1,
    },
  });
  const seats = new DistributedMap(scope, 'Seats', {
    itemsPath: '$.seats',
    maxConcurrency: definition.maxConcurrency,
    mapExecutionType: StateMachineType.STANDARD,
    // In the names of the seats' executions, so that the role's right to redrive them covers these only.
    label: 'Seats',
    // How each seat ended, in a few bytes; Verify tells it when slices are left. No failure is tolerated: a seat
    // catches all its errors, so whatever fails the map is no seat's.
    resultPath: '$.ends',
  }).itemProcessor(seat(scope, definition));
  const verify = task(scope, definition, 'verify', 'Verify', {
    payload: TaskInput.fromObject({ run: JsonPath.stringAt('$.run'), seats: JsonPath.objectAt('$.ends') }),
    resultSelector: {
      status: JsonPath.stringAt('$.Payload.status'),
      error: JsonPath.stringAt('$.Payload.error'),
      reason: JsonPath.stringAt('$.Payload.reason'),
      report: JsonPath.objectAt('$.Payload.report'),
    },
    resultPath: '$.verdict',
  });
  return plan
    .next(seats)
    .next(verify)
    .next(verdict(scope, definition, seats));
}

/** One seat: work, again while it answers "more". */
function seat(scope: Construct, definition: ScanDefinition): IChainable {
  const work = task(scope, definition, 'work', 'Work', {
    payload: TaskInput.fromObject({ run: JsonPath.stringAt('$.run'), seat: JsonPath.numberAt('$.seat') }),
    outputPath: '$.Payload',
  });
  const seatNumber = JsonPath.numberAt('$.seat');
  const errorName = JsonPath.stringAt('$.failure.Error');
  // A seat that keeps crashing gives up, and the others take its slices; whether anything is missing is for Verify.
  const gaveUp = new Pass(scope, 'Seat gave up', { parameters: { seat: seatNumber, gaveUp: errorName } });
  // One that fails for good does not stop the others either. Only the error's name goes on: its cause has no limit,
  // and a map whose result is too large fails as a whole. The cause stands in the seat's own execution and log.
  const failed = new Pass(scope, 'Seat failed', { parameters: { seat: seatNumber, failed: errorName } });
  const done = new Pass(scope, 'Seat done', { parameters: { seat: seatNumber } });
  work.addCatch(gaveUp, { errors: [...transientErrors], resultPath: '$.failure' });
  work.addCatch(failed, { errors: [Errors.ALL], resultPath: '$.failure' });
  return work.next(
    new Choice(scope, 'More to do?').when(Condition.stringEquals('$.status', 'more'), work).otherwise(done),
  );
}

/** What follows from the verdict. Everything but a complete scan without failures is a failed execution. */
function verdict(scope: Construct, definition: ScanDefinition, seats: DistributedMap): IChainable {
  const nextRound = new Wait(scope, 'Pause', { time: WaitTime.duration(definition.roundPause) })
    .next(
      new Pass(scope, 'Next round', {
        parameters: {
          run: JsonPath.stringAt('$.run'),
          seats: JsonPath.objectAt('$.seats'),
          round: JsonPath.mathAdd(JsonPath.numberAt('$.round'), 1),
        },
      }),
    )
    .next(seats);
  const causePath = '$.verdict.reason';
  const status = (value: string) => Condition.stringEquals('$.verdict.status', value);
  return new Choice(scope, 'Verdict')
    .when(status('complete'), new Succeed(scope, 'Complete', { outputPath: '$.verdict' }))
    .when(
      status('completed-with-failures'),
      new Fail(scope, 'Completed with failures', { error: 'CompletedWithFailures', causePath }),
    )
    .when(Condition.and(status('more'), Condition.numberLessThan('$.round', definition.maxRounds)), nextRound)
    .when(status('more'), new Fail(scope, 'Too many rounds', { error: 'TooManyRounds', causePath }))
    .otherwise(new Fail(scope, 'Failed', { errorPath: '$.verdict.error', causePath }));
}

function task(
  scope: Construct,
  definition: ScanDefinition,
  name: ScanFunctionName,
  id: string,
  props: Omit<LambdaInvokeProps, 'lambdaFunction'>,
): LambdaInvoke {
  const invoke = new LambdaInvoke(scope, id, {
    ...props,
    lambdaFunction: definition.functions[name],
    retryOnServiceExceptions: false,
    taskTimeout: Timeout.duration(taskTimeout(definition.timeouts[name])),
  });
  invoke.addRetry({
    errors: [...transientErrors],
    interval: Duration.seconds(1),
    backoffRate: 2,
    maxAttempts: 5,
    maxDelay: Duration.seconds(30),
    jitterStrategy: JitterType.FULL,
  });
  return invoke;
}

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
