import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleLambda } from '../../../../bin/build/lambda-bundles.js';
import { type LocalLambda, startLocalLambda } from '../../../../bin/start/state-machine/index.js';
import { LeaseMetrics } from '../../../../lib/cdk/observability/lease-metrics.js';
import { type MetricName, metricUnits } from '../../../../lib/lambda/observability/metric-names.js';
import { createLeaseTable, type LocalDynamo, startDynamo } from '../../../../lib/local/index.js';
import type { LockTask } from '../../../support/lambda/observed-locks.js';
import { ObservedOutput } from '../../../support/lambda/observed-output.js';
import { lambdaFixture } from '../../../support/lambda/scan-bench.js';
import { madeTable } from '../../../support/made-table.js';
import { aWhile, until } from '../../../support/until.js';

let dynamo: LocalDynamo;
let client: DynamoDBClient;
let home: string;
let handler: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'leasehold-observed-'));
  handler = (await bundleLambda(lambdaFixture('observed-locks'), home)).path;
  dynamo = await startDynamo();
  client = new DynamoDBClient(dynamo.clientConfig());
  await createLeaseTable(client, 'leases');
  await madeTable(client, 'ledger', 'slice');
});
afterAll(async () => {
  client?.destroy();
  await dynamo?.stop();
  await rm(home, { recursive: true, force: true });
});

interface Observed extends AsyncDisposable {
  readonly output: ObservedOutput;
  readonly lambda: LocalLambda;
  /** Invokes in a process of its own; answers the result, or the error's name. */
  readonly run: (operation: LockTask['operation'], name: string, times?: number) => Promise<unknown>;
}

async function observedFunction(env: Readonly<Record<string, string>> = {}): Promise<Observed> {
  const output = new ObservedOutput();
  const lambda = await startLocalLambda({
    functions: {
      locks: {
        handler,
        env: { LEASEHOLD_DYNAMODB_ENDPOINT: dynamo.endpoint, POWERTOOLS_SERVICE_NAME: 'orders', ...env },
      },
    },
    onOutput: output.take,
  });
  return {
    output,
    lambda,
    run: (operation, name, times) =>
      lambda.invoke('locks', { operation, name, times }).catch((error: Error) => error.name),
    [Symbol.asyncDispose]: () => lambda.stop(),
  };
}

async function leaseIdsOf(name: string): Promise<readonly string[]> {
  const key = { TableName: 'leases', Key: { name: { S: name } }, ConsistentRead: true };
  const { Item } = await client.send(new GetItemCommand(key));
  return [Item?.leaseId?.S, Item?.lastLeaseId?.S].filter((id) => id !== undefined);
}

/** The answer comes by another way than the output, which may be a moment later. */
const metric = (output: ObservedOutput, name: string, values: number) =>
  until(`${values} values of ${name}`, () => output.metrics[name]?.values.length === values);

