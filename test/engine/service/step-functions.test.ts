import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stepFunctions } from '../../../lib/service/index.js';

/** A Step Functions that always answers so, and for which Region it was asked. */
async function answering(status: number, body: object) {
  const regions: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    regions.push(/Credential=[^/]+\/\d+\/([\w-]+)\//.exec(request.headers.authorization ?? '')?.[1]);
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
    request.resume().on('end', () => response.end(JSON.stringify(body)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    regions,
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const execution = (region = 'eu-west-1', account = '123456789012', kind = 'execution') =>
  `arn:aws:states:${region}:${account}:${kind}:settle:run-1`;

describe('what becomes of an execution', () => {
  beforeEach(() => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each([
    [200, { status: 'RUNNING' }, 'running'],
    [200, { status: 'SUCCEEDED' }, 'ended'],
    [200, {}, 'unknown'],
    [400, { __type: 'ExecutionDoesNotExist' }, 'missing'],
    [400, { __type: 'InvalidArn' }, 'unknown'],
    [403, { __type: 'AccessDeniedException' }, 'unknown'],
    [499, { __type: 'Other' }, 'unknown'],
    [400, { __type: 'ThrottlingException' }, 'unreachable'],
    [400, { __type: 'TooManyRequestsException' }, 'unreachable'],
    [429, { __type: 'Other' }, 'unreachable'],
    [500, { __type: 'InternalError' }, 'unreachable'],
    [503, { __type: 'ServiceUnavailable' }, 'unreachable'],
  ])('%i %j: what is refused for good can’t be known, all else may be the next time', async (...row) => {
    const [status, body, state] = row;
    await using server = await answering(status, body);
    expect(await stepFunctions({ endpoint: server.endpoint }).findState(execution())).toBe(state);
    expect(server.regions).toEqual(['eu-west-1']);
  });

  it('is asked for in its own Region, and not in those of others, nor of an express workflow', async () => {
    await using server = await answering(200, { status: 'RUNNING' });
    const { endpoint } = server;
    const anywhere = stepFunctions({ endpoint });
    for (const region of ['eu-west-1', 'us-east-1', 'eu-west-1'])
      expect(await anywhere.findState(execution(region))).toBe('running');
    expect(server.regions).toEqual(['eu-west-1', 'us-east-1', 'eu-west-1']);
    const own = stepFunctions({ endpoint, region: 'eu-west-1', account: '123456789012' });
    expect(await own.findState(execution())).toBe('running');
    for (const other of [
      execution('us-east-1'),
      execution('eu-west-1', '210987654321'),
      execution('eu-west-1', '123456789012', 'express'),
    ])
      expect(await own.findState(other)).toBe('unknown');
    expect(server.regions).toHaveLength(4);
  });

  it('is not known of one who has given up', async () => {
    await using server = await answering(200, { status: 'RUNNING' });
    const gone = AbortSignal.abort(new Error('enough'));
    expect(await stepFunctions({ endpoint: server.endpoint }).findState(execution(), gone)).toBe(
      'unreachable',
    );
  });
});
