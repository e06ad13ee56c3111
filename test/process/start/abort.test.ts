import { expect, it } from 'vitest';
import { runStateMachine, type StateMachineDefinition } from '../../../bin/start/state-machine/index.js';

/** One task that is retried for ever. */
const retrying: StateMachineDefinition = {
  StartAt: 'Try',
  States: {
    Try: {
      Type: 'Task',
      Resource: 'arn:aws:states:::lambda:invoke',
      Parameters: { FunctionName: 'try', 'Payload.$': '$' },
      Retry: [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 1, MaxAttempts: 50 }],
      End: true,
    },
  },
};

it('an abort while a retry waits sends no further invocation, although the interpreter goes on with it', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  let invocations = 0;
  const run = runStateMachine(
    retrying,
    {},
    {
      executionName: 'aborted',
      signal: controller.signal,
      async invoke() {
        invocations += 1;
        setTimeout(() => controller.abort(reason), 20);
        throw new Error('try again');
      },
    },
  );
  await expect(run).rejects.toBe(reason);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(invocations).toBe(1);
});

it('a state that can not run here is refused before anything runs', async () => {
  const definition: StateMachineDefinition = {
    StartAt: 'Queue',
    States: { Queue: { Type: 'Task', Resource: 'arn:aws:states:::sqs:sendMessage', End: true } },
  };
  const invoke = () => Promise.reject(new Error('not reached'));
  await expect(runStateMachine(definition, {}, { invoke, executionName: 'refused' })).rejects.toThrow(
    'State "Queue": only lambda:invoke runs locally, not arn:aws:states:::sqs:sendMessage',
  );
});

it('a payload over the limit of Step Functions fails as it would there', async () => {
  const invoke = async () => 'x'.repeat(300_000);
  const { States, ...machine } = retrying;
  const { Retry: _, ...once } = States.Try ?? { Type: 'Task' };
  const definition = { ...machine, States: { Try: once } };
  expect(await runStateMachine(definition, {}, { invoke, executionName: 'large' })).toMatchObject({
    status: 'FAILED',
    error: 'States.DataLimitExceeded',
  });
});