describe('metrics of a function that uses locks', () => {
  it('count what happened, once each, over several invocations of one process', async () => {
    await using held = await observedFunction();
    await using app = await observedFunction();
    expect(await held.run('leave', 'm/held')).toBe('leave');
    for (let i = 0; i < 3; i++) expect(await app.run('hold', 'm/free', 2)).toBe('hold');
    expect(await app.run('complete', 'm/completed')).toBe('complete');
    expect(await app.run('try', 'm/held')).toBe('LockHeldError');
    expect(await app.run('lose', 'm/broken')).toBe('LockLostError');
    expect(await app.run('supersede', 'm/held')).toBe('supersede');
    expect(await app.run('stale', 'm/ledger')).toBe('StaleTokenError');
    await metric(app.output, 'StaleWriteRefused', 1);
    expect(app.lambda.environments()).toHaveLength(1);
    expect(app.output.counts).toEqual({
      // 3 × 2 held, 1 completed, 1 lost, 1 superseding, 2 before the stale write. Who supersedes was not refused.
      Granted: 11,
      Held: 1,
      Takeover: 1,
      Lost: 1,
      LostBroken: 1,
      StaleWriteRefused: 1,
    });
    expect(app.output.metrics.Waited?.values).toHaveLength(11);
    expect(app.output.metrics.HoldTime?.values).toHaveLength(10);
    for (const ms of app.output.metrics.HoldTime!.values) expect(ms).toBeGreaterThanOrEqual(0);
  });

  it('have namespace, dimension and unit as the constructs ask for them', async () => {
    await using app = await observedFunction();
    await app.run('hold', 'm/names');
    await metric(app.output, 'HoldTime', 1);
    const asked = new LeaseMetrics('orders');
    for (const [name, { namespace, dimensions, unit }] of Object.entries(app.output.metrics)) {
      const metric = asked.metric(name as MetricName);
      expect({ namespace, dimensions }).toEqual({
        namespace: metric.namespace,
        dimensions: metric.dimensions,
      });
      expect(unit).toBe(metricUnits[name as MetricName]);
    }
  });

  it('are written also when the handler throws', async () => {
    await using app = await observedFunction();
    expect(await app.run('lose', 'm/thrown')).toBe('LockLostError');
    await metric(app.output, 'Lost', 1);
    expect(app.output.counts).toMatchObject({ Granted: 1, Lost: 1, LostBroken: 1 });
  });

  it('of a long invocation are written while it lasts', async () => {
    await using app = await observedFunction({ FLUSH_EVERY_MS: '0' });
    await app.run('hold', 'm/long');
    await metric(app.output, 'HoldTime', 1);
    // After the grant, and after the release; the end of the invocation has nothing to add.
    expect(app.output.flushes).toBe(2);
    expect(app.output.counts).toEqual({ Granted: 1 });
  });

  it('tell of each request that the table throttled, though the lock was granted in the end', async () => {
    await using app = await observedFunction();
    expect(await app.run('throttled', 'm/throttled')).toBe('throttled');
    await metric(app.output, 'StoreThrottled', 2);
    expect(app.output.counts).toEqual({ Granted: 1, StoreThrottled: 2 });
  });

  it('are none when they are switched off', async () => {
    await using app = await observedFunction({ LEASEHOLD_METRICS: 'off' });
    await app.run('hold', 'm/off');
    await until('a log line', () => app.output.logs.length >= 2);
    await aWhile();
    expect(app.output.flushes).toBe(0);
  });
});

