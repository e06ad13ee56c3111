import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startLockServiceHandler } from '../../../lib/lambda/lock-service-handler.js';
import { sleep, systemRuntime } from '../../../lib/runtime/index.js';
import { until } from '../../support/until.js';

const request = { operation: 'acquire', name: 'a', owner: 'o', leaseId: 'lease-id-1', leaseMs: 10_000 };
const context = (remainingMs: number) => ({ getRemainingTimeInMillis: () => remainingMs });

/** A table that takes every write and finds nothing; Node tells the time with each answer. */
async function emptyTable(answer = (to: ServerResponse) => to.end('{}')) {
  const asked: string[] = [];
  const server = createServer((from: IncomingMessage, to: ServerResponse) => {
    asked.push(String(from.headers['x-amz-target']).split('.')[1]!);
    answer(to.setHeader('content-type', 'application/x-amz-json-1.0'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    asked,
    env: { LEASEHOLD_TABLE: 't', LEASEHOLD_DYNAMODB_ENDPOINT: `http://127.0.0.1:${port}` },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('the function of the lock service', () => {
  beforeEach(() => {
    const place = { AWS_REGION: 'eu-west-1', HTTPS_PROXY: '', HTTP_PROXY: '' };
    const credentials = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
    for (const [name, value] of Object.entries({ ...place, ...credentials })) vi.stubEnv(name, value);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('asks for the time while it starts, so that its first caller waits for a write only', async () => {
    await using table = await emptyTable();
    const handle = startLockServiceHandler(table.env);
    await until('the time was asked for', () => table.asked.length === 1);
    expect(await handle(request, context(10_000))).toMatchObject({ ok: true });
    expect(table.asked).toEqual(['GetItem', 'UpdateItem']);
  });

  it('does not wait for what came to nothing since it started', async () => {
    let isFirst = true;
    await using table = await emptyTable((to) => {
      // The answer to what was sent before a freeze: it never comes.
      if (!isFirst) to.end('{}');
      isFirst = false;
      return to;
    });
    const handle = startLockServiceHandler(table.env);
    await until('the time was asked for', () => table.asked.length === 1);
    await sleep(systemRuntime, 300);
    // Less than an attempt may take: whoever waited for the first would be told that the store did not answer.
    expect(await handle(request, context(850))).toMatchObject({ ok: true });
  });

  it('tells its first caller what can’t be right in its settings, and nobody before', async () => {
    const handle = startLockServiceHandler({});
    await expect(handle(request, context(10_000))).rejects.toThrow('LEASEHOLD_TABLE');
  });

  it('asks again where that failed', async () => {
    let isFirst = true;
    await using table = await emptyTable((to) => {
      // Without its date an answer tells no time.
      to.sendDate = !isFirst;
      isFirst = false;
      return to.end('{}');
    });
    const handle = startLockServiceHandler(table.env);
    await until('the time was asked for', () => table.asked.length === 1);
    await sleep(systemRuntime, 50);
    expect(await handle(request, context(10_000))).toMatchObject({ ok: true });
    expect(table.asked).toEqual(['GetItem', 'GetItem', 'UpdateItem']);
  });
});
