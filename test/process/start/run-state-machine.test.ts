import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, it } from 'vitest';
import {
  type ExecutionOutcome,
  type Json,
  type LocalLambda,
  runStateMachine,
  type StateMachineDefinition,
  startLocalLambda,
  synthesizedStateMachine,
} from '../../../bin/start/state-machine/index.js';
import { fixture, isAlive, until } from '../../support/start/processes.js';

let definition: StateMachineDefinition;
let lambda: LocalLambda;
let directory: string;
const pids = new Set<number>();

beforeAll(async () => {
  definition = await synthesizedStateMachine({ seats: 3 });
});

afterEach(async () => {
  await lambda.stop();
  rmSync(directory, { recursive: true, force: true });
  expect([...pids].filter(isAlive)).toEqual([]);
  pids.clear();
});

interface Script {
  readonly [key: string]: readonly string[];
}

async function run(
  script: Script,
  options: { readonly input?: Json; readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
): Promise<ExecutionOutcome> {
  directory = mkdtempSync(join(tmpdir(), 'leasehold-test-'));
  const scripted = {
    handler: fixture('scripted'),
    env: { DIRECTORY: directory, SCRIPT: JSON.stringify({ verify: ['complete'], ...script }) },
    timeoutMs: options.timeoutMs ?? 20_000,
  };
  lambda = await startLocalLambda({
    functions: { plan: { handler: fixture('plan') }, work: scripted, verify: scripted },
  });
  return runStateMachine(definition, options.input ?? {}, {
    invoke: (name, event, signal) => {
      const answer = lambda.invoke(name, event, signal);
      for (const environment of lambda.environments()) pids.add(environment.pid);
      return answer;
    },
    executionName: 'a-run',
    pauseMs: 5,
    ...(options.signal && { signal: options.signal }),
  });
}

const attempts = () =>
  Object.fromEntries(
    readdirSync(directory).map((key) => [key, readFileSync(join(directory, key), 'utf8').length]),
  );

it('plans, works every seat once, verifies', async () => {
  expect(await run({})).toEqual({
    status: 'SUCCEEDED',
    output: {
      status: 'complete',
      error: 'Error of complete',
      reason: 'because complete',
      report: { attempt: 1 },
    },
  });
  expect(attempts()).toEqual({ 'seat-0': 1, 'seat-1': 1, 'seat-2': 1, verify: 1 });
});

it("takes the execution's input before the defaults", async () => {
  await run({}, { input: { seats: 5 } });
  expect(Object.keys(attempts())).toHaveLength(6);
});

it('never works more seats at once than the definition allows', async () => {
  const once = run(
    { 'seat-0': ['hang'], 'seat-1': ['hang'], 'seat-2': ['hang'] },
    { input: { seats: 9 }, timeoutMs: 600 },
  );
  await until(() => lambda !== undefined && lambda.environments().length >= 3, 'three workers');
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(
    lambda.environments().filter(({ functionName, state }) => functionName === 'work' && state === 'busy'),
  ).toHaveLength(3);
  await lambda.stop();
  await once;
});

it('a seat that answers "more" is invoked again', async () => {
  expect(await run({ 'seat-1': ['more', 'more', 'done'] })).toMatchObject({ status: 'SUCCEEDED' });
  expect(attempts()).toEqual({ 'seat-0': 1, 'seat-1': 3, 'seat-2': 1, verify: 1 });
});

it.each([
  ['a crash (SIGKILL in mid-invocation)', 'die'],
  ['a StoreError', 'throw:StoreError'],
  ['an error of the service', 'throw:Lambda.ServiceException'],
])('%s is retried', async (_, word) => {
  expect(await run({ 'seat-0': [word, word, 'done'] })).toMatchObject({ status: 'SUCCEEDED' });
  expect(attempts()['seat-0']).toBe(3);
});

it('a time-out is retried', async () => {
  expect(await run({ 'seat-2': ['hang', 'done'] }, { timeoutMs: 1_000 })).toMatchObject({
    status: 'SUCCEEDED',
  });
  expect(attempts()['seat-2']).toBe(2);
});

it('a seat that crashes for ever gives up, and the verdict decides', async () => {
  expect(await run({ 'seat-0': ['die'] })).toMatchObject({
    status: 'SUCCEEDED',
    output: { report: { badEnds: [{ seat: 0, gaveUp: 'Runtime.ExitError' }] } },
  });
  expect(attempts()).toEqual({ 'seat-0': 6, 'seat-1': 1, 'seat-2': 1, verify: 1 });
});

it('a UsageError is not retried and stops nobody else; verify is told its name', async () => {
  expect(await run({ 'seat-0': ['throw:UsageError'] })).toMatchObject({
    status: 'SUCCEEDED',
    output: { report: { badEnds: [{ seat: 0, failed: 'UsageError' }] } },
  });
  expect(attempts()).toEqual({ 'seat-0': 1, 'seat-1': 1, 'seat-2': 1, verify: 1 });
});

it.each([['UsageError'], ['AccessDeniedException']])(
  'a verify that throws %s ends the run with that name and cause',
  async (name) => {
    expect(await run({ verify: [`throw:${name}`] })).toEqual({
      status: 'FAILED',
      error: name,
      cause: 'thrown by verify',
    });
    expect(attempts().verify).toBe(1);
  },
);

it('the verdict "more" fills the seats again', async () => {
  expect(await run({ verify: ['more', 'more', 'complete'] })).toMatchObject({ status: 'SUCCEEDED' });
  expect(attempts()).toEqual({ 'seat-0': 3, 'seat-1': 3, 'seat-2': 3, verify: 3 });
});

it('but not for ever', async () => {
  expect(await run({ verify: ['more'] })).toEqual({
    status: 'FAILED',
    error: 'TooManyRounds',
    cause: 'because more',
  });
  expect(attempts().verify).toBe(5);
});

it('failures of objects fail the execution under a name of their own', async () => {
  expect(await run({ verify: ['completed-with-failures'] })).toEqual({
    status: 'FAILED',
    error: 'CompletedWithFailures',
    cause: 'because completed-with-failures',
  });
});

it('a failed verdict tells its own error and cause', async () => {
  expect(await run({ verify: ['failed'] })).toEqual({
    status: 'FAILED',
    error: 'Error of failed',
    cause: 'because failed',
  });
});

it('abort ends the run with the reason of the signal, and no invocation goes on', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const aborted = expect(
    run({ 'seat-0': ['hang'], 'seat-1': ['more'] }, { signal: controller.signal }),
  ).rejects.toBe(reason);
  await until(() => directory !== undefined && readdirSync(directory).includes('seat-0'), 'the seat hangs');
  controller.abort(reason);
  await aborted;
  expect(lambda.environments().filter(({ state }) => state === 'busy')).toEqual([]);
  const count = attempts();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(attempts()).toEqual(count);
});

it('aborted before: nothing is invoked', async () => {
  const reason = new Error('not at all');
  await expect(run({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(lambda.environments()).toEqual([]);
});