describe('logs of a function that uses locks', () => {
  it('name lock, token and request, whether the process is new, and how long the lock was held', async () => {
    await using app = await observedFunction();
    await app.run('hold', 'l/one');
    await app.run('hold', 'l/two');
    await until('4 lines', () => app.output.logs.length === 4);
    const [granted, released, second] = app.output.logs;
    expect(granted).toMatchObject({
      level: 'INFO',
      message: 'lock granted',
      service: 'orders',
      lock: 'l/one',
      operation: 'hold',
      owner: 'worker',
      token: expect.any(Number),
      cold_start: true,
      function_name: 'locks',
      function_request_id: expect.any(String),
    });
    expect(released).toMatchObject({
      level: 'INFO',
      message: 'lock released',
      lock: 'l/one',
      token: granted!.token,
      heldMs: expect.any(Number),
    });
    expect(second).toMatchObject({ lock: 'l/two', cold_start: false });
    expect(second!.function_request_id).not.toBe(granted!.function_request_id);
  });

  it('say nothing of renewals unless DEBUG is asked for', async () => {
    await using quiet = await observedFunction();
    await using chatty = await observedFunction({ POWERTOOLS_LOG_LEVEL: 'DEBUG' });
    for (const { run } of [quiet, chatty]) await run('hold', 'l/renewed');
    const messages = ({ output }: Observed) => output.logs.map(({ message }) => message);
    await until('3 lines', () => chatty.output.logs.length === 3);
    expect(messages(chatty)).toEqual(['lock granted', 'lease renewed', 'lock released']);
    expect(messages(quiet)).toEqual(['lock granted', 'lock released']);
  });

  it('warn of what went wrong, with the reason, and tell who holds', async () => {
    await using held = await observedFunction();
    await using app = await observedFunction();
    await held.run('leave', 'l/held');
    await app.run('try', 'l/held');
    await app.run('supersede', 'l/held');
    await app.run('lose', 'l/broken');
    await app.run('stale', 'l/ledger');
    await until('the stale write', () => app.output.logs.some(({ lock }) => lock === 'l/ledger'));
    await until('its failure', () => app.output.logs.filter(({ level }) => level === 'ERROR').length === 3);
    const line = (message: string, lock: string) =>
      app.output.logs.find((one) => one.message === message && one.lock === lock);
    expect(line('lock held by another', 'l/held')).toMatchObject({
      level: 'INFO',
      holder: { owner: 'worker', token: expect.any(Number), remainingMs: expect.any(Number) },
    });
    // That it is held is an answer, no fault of the function.
    expect(line('invocation failed', 'l/held')).toMatchObject({
      level: 'INFO',
      error: { code: 'LOCK_HELD' },
    });
    expect(line('lock taken over', 'l/held')).toMatchObject({
      level: 'WARN',
      takenOverFrom: { owner: 'worker', token: expect.any(Number) },
    });
    expect(line('lease lost', 'l/broken')).toMatchObject({ level: 'ERROR', reason: 'broken' });
    expect(line('invocation failed', 'l/broken')).toMatchObject({
      level: 'ERROR',
      error: { name: 'LockLostError', reason: 'broken' },
    });
    expect(line('stale write refused', 'l/ledger')).toMatchObject({ level: 'WARN', resource: 'dynamodb' });
    expect(line('invocation failed', 'l/ledger')).toMatchObject({
      level: 'ERROR',
      error: { name: 'StaleTokenError', cause: { name: 'ConditionalCheckFailedException' } },
    });
  });

  it('never show a lease id: whoever knows it can release the lease', async () => {
    await using held = await observedFunction({ POWERTOOLS_LOG_LEVEL: 'DEBUG' });
    await using app = await observedFunction({ POWERTOOLS_LOG_LEVEL: 'DEBUG' });
    const secrets = new Set<string>();
    for (const [{ run }, operation] of [
      [held, 'leave'],
      [app, 'try'],
      [app, 'supersede'],
      [app, 'lose'],
    ] as const) {
      await run(operation, 'l/secret');
      // A lease that is superseded leaves no trace of its id.
      for (const id of await leaseIdsOf('l/secret')) secrets.add(id);
    }
    const failed = () => app.output.logs.filter(({ message }) => message === 'invocation failed');
    await until('both failures', () => failed().length === 2);
    expect(secrets.size).toBe(3);
    const written = [...held.output.lines, ...app.output.lines].join('\n');
    expect([...secrets].filter((secret) => written.includes(secret))).toEqual([]);
  });

  it('are none when they are switched off', async () => {
    await using app = await observedFunction({ LEASEHOLD_LOGS: 'off' });
    await app.run('lose', 'l/off');
    await metric(app.output, 'Lost', 1);
    await aWhile();
    expect(app.output.logs).toEqual([]);
  });
});

it('a switch that is neither on nor off is a UsageError of the invocation', async () => {
  await using app = await observedFunction({ LEASEHOLD_LOGS: 'yes' });
  await expect(app.lambda.invoke('locks', { operation: 'hold', name: 'x' })).rejects.toMatchObject({
    name: 'UsageError',
    message: 'LEASEHOLD_LOGS: must be "on" or "off", got "yes"',
  });
});

it('a function that tells nothing does its work all the same', async () => {
  await using app = await observedFunction({ LEASEHOLD_LOGS: 'off', LEASEHOLD_METRICS: 'off' });
  expect(await app.run('hold', 'quiet')).toBe('hold');
  await aWhile();
  expect(app.output.lines).toEqual([]);
});
