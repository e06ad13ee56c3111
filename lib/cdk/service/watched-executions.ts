import { ArnFormat, Duration, type RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import { Match, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { CfnRole, type IRole, Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
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
  readonly #policy: Policy | undefined;
  /** Roles that exist (`Role.customizeRoles`): a policy of ours would be an IAM resource in the template. */
  readonly #existing: readonly IRole[];
  readonly #lambda: LambdaFunction;
  readonly #rules: { readonly rule: Rule; chars: number }[] = [];
  #policyChars = 0;

  constructor(scope: Construct, id: string, props: WatchedExecutionsProps) {
    super(scope, id);
    // Apart from the roles' own policies: a function waits for those, and a state machine for the function.
    const made = props.roles.filter((role) => role.node.defaultChild instanceof CfnRole);
    this.#existing = props.roles.filter((role) => !made.includes(role));
    this.#policy = made.length > 0 ? new Policy(this, 'Status', { roles: made }) : undefined;
    this.undelivered = new Queue(this, 'Undelivered', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      removalPolicy: props.removalPolicy,
    });
    acknowledgeWildcards(
      this,
      /:execution:/,
      'Executions are named when they start; all are of the machines watched.',
    );
    acknowledge(this.undelivered, 'AwsSolutions-SQS3', 'It is itself where undelivered events go.');
    this.#lambda = props.lambda;
    props.lambda.configureAsyncInvoke({
      maxEventAge: Duration.hours(2),
      retryAttempts: 2,
      onFailure: new SqsDestination(this.undelivered),
    });
  }

  /**
   * @throws Error for what is no ARN of a state machine, or one of another account or Region; for more than the
   *   functions' policies have room for
   */
  add(machine: IStateMachine | string): void {
    const arn = typeof machine === 'string' ? checked(machine) : machine.stateMachineArn;
    const stack = Stack.of(this);
    const { partition, region, account, resourceName } = stack.splitArn(arn, ArnFormat.COLON_RESOURCE_NAME);
    checkHere(arn, stack, { account: account ?? '*', region: region ?? '*' });
    const executions = (rest: string) =>
      `arn:${partition}:states:${region}:${account}:execution:${resourceName}${rest}`;
    const chars = charsOf(arn);
    this.#policyChars += 2 * chars;
    if (this.#policyChars > maxPolicyChars) {
      throw new Error(
        `watchExecutions: the functions' policies have room for some ${Math.floor(maxPolicyChars / (2 * chars))} state machines like "${arn}"; give an ARN that ends in "*", which names many`,
      );
    }
    const statement = () =>
      new PolicyStatement({
        actions: ['states:DescribeExecution'],
        // The second are child executions of a Distributed Map.
        resources: [executions(':*'), executions('/*')],
      });
    this.#policy?.addStatements(statement());
    for (const role of this.#existing) role.addToPrincipalPolicy(statement());
    const machines = arn.endsWith('*')
      ? Match.prefix(arn.slice(0, -1))
      : Match.anyOf(Match.exactString(arn), Match.prefix(`${arn}/`));
    this.#ruleWithRoom(2 * chars + 40).addEventPattern({ detail: { stateMachineArn: machines } });
  }

  /** An event pattern has a limit, so that many machines take several rules. */
  #ruleWithRoom(chars: number): Rule {
    let last = this.#rules.at(-1);
    if (!last || last.chars + chars > maxPatternChars) {
      const number = this.#rules.length + 1;
      if (number > maxRules) {
        throw new Error(
          `watchExecutions: takes more than ${maxRules} rules, which is as many as the policy of a function has room for; give ARNs that end in "*", which name many`,
        );
      }
      last = { rule: this.#rule(number === 1 ? 'Ends' : `Ends${number}`), chars: emptyPatternChars };
      this.#rules.push(last);
    }
    last.chars += chars;
    return last.rule;
  }

  #rule(id: string): Rule {
    return new Rule(this, id, {
      description: 'Leasehold: frees what an execution held when it ends',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: { status: ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED'] },
      },
      targets: [
        new FunctionTarget(this.#lambda, {
          deadLetterQueue: this.undelivered,
          maxEventAge: Duration.hours(2),
          retryAttempts: 20,
        }),
      ],
    });
  }
}

/** EventBridge's limit on the pattern of a rule, and what ours takes without machines. */
const maxPatternChars = 2_048;
const emptyPatternChars = 220;
/** IAM's limit on the policies written into one role is 10,240 characters; the rest is for what the table needs. */
const maxPolicyChars = 8_000;
/** Each rule is a statement of some 400 bytes in the function's own policy, which has at most 20 KB. */
const maxRules = 40;
/** The longest ARN of a state machine that there is, for one that is not known yet. */
const longestArn = 'arn:aws-us-gov:states:ap-southeast-1:111122223333:stateMachine:'.length + 80;

function charsOf(arn: string): number {
  return Token.isUnresolved(arn) ? longestArn : arn.length;
}

interface Place {
  readonly account: string;
  readonly region: string;
}

/** EventBridge tells of the ends of executions where they ran, and only there; elsewhere the lock would wait for its lease. */
function checkHere(arn: string, own: Place, its: Place): void {
  for (const part of ['account', 'region'] as const) {
    const known = !Token.isUnresolved(own[part]) && !Token.isUnresolved(its[part]);
    if (!known || own[part] === its[part] || its[part] === '*') continue;
    throw new Error(
      `watchExecutions: "${arn}" is of the ${part} ${its[part]}, and the service of ${own[part]}; executions can be watched only where the service is`,
    );
  }
}

function checked(arn: string): string {
  if (Token.isUnresolved(arn) || /^arn:[^:*]+:states:[^:*]+:[^:*]+:stateMachine:[^:*]+\*?$/.test(arn))
    return arn;
  throw new Error(
    `watchExecutions: must be state machines, or their ARNs, which may end in "*" (such as "arn:aws:states:eu-central-1:111122223333:stateMachine:settle-*"), got "${arn}"`,
  );
}
