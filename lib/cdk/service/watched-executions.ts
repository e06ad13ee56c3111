import { ArnFormat, Duration, type RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import { Match, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { type IRole, Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { acknowledge, acknowledgeWildcards } from '../functions/acknowledged.js';

/** What a {@link WatchedExecutions} needs. */
export interface WatchedExecutionsProps {
  /** The roles of all functions that ask for the status of executions. */
  readonly roles: readonly IRole[];
  /** The function that is told of the end of an execution. Nobody else may invoke it. */
  readonly lambda: LambdaFunction;
  readonly removalPolicy: RemovalPolicy;
}

/**
 * What makes an execution a holder: its status may be asked for, and its end is told to the service at once. Events
 * that could not be told go to a queue; the lock that they were to free is then freed by its next taker, who asks.
 */
export class WatchedExecutions extends Construct {
  /** Events that could not be delivered, or that the function failed on. */
  readonly undelivered: Queue;
  readonly #policy: Policy;
  readonly #rule: Rule;

  constructor(scope: Construct, id: string, props: WatchedExecutionsProps) {
    super(scope, id);
    // Apart from the roles' own policies: a function waits for those, and a state machine for the function.
    this.#policy = new Policy(this, 'Status', { roles: [...props.roles] });
    this.undelivered = new Queue(this, 'Undelivered', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      removalPolicy: props.removalPolicy,
    });
    acknowledgeWildcards(
      this.#policy,
      /:execution:/,
      'Executions are named when they start; all are of the machines watched.',
    );
    acknowledge(this.undelivered, 'AwsSolutions-SQS3', 'It is itself where undelivered events go.');
    this.#rule = new Rule(this, 'Ends', {
      description: 'Leasehold: frees what an execution held when it ends',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: { status: ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED'] },
      },
      targets: [
        new FunctionTarget(props.lambda, {
          deadLetterQueue: this.undelivered,
          maxEventAge: Duration.hours(2),
          retryAttempts: 20,
        }),
      ],
    });
    props.lambda.configureAsyncInvoke({
      maxEventAge: Duration.hours(2),
      retryAttempts: 2,
      onFailure: new SqsDestination(this.undelivered),
    });
  }

  /** @throws Error for what is no ARN of a state machine */
  add(machine: IStateMachine | string): void {
    const arn = typeof machine === 'string' ? checked(machine) : machine.stateMachineArn;
    const stack = Stack.of(this);
    const { partition, region, account, resourceName } = stack.splitArn(arn, ArnFormat.COLON_RESOURCE_NAME);
    const executions = (rest: string) =>
      `arn:${partition}:states:${region}:${account}:execution:${resourceName}${rest}`;
    this.#policy.addStatements(
      new PolicyStatement({
        actions: ['states:DescribeExecution'],
        // The second are child executions of a Distributed Map.
        resources: [executions(':*'), executions('/*')],
      }),
    );
    const machines = arn.endsWith('*')
      ? Match.prefix(arn.slice(0, -1))
      : Match.anyOf(Match.exactString(arn), Match.prefix(`${arn}/`));
    this.#rule.addEventPattern({ detail: { stateMachineArn: machines } });
  }
}

function checked(arn: string): string {
  if (Token.isUnresolved(arn) || /^arn:[^:*]+:states:[^:*]+:[^:*]+:stateMachine:[^:*]+\*?$/.test(arn))
    return arn;
  throw new Error(
    `watchExecutions: must be state machines, or their ARNs, which may end in "*" (such as "arn:aws:states:eu-central-1:111122223333:stateMachine:settle-*"), got "${arn}"`,
  );
}
