import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Json,
  type LocalLambda,
  runStateMachine,
  type StateMachineDefinition,
  startLocalLambda,
} from '../../../bin/start/state-machine/index.js';
import { useStage } from '../../support/use-stage.js';

const states = ['reserve', 'charge', 'ship'] as const;

/** Three functions in a row, each a task that is retried when its process ends. */
const definition: StateMachineDefinition = {
  StartAt: 'reserve',
  States: Object.fromEntries(
    states.map((name, i) => [
      name,
      {
        Type: 'Task',
        Resource: 'arn:aws:states:::lambda:invoke',
        Parameters: { FunctionName: name, 'Payload.$': '$' },
        OutputPath: '$.Payload',
        Retry: [{ ErrorEquals: ['Runtime.ExitError'], MaxAttempts: 2, IntervalSeconds: 1 }],
        ...(i + 1 < states.length ? { Next: states[i + 1] } : { End: true }),
      },
    ]),
  ),
};

describe('a lock over the states of an execution', () => {
  const stage = useStage();
  let lambda: LocalLambda;

  beforeAll(async () => {
    const handler = new URL('../../support/lambda/line-of-states.ts', import.meta.url).pathname;
    const env = { LEASEHOLD_TABLE: stage.it.table, LEASEHOLD_DYNAMODB_ENDPOINT: stage.it.dynamo.endpoint };
    lambda = await startLocalLambda({
      functions: Object.fromEntries(
        states.map((name, i) => {
          const last = i + 1 === states.length && { LAST: 'yes' };
          return [name, { handler, env: { ...env, STATE: name, ...last } }];
        }),
      ),
    });
  });
  afterAll(() => lambda.stop());

  const run = (input: Json, invoke = lambda.invoke) =>
    runStateMachine(definition, input, { invoke, executionName: 'line', pauseMs: 5 });

  it('goes from state to state: held all along, a higher token each, free at the end', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const holders: (string | undefined)[] = [];
    const outcome = await run({ name }, async (state, event) => {
      // Between two states nothing runs that could hold it, and nobody else can have it.
      if (state !== 'reserve') {
        expect(await locks.tryAcquire(name)).toBeNull();
        holders.push((await stage.it.item(name))?.leaseId);
      }
      return lambda.invoke(state, event);
    });
    expect(outcome).toMatchObject({ status: 'SUCCEEDED' });
    const { tokens } = (outcome as unknown as { output: { tokens: number[] } }).output;
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
    expect(tokens).toHaveLength(3);
    expect(new Set(holders).size).toBe(2);
    expect(await stage.it.item(name)).toMatchObject({ version: tokens[2], checkpoint: { doneBy: 'ship' } });
    expect((await stage.it.item(name))?.leaseId).toBeUndefined();
  });

  it.each(['charge', 'ship'])(
    'a crash in %s: its retry goes on at once with the same JSON',
    async (crash) => {
      const name = stage.name();
      const outcome = await run({ name, crash });
      expect(outcome).toMatchObject({ status: 'SUCCEEDED' });
      const { tokens } = (outcome as unknown as { output: { tokens: number[] } }).output;
      // The crashed attempt has had a token of its own: each is at least one above the one before.
      expect(tokens[2]! - tokens[0]!).toBeGreaterThanOrEqual(3);
      expect((await stage.it.item(name))?.leaseId).toBeUndefined();
    },
  );

  it('a lock that an operator breaks between two states ends the execution by name', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const outcome = await run({ name }, async (state, event) => {
      if (state === 'charge') await locks.break(name, (await locks.inspect(name))!.leaseId!);
      return lambda.invoke(state, event);
    });
    expect(outcome).toMatchObject({ status: 'FAILED', error: 'LockLostError' });
  });
});
