import { fileURLToPath } from 'node:url';
import { type CfnElement, Duration, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import {
  DefinitionBody,
  type IChainable,
  JsonPath,
  StateMachine,
  TaskInput,
  Timeout,
} from 'aws-cdk-lib/aws-stepfunctions';
import { LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import {
  type ExecutionOutcome,
  type Json,
  type LocalLambda,
  runStateMachine,
  type StateMachineDefinition,
  startLocalLambda,
} from '../../../bin/start/state-machine/index.js';
import { templateText } from '../../../bin/start/state-machine/synthesized-state-machine.js';
import { LockService } from '../../../lib/cdk/index.js';
import { bundledHandler } from '../bundles.js';
import { scriptedStepFunctions } from '../cli/scripted-step-functions.js';
import { Stage } from '../stage.js';
import { type LostAnswers, lostAnswers } from './lost-answers.js';
import { emptyStack } from './synthesize.js';

/** What a test puts into its machine. */
export interface Parts {
  readonly stack: Stack;
  readonly service: LockService;
  /** A task whose function gets the state's input, with `act` beside it. */
  readonly task: (
    id: string,
    options?: { readonly act?: string; readonly timeoutS?: number },
  ) => LambdaInvoke;
}

/** A request to the lock service, as the machine sent it. */
export interface SentRequest {
  readonly operation: string;
  readonly name: string;
  readonly leaseId: string;
  readonly token?: number;
  readonly retries?: number;
}

/** How a test meddles with an execution. */
export interface RunOptions {
  readonly name?: string;
  readonly signal?: AbortSignal;
  /** Called before the service is; what it throws is the invocation's error. */
  readonly beforeLock?: (request: SentRequest) => Promise<void> | void;
  /** Called after the service has answered; what it throws takes the answer's place. */
  readonly afterLock?: (request: SentRequest) => Promise<void> | void;
  /** Called before a task's function is. */
  readonly onTask?: (input: Json) => Promise<void> | void;
}

/** Machines with sections, run by the interpreter over the bundled lock service and a real engine. */
export interface SectionBench extends AsyncDisposable {
  readonly stage: Stage;
  readonly lambda: LocalLambda;
  /** Between the service and the engine. */
  readonly answers: LostAnswers;
  /** What Step Functions says of executions, by their names; those that it does not know do not exist. */
  readonly statuses: Map<string, string>;
  /** What was asked of the service, by all executions so far. */
  readonly sent: readonly SentRequest[];
  /** Synthesizes a machine. */
  readonly machine: (build: (parts: Parts) => IChainable) => StateMachineDefinition;
  readonly run: (
    definition: StateMachineDefinition,
    input: Json,
    options?: RunOptions,
  ) => Promise<ExecutionOutcome>;
  /** Delivers the event of an execution's end, as the rule does. */
  readonly tellEnd: (executionName: string, status: string) => Promise<unknown>;
}

/** The ARN of an execution on the bench. */
export function executionArn(name: string): string {
  return `arn:aws:states:eu-central-1:000000000000:execution:Machine:${name}`;
}

/** Starts an engine, a table, Step Functions' part that is asked, and the functions' processes. */
export async function sectionBench(): Promise<SectionBench> {
  const statuses = new Map<string, string>();
  const [stage, stepFunctions] = await Promise.all([
    Stage.open(),
    scriptedStepFunctions({
      DescribeExecution: ({ executionArn: arn }: { readonly executionArn: string }) => {
        const status = statuses.get(arn.split(':').at(-1)!);
        return status ? { executionArn: arn, status } : { __type: 'ExecutionDoesNotExist' };
      },
    }),
  ]);
  const answers = await lostAnswers(stage.dynamo.endpoint);
  const lambda = await startLocalLambda({
    functions: {
      locks: {
        handler: bundledHandler('lock-service'),
        env: {
          LEASEHOLD_TABLE: stage.table,
          LEASEHOLD_DYNAMODB_ENDPOINT: answers.endpoint,
          LEASEHOLD_STEPFUNCTIONS_ENDPOINT: stepFunctions.env.AWS_ENDPOINT_URL_SFN!,
          LEASEHOLD_LOGS: 'off',
          LEASEHOLD_METRICS: 'off',
        },
      },
      task: { handler: fileURLToPath(new URL('./section-task.ts', import.meta.url)) },
    },
  });
  const sent: SentRequest[] = [];
  let runs = 0;
  return {
    stage,
    lambda,
    answers,
    statuses,
    sent,
    machine: definitionOfMachine,
    run(definition, input, { name = `run-${++runs}`, signal, beforeLock, afterLock, onTask } = {}) {
      statuses.set(name, 'RUNNING');
      const ended = runStateMachine(definition, input, {
        executionName: name,
        executionArn: executionArn(name),
        pauseMs: 5,
        ...(signal && { signal }),
        async invoke(functionName, event, abort) {
          if (functionName !== 'locks') {
            await onTask?.(event as Json);
            return lambda.invoke('task', event, abort);
          }
          const request = event as SentRequest;
          sent.push(request);
          await beforeLock?.(request);
          const answer = await lambda.invoke('locks', event, abort);
          await afterLock?.(request);
          return answer;
        },
      });
      const settle = (status: string) => statuses.set(name, status);
      ended.then(
        ({ status }) => settle(status),
        () => settle('ABORTED'),
      );
      return ended;
    },
    tellEnd(name, status) {
      const detail = { executionArn: executionArn(name), status };
      return lambda.invoke('locks', {
        source: 'aws.states',
        'detail-type': 'Step Functions Execution Status Change',
        detail,
      });
    },
    async [Symbol.asyncDispose]() {
      await lambda.stop();
      await answers[Symbol.asyncDispose]();
      await stepFunctions[Symbol.asyncDispose]();
      await stage.close();
    },
  };
}

/** The definition out of a synthesized template, as CDK deploys it; functions go by local names. */
function definitionOfMachine(build: (parts: Parts) => IChainable): StateMachineDefinition {
  const stack = emptyStack();
  const service = new LockService(stack, 'Locks');
  const lambda = LambdaFunction.fromFunctionName(stack, 'Task', 'task');
  const task: Parts['task'] = (id, { act, timeoutS } = {}) =>
    new LambdaInvoke(stack, id, {
      lambdaFunction: lambda,
      payload: TaskInput.fromObject({ input: JsonPath.objectAt('$'), ...(act && { act }) }),
      outputPath: '$.Payload.did',
      retryOnServiceExceptions: false,
      taskTimeout: Timeout.duration(Duration.seconds(timeoutS ?? 50)),
    });
  const machine = new StateMachine(stack, 'Machine', {
    definitionBody: DefinitionBody.fromChainable(build({ stack, service, task })),
  });
  service.watchExecutions(machine);
  const template = Template.fromStack(stack).toJSON();
  const idOf = (element: unknown) => stack.getLogicalId(element as CfnElement);
  const names = new Map([[idOf(service.function.node.defaultChild), 'locks']]);
  const text = template.Resources[idOf(machine.node.defaultChild)].Properties.DefinitionString;
  return JSON.parse(templateText(text, template, names)) as StateMachineDefinition;
}
