import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LockClient } from '../../../lib/index.js';
import { errorAnswer } from '../../support/canned-server.js';
import { useStage } from '../../support/use-stage.js';

const region = 'us-east-1';

describe('a client of our own, whose requests share what the SDK makes of its middleware', () => {
  const stage = useStage();
  beforeEach(() => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  });
  afterEach(() => vi.unstubAllEnvs());

  it('I1 I2 fifty calls at once are fifty requests, each with its own answer', async () => {
    const endpoint = String(stage.it.dynamo.clientConfig().endpoint);
    await using locks = new LockClient({ table: stage.it.table, endpoint, region });
    const names = Array.from({ length: 50 }, () => stage.name());
    const leases = await Promise.all(names.map((name) => locks.acquire(name)));
    expect(leases.map(({ name }) => name)).toEqual(names);
    expect(await Promise.all(names.map((name) => locks.tryAcquire(name)))).toEqual(names.map(() => null));
    for (const { name, token } of leases) expect(await stage.it.item(name)).toMatchObject({ version: token });
    await Promise.all(leases.map((lease) => lease.release()));
  });

  it('C22 an abort ends the very request that it is meant for, and its connection', async () => {
    const hanging: { readonly body: string; readonly request: IncomingMessage }[] = [];
    await using server = await served((_response, body, request) => {
      hanging.push({ body, request });
    });
    await using locks = new LockClient({ table: 't', endpoint: server.endpoint, region });
    const [a, b] = [new AbortController(), new AbortController()];
    const first = locks.acquire('a', { signal: a.signal });
    const second = locks.acquire('b', { signal: b.signal });
    second.catch(() => {});
    await expect.poll(() => hanging.length).toBeGreaterThan(0);
    a.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    b.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    await expect.poll(() => hanging.every(({ request }) => request.socket.destroyed)).toBe(true);
  });

  it('a request that is throttled is tried again, and counts as tried', async () => {
    const asked: string[] = [];
    await using server = await served((response, body) => {
      asked.push(body);
      const throttled = errorAnswer('ProvisionedThroughputExceededException', 'slow down');
      const refused = errorAnswer('ConditionalCheckFailedException', 'no');
      const writes = asked.filter((text) => text.includes('UpdateExpression')).length;
      if (!body.includes('UpdateExpression')) response.end('{}');
      else if (writes === 1) response.writeHead(throttled.status).end(JSON.stringify(throttled.body));
      else response.writeHead(refused.status).end(JSON.stringify(refused.body));
    });
    await using locks = new LockClient({ table: 't', endpoint: server.endpoint, region });
    await expect(locks.acquire('a')).rejects.toMatchObject({ name: 'LockHeldError' });
    const bodies = asked.filter((text) => text.includes('UpdateExpression'));
    expect(bodies[1]).toBe(bodies[0]);
  });

  it('sends no header that DynamoDB does not look at, and signs all that AWS wants signed', async () => {
    vi.stubEnv('AWS_SESSION_TOKEN', 'session');
    const asked: { readonly headers: IncomingMessage['headers']; readonly body: string }[] = [];
    await using server = await served((response, body, { headers }) => {
      asked.push({ headers, body });
      response.end('{}');
    });
    await using locks = new LockClient({ table: 't', endpoint: server.endpoint, region });
    await (await locks.acquire('a')).release();
    expect(asked).toHaveLength(3);
    for (const { headers, body } of asked) {
      const names = Object.keys(headers).sort();
      const signed = ['content-type', 'host', 'x-amz-date', 'x-amz-security-token', 'x-amz-target'];
      const others = ['authorization', 'connection', 'content-length', 'user-agent'];
      expect(names).toEqual([...others, ...signed].sort());
      expect(headers.authorization).toBe(authorization(headers, body, signed));
    }
    // Nobody waits for the item that a release leaves, which may be large.
    expect(asked.map(({ body }) => JSON.parse(body).ReturnValues)).toEqual([undefined, 'ALL_OLD', undefined]);
  });

  it.each([
    { cacheMiddleware: false, seen: 2 },
    { cacheMiddleware: true, seen: 0 },
  ])(
    'of a client that is passed in, cacheMiddleware: $cacheMiddleware, what is added later sees $seen requests',
    async ({ cacheMiddleware, seen }) => {
      const client = new DynamoDBClient({ ...stage.it.dynamo.clientConfig(), cacheMiddleware });
      await using locks = new LockClient({ table: stage.it.table, client });
      const name = stage.name();
      await (await locks.acquire(name)).release();
      let requests = 0;
      client.middlewareStack.add(
        (next) => (args) => {
          requests += 1;
          return next(args);
        },
        { step: 'build' },
      );
      await (await locks.acquire(name)).release();
      expect(requests).toBe(seen);
      client.destroy();
    },
  );
});

/** As AWS makes it of a request that arrives, with the keys of these tests (Signature Version 4). */
function authorization(headers: IncomingMessage['headers'], body: string, signed: readonly string[]): string {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const keyed = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const date = String(headers['x-amz-date']);
  const scope = [date.slice(0, 8), region, 'dynamodb', 'aws4_request'];
  const lines = signed.map((name) => `${name}:${headers[name]}`);
  const request = ['POST', '/', '', ...lines, '', signed.join(';'), hash(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', date, scope.join('/'), hash(request)].join('\n');
  const key = scope.reduce<string | Buffer>(keyed, 'AWS4local');
  const signature = keyed(key, text).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=local/${scope.join('/')}, SignedHeaders=${signed.join(';')}, Signature=${signature}`;
}

/** A server that is told each request with its body. */
async function served(
  answer: (response: ServerResponse, body: string, request: IncomingMessage) => void,
): Promise<AsyncDisposable & { readonly endpoint: string }> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      response.setHeader('content-type', 'application/x-amz-json-1.0');
      answer(response, body, request);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}
