import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type ExecutionOutcome,
  type Invoke,
  type LocalLambda,
  runStateMachine,
  startLocalLambda,
} from '../../../bin/start/state-machine/index.js';
import { ScanProcessor } from '../../../lib/cdk/index.js';
import type { VerdictAnswer } from '../../../lib/scan/index.js';
import { deployedScan } from '../../support/lambda/deployed-scan.js';
import { ignoredFields } from '../../support/lambda/ignored-fields.js';
import { lambdaFixture, type ScanBench, scanBench } from '../../support/lambda/scan-bench.js';

// A processor of a user's own, deployed by `SliceScan`: its bundle out of the cloud assembly runs in child processes
// on a real engine, under the definition out of the template, with a failure at every state.

const keys = Array.from({ length: 36 }, (_, i) => {
  const kind = i === 10 ? 'crash' : i === 24 ? 'poison' : 'plain';
  return `${'abc'[i % 3]}/${String(i).padStart(2, '0')}-${kind}.txt`;
});
const lines = (key: string) => 1 + (key.charCodeAt(2) % 7);

const scan = await deployedScan({
  processor: ScanProcessor.fromEntry(lambdaFixture('line-counts')),
  seats: 3,
  maxRounds: 2,
  readObjects: true,
});

let bench: ScanBench;
let lambda: LocalLambda;
let mischief: string;
let runs = 0;

beforeAll(async () => {
  bench = await scanBench(keys, (key) => 'line\n'.repeat(lines(key)));
  mischief = await mkdtemp(join(tmpdir(), 'leasehold-mischief-'));
  const env = { ...bench.env, LEASEHOLD_LEASE_MS: '1500', MISCHIEF: mischief };
  const functions = Object.entries(scan.functions).map(
    ([name, code]) => [name, { ...code, env, timeoutMs: 30_000 }] as const,
  );
  lambda = await startLocalLambda({ functions: Object.fromEntries(functions) });
});
afterEach(async () => {
  for (const name of await readdir(mischief)) await rm(join(mischief, name));
});
afterAll(async () => {
  // One runtime for all tests: what lives from one execution to the next is used again, as it is in Lambda.
  await lambda?.stop();
  await rm(mischief, { recursive: true, force: true });
  await bench?.[Symbol.asyncDispose]();
  await scan[Symbol.asyncDispose]();
});

const strike = (name: string) => writeFile(join(mischief, name), '');

function execute(run: string, invoke: Invoke = lambda.invoke): Promise<ExecutionOutcome> {
  const input = { run, slices: 6, pageSize: 5 };
  return runStateMachine(scan.definition, input, { invoke, executionName: `e-${run}`, pauseMs: 5 });
}

const newRun = () => `run-${++runs}`;

/** An `invoke` that throws for some invocations, by the error's name. */
function throwing(
  wanted: (functionName: string, event: Record<string, unknown>) => string | undefined | false,
): Invoke {
  return async (functionName, event, signal) => {
    const name = wanted(functionName, event as Record<string, unknown>);
    if (!name) return lambda.invoke(functionName, event, signal);
    throw Object.assign(new Error(`${functionName} was struck`), { name });
  };
}

const walked = { objects: keys.length, lines: keys.reduce((sum, key) => sum + lines(key), 0) };

function expectComplete(outcome: ExecutionOutcome): void {
  expect(outcome).toMatchObject({ status: 'SUCCEEDED' });
  const { status, report } = (outcome as { output: unknown }).output as VerdictAnswer;
  expect(status).toBe('complete');
  expect(report).toMatchObject({ objects: walked.objects, tiles: true, unfinished: 0 });
  // By the user's own merge, which counts what the inventory would not.
  expect(report.result).toMatchObject(walked);
}

/** The slices of a run that somebody holds, by the table. */
async function held(run: string): Promise<readonly string[]> {
  const { Items = [] } = await bench.client.send(
    new ScanCommand({ TableName: 'leases', ConsistentRead: true }),
  );
  const slices = Items.map((item) => unmarshall(item)).filter(({ name }) => name.startsWith(`scan/${run}/`));
  expect(slices.length).toBeGreaterThan(1);
  return slices.filter(({ leaseId }) => leaseId !== undefined).map(({ name }) => name);
}

it('reads every object once, and verify merges by the same processor', async () => {
  const run = newRun();
  expectComplete(await execute(run));
  expect(await held(run)).toEqual([]);
});

