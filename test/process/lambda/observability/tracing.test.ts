import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleLambda } from '../../../../bin/build/lambda-bundles.js';
import { startLocalLambda } from '../../../../bin/start/state-machine/index.js';
import { createLeaseTable, type LocalDynamo, startDynamo } from '../../../../lib/local/index.js';
import { lambdaFixture } from '../../../support/lambda/scan-bench.js';
import { until } from '../../../support/until.js';

let dynamo: LocalDynamo;
let home: string;
let handler: string;

beforeAll(async () => {
  dynamo = await startDynamo();
  const client = new DynamoDBClient(dynamo.clientConfig());
  await createLeaseTable(client, 'leases');
  client.destroy();
  home = await mkdtemp(join(tmpdir(), 'leasehold-traced-'));
  handler = (await bundleLambda(lambdaFixture('observed-locks'), home)).path;
});
afterAll(async () => {
  await dynamo?.stop();
  await rm(home, { recursive: true, force: true });
});

/** What X-Ray's daemon is sent: a header line, and a segment as JSON. */
interface Subsegment {
  readonly name: string;
  readonly trace_id: string;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly cause?: { readonly exceptions?: readonly { readonly type: string }[] };
}

/** Listens where the daemon would. */
async function daemon(): Promise<
  { readonly port: number; readonly sent: readonly Subsegment[] } & AsyncDisposable
> {
  const sent: Subsegment[] = [];
  const socket: Socket = createSocket('udp4').on('message', (message) => {
    sent.push(JSON.parse(message.toString().split('\n')[1]!));
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    port: socket.address().port,
    sent,
    [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** As Lambda sets it up for a sampled invocation. */
const traced = (port: number) => ({
  LEASEHOLD_TRACING: 'on',
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  LAMBDA_TASK_ROOT: home,
  AWS_XRAY_DAEMON_ADDRESS: `127.0.0.1:${port}`,
  _X_AMZN_TRACE_ID: 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1',
});

const started = (env: Readonly<Record<string, string>>) =>
  startLocalLambda({
    functions: {
      locks: {
        handler,
        env: { LEASEHOLD_DYNAMODB_ENDPOINT: dynamo.endpoint, POWERTOOLS_SERVICE_NAME: 'orders', ...env },
      },
    },
  });

describe('tracing that is switched on', () => {
  it('sends a subsegment for the invocation, annotated with the lock', async () => {
    await using xray = await daemon();
    await using lambda = await started(traced(xray.port));
    expect(await lambda.invoke('locks', { operation: 'hold', name: 't/one' })).toBe('hold');
    await until('a subsegment', () => xray.sent.some(({ name }) => name === '## locks'));
    expect(xray.sent.find(({ name }) => name === '## locks')).toMatchObject({
      trace_id: '1-5759e988-bd862e3fe1be46a994272793',
      annotations: { Service: 'orders', ColdStart: true, lock: 't/one', operation: 'hold' },
    });
  });

  it('tells the error of an invocation that failed, which comes out unchanged', async () => {
    await using xray = await daemon();
    await using lambda = await started(traced(xray.port));
    await expect(lambda.invoke('locks', { operation: 'lose', name: 't/lost' })).rejects.toMatchObject({
      name: 'LockLostError',
    });
    await until('a subsegment', () => xray.sent.some(({ name }) => name === '## locks'));
    const { cause } = xray.sent.find(({ name }) => name === '## locks')!;
    expect(cause?.exceptions?.map(({ type }) => type)).toEqual(['LockLostError']);
  });

  it('neither fails nor delays anything where nobody listens', async () => {
    await using lambda = await started(traced(9));
    expect(await lambda.invoke('locks', { operation: 'hold', name: 't/alone' })).toBe('hold');
    expect(await lambda.invoke('locks', { operation: 'hold', name: 't/alone' })).toBe('hold');
    expect(lambda.environments()).toHaveLength(1);
  });

  it('does nothing outside of Lambda', async () => {
    await using lambda = await started({ LEASEHOLD_TRACING: 'on' });
    expect(await lambda.invoke('locks', { operation: 'hold', name: 't/outside' })).toBe('hold');
  });
});

/** What only the code of each part has in it: of X-Ray's SDK, of the logger, of the embedded format. */
const marks = {
  tracing: 'AWS_XRAY_CONTEXT_MISSING',
  logs: 'POWERTOOLS_LOG_LEVEL',
  metrics: 'CloudWatchMetrics',
};

async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const files = (await readdir(folder)).map((file) => join(folder, file));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return files.filter((_, i) => texts[i]!.includes(text));
}

describe('what is switched off', () => {
  it('is not even loaded: the function runs without the chunks', async () => {
    const chunks = join(home, 'chunks');
    for (const mark of Object.values(marks)) {
      const parts = await filesWith(chunks, mark);
      expect(parts).not.toEqual([]);
      for (const part of parts) await rm(part);
    }
    const off = { LEASEHOLD_LOGS: 'off', LEASEHOLD_METRICS: 'off' };
    await using quiet = await started(off);
    expect(await quiet.invoke('locks', { operation: 'hold', name: 't/off' })).toBe('hold');
    await using loud = await started({ ...off, LEASEHOLD_TRACING: 'on' });
    await expect(loud.invoke('locks', { operation: 'hold', name: 't/off' })).rejects.toThrow(
      /Cannot find module/,
    );
  });
});
