import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ExecutionOutcome,
  type Json,
  type LocalLambda,
  runStateMachine,
  type StateMachineDefinition,
  synthesizedStateMachine,
} from '../../../bin/start/state-machine/index.js';
import type { VerdictAnswer } from '../../../lib/scan/index.js';
import { lambdaFixture, type ScanBench, scanBench } from '../../support/lambda/scan-bench.js';

const keys = Array.from(
  { length: 152 },
  (_, i) => `${'abcdefgh'[i % 8]}/${i.toString(36).padStart(3, '0')}/object-${i}.txt`,
);

let bench: ScanBench;
/** Used by all that need nothing of their own. */
let plain: LocalLambda;
let definition: StateMachineDefinition;
let walked: { readonly objects: number; readonly bytes: number };

beforeAll(async () => {
  [bench, definition] = await Promise.all([scanBench(keys), synthesizedStateMachine({ seats: 3 })]);
  walked = await bench.walked();
  plain = await bench.start();
});

afterAll(async () => {
  await plain?.stop();
  await bench?.[Symbol.asyncDispose]();
});

const runOn = (lambda: LocalLambda, executionName: string, input: Json) =>
  runStateMachine(definition, input, { invoke: lambda.invoke, executionName });

function parseVerdict(outcome: ExecutionOutcome): VerdictAnswer {
  expect(outcome).toMatchObject({ status: 'SUCCEEDED' });
  return (outcome as { output: unknown }).output as VerdictAnswer;
}

describe('the synthesized state machine with the bundled functions on a real engine', () => {
  it('scans a prefix: what it reports is what an independent walk finds', async () => {
    const { status, report } = parseVerdict(
      await runOn(plain, 'whole', { bucket: 'data', seats: 3, slices: 6, pageSize: 20 }),
    );
    expect({ status, objects: report.objects, bytes: report.bytes }).toEqual({
      status: 'complete',
      ...walked,
    });
    expect(report).toMatchObject({ tiles: true, unfinished: 0, failureCount: 0, quarantined: [] });
    expect(report.slices).toBeGreaterThan(1);
  });

  it('survives a worker killed in mid-slice', async () => {
    const killed: number[] = [];
    let takeovers = 0;
    await using lambda = await bench.start({
      env: { LEASEHOLD_LEASE_MS: '3000' },
      work: { preload: [lambdaFixture('forward-scan-events')] },
      hooks: {
        onMessage({ pid }, message) {
          const { event, pages, takenOver } = message as {
            event: string;
            pages?: number;
            takenOver?: boolean;
          };
          if (event === 'scan-slice-acquired' && takenOver) takeovers += 1;
          if (event !== 'scan-page-claimed' || killed.length > 0 || (pages ?? 0) < 1) return;
          killed.push(pid);
          process.kill(pid, 'SIGKILL');
        },
      },
    });
    const { status, report } = parseVerdict(
      await runOn(lambda, 'crash', { bucket: 'data', seats: 3, slices: 4, pageSize: 5 }),
    );
    expect(killed).toHaveLength(1);
    expect({ status, objects: report.objects, bytes: report.bytes }).toEqual({
      status: 'complete',
      ...walked,
    });
    expect(takeovers).toBeGreaterThan(0);
  });

  // On a busy machine there is time for one page an invocation.
  it('a worker without time for all answers "more" and is invoked again', { timeout: 240_000 }, async () => {
    const answers: string[] = [];
    await using lambda = await bench.start({ work: { timeoutMs: 5_200 } });
    const outcome = await runStateMachine(
      definition,
      { bucket: 'data', seats: 1, slices: 1, pageSize: 2 },
      {
        executionName: 'more',
        async invoke(name, event, signal) {
          const answer = (await lambda.invoke(name, event, signal)) as { status: string };
          if (name === 'work') answers.push(answer.status);
          return answer;
        },
      },
    );
    expect(parseVerdict(outcome).report.objects).toBe(walked.objects);
    expect(answers.length).toBeGreaterThan(1);
    expect(new Set(answers.slice(0, -1))).toEqual(new Set(['more']));
  });

  it('goes on with an earlier run, which is done already', async () => {
    const { report } = parseVerdict(await runOn(plain, 'again', { run: 'whole', bucket: 'data', seats: 2 }));
    expect(report).toMatchObject(walked);
  });

  it('fences its ledger', async () => {
    await using lambda = await bench.start({ env: { LEASEHOLD_LEDGER_TABLE: 'ledger' } });
    const { report } = parseVerdict(
      await runOn(lambda, 'ledger', { bucket: 'data', prefix: 'a/', seats: 2, pageSize: 10 }),
    );
    expect(report.objects).toBe(keys.filter((key) => key.startsWith('a/')).length);
    const { Items = [] } = await bench.client.send(
      new ScanCommand({ TableName: 'ledger', ConsistentRead: true }),
    );
    expect(Items.length).toBeGreaterThan(0);
    for (const item of Items) expect(Number(item.fence?.N)).toBeGreaterThan(0);
  });
});

describe('what the functions refuse', () => {
  it.each([
    [{ bucket: 'data', seats: 0 }, 'seats: must be a whole number from 1 to 1000, got 0'],
    [{ bucket: 'data', seats: 1_001 }, 'seats: must be a whole number from 1 to 1000, got 1001'],
    [{ bucket: '', seats: 1 }, 'bucket: must be a string that is not empty, got ""'],
    [{ bucket: 'data', pageSize: 'many' }, 'pageSize: must be a whole number from 1 to 1000, got "many"'],
    [{ bucket: 'data', cuts: 'm' }, 'cuts: must be a list of strings, got "m"'],
  ])('%j: a UsageError that is not retried', async (input, cause) => {
    expect(await runOn(plain, 'wrong', input)).toEqual({ status: 'FAILED', error: 'UsageError', cause });
  });

  it('a bucket that is not there', async () => {
    expect(await runOn(plain, 'no-bucket', { bucket: 'nothing', seats: 1 })).toMatchObject({
      status: 'FAILED',
      error: 'UsageError',
    });
  });

  it('an environment without a table', async () => {
    await using lambda = await bench.start({ env: { LEASEHOLD_TABLE: '' } });
    expect(await runOn(lambda, 'no-table', { bucket: 'data' })).toEqual({
      status: 'FAILED',
      error: 'UsageError',
      cause: 'LEASEHOLD_TABLE: the name of the lease table is missing',
    });
  });
});