describe('Plan', () => {
  it('that the store fails is retried', async () => {
    let left = 2;
    expectComplete(
      await execute(
        newRun(),
        throwing((name) => name === 'plan' && left-- > 0 && 'StoreError'),
      ),
    );
  });

  it('that is denied fails the execution with its own error, and nothing is locked', async () => {
    const run = newRun();
    expect(
      await execute(
        run,
        throwing((name) => name === 'plan' && 'AccessDeniedException'),
      ),
    ).toEqual({
      status: 'FAILED',
      error: 'AccessDeniedException',
      cause: 'plan was struck',
    });
    expectComplete(await execute(run));
  });
});

describe('Work', () => {
  it('that crashes in mid-page is taken over: no key is lost, none counts twice', async () => {
    await strike('work-crashes');
    const run = newRun();
    expectComplete(await execute(run));
    expect(await held(run)).toEqual([]);
  });

  it('whose seat fails for good stops nobody: the others take its slices', async () => {
    const invoke = throwing((name, { seat }) => name === 'work' && seat === 0 && 'AccessDeniedException');
    expectComplete(await execute(newRun(), invoke));
  });

  it('whose seats all fail for good: that error ends the run, not the count of rounds', async () => {
    const run = newRun();
    const outcome = await execute(
      run,
      throwing((name) => name === 'work' && 'AccessDeniedException'),
    );
    expect(outcome).toMatchObject({
      status: 'FAILED',
      error: 'AccessDeniedException',
      cause: expect.stringMatching(
        /slices are unfinished after round 1; seat 0 failed: AccessDeniedException/,
      ),
    });
    expect(await held(run)).toEqual([]);
    expectComplete(await execute(run));
  });

  it('whose seats all crash for ever: too many rounds, and the cause names the crash', async () => {
    const run = newRun();
    const outcome = await execute(
      run,
      throwing((name) => name === 'work' && 'Runtime.ExitError'),
    );
    expect(outcome).toMatchObject({
      status: 'FAILED',
      error: 'TooManyRounds',
      cause: expect.stringMatching(/unfinished after round 2; .*seat 2 gave up: Runtime.ExitError/),
    });
    expectComplete(await execute(run));
  });

  it('whose processor throws on a page: its slice alone is quarantined, with the error', async () => {
    await strike('page-throws');
    const run = newRun();
    expect(await execute(run)).toMatchObject({
      status: 'FAILED',
      error: 'ScanFailed',
      cause: expect.stringMatching(/is quarantined after 4 attempts: RangeError: the page is out of order/),
    });
    expect(await held(run)).toEqual([]);
  });

  it('whose processor can not work on one object: the run completes with failures, naming it', async () => {
    await strike('work-throws');
    const run = newRun();
    expect(await execute(run)).toMatchObject({
      status: 'FAILED',
      error: 'CompletedWithFailures',
      cause: expect.stringMatching(/1 objects could not be worked on; the first: .*poison.*can't read/),
    });
    expect(await held(run)).toEqual([]);
  });
});

describe('Verify', () => {
  it('that throws fails the execution with its own error; all is done, and a later one succeeds', async () => {
    await strike('verify-throws');
    const run = newRun();
    expect(await execute(run)).toEqual({
      status: 'FAILED',
      error: 'TypeError',
      cause: 'merge is out of order',
    });
    expect(await held(run)).toEqual([]);
    await rm(join(mischief, 'verify-throws'));
    expectComplete(await execute(run));
  });

  it('that the store fails is retried', async () => {
    let left = 3;
    expectComplete(
      await execute(
        newRun(),
        throwing((name) => name === 'verify' && left-- > 0 && 'StoreError'),
      ),
    );
  });
});

describe('Seats', () => {
  it('that fail as a map fail the execution; its slices are free, and a later one succeeds', async () => {
    const run = newRun();
    const noSeats: Invoke = async (name, event, signal) => {
      const answer = await lambda.invoke(name, event, signal);
      return name === 'plan' ? { ...(answer as object), seats: [{}, {}] } : answer;
    };
    expect(await execute(run, noSeats)).toMatchObject({
      status: 'FAILED',
      cause: expect.stringMatching(/\$\.run/),
    });
    expect(await held(run)).toEqual([]);
    expectComplete(await execute(run));
  });
});

describe('what the local interpreter reads over', () => {
  it('is not tested here, and is all that the definition has of it', () => {
    expect(ignoredFields(scan.definition)).toEqual([
      'Seats: Label',
      'Seats: Mode DISTRIBUTED runs inline, without executions of its own',
    ]);
  });
});
