import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { probeCapabilities } from '../../../lib/local/engines/endpoint.js';
import { availableEngines, startDynamo } from '../../../lib/local/index.js';
import { descendants, isAlive, listens } from '../../support/local/child-processes.js';
import { engines, quickEngines } from '../../support/local/local-engines.js';

async function commandOf(pid: number) {
  return { pid, command: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') };
}

describe.each(engines)('the engine %s', (engine) => {
  it('answers the SDK and is what it says it is', async () => {
    await using dynamo = await startDynamo({ engine });
    expect(dynamo.engine).toBe(engine);
    const client = new DynamoDBClient(dynamo.clientConfig());
    const capabilities = await probeCapabilities(client, AbortSignal.timeout(30_000));
    expect(dynamo.capabilities).toEqual(capabilities);
    client.destroy();
  });
});

describe.each(quickEngines)('the engine %s, as a child process', (engine) => {
  it('leaves no process and no listener when it stops, also when stopped twice', async () => {
    const before = await descendants();
    const dynamo = await startDynamo({ engine });
    const since = (await descendants()).filter((pid) => !before.includes(pid));
    // Something else of this process may have started one of its own just now.
    const started = (await Promise.all(since.map(commandOf))).filter(({ command }) =>
      command.includes(engine),
    );
    expect(started.length).toBeGreaterThan(0);
    await Promise.all([dynamo.stop(), dynamo.stop()]);
    expect(await listens(dynamo.endpoint)).toBe(false);
    const alive = await Promise.all(started.map(({ pid }) => isAlive(pid)));
    expect(started.filter((_, index) => alive[index])).toEqual([]);
  });

  it('runs several times at once, each with tables of its own', async () => {
    const running = await Promise.all(Array.from({ length: 4 }, () => startDynamo({ engine })));
    expect(new Set(running.map(({ endpoint }) => endpoint)).size).toBe(running.length);
    for (const dynamo of running) {
      const client = new DynamoDBClient(dynamo.clientConfig());
      expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual([]);
      client.destroy();
    }
    await Promise.all(running.map((dynamo) => dynamo.stop()));
    for (const { endpoint } of running) expect(await listens(endpoint)).toBe(false);
  });

  it('stops while a client still holds connections', async () => {
    const dynamo = await startDynamo({ engine });
    const client = new DynamoDBClient(dynamo.clientConfig());
    await client.send(new ListTablesCommand({}));
    await dynamo.stop();
    expect(await listens(dynamo.endpoint)).toBe(false);
    client.destroy();
  });
});

describe('choosing an engine', () => {
  it('names every engine once, the missing ones with a reason', async () => {
    const { available, missing } = await availableEngines();
    const all = [...available, ...missing.map(({ engine }) => engine)].sort();
    expect(all).toEqual(['docker', 'dynalite', 'dynoxide', 'endpoint']);
    for (const { why } of missing) expect(why).not.toBe('');
  });

  it('takes the first that is there', async () => {
    await using dynamo = await startDynamo({ allowDocker: false });
    const first = engines.find((engine) => engine !== 'docker');
    expect(dynamo.engine).toBe(first);
  });

  it('does without Docker where that is not allowed, also where it is there', async () => {
    // It answers everything, and could run nothing.
    const docker = createServer((_request, response) => void response.end('{}'));
    docker.listen(0, '127.0.0.1');
    await once(docker, 'listening');
    vi.stubEnv('DOCKER_HOST', `tcp://127.0.0.1:${(docker.address() as AddressInfo).port}`);
    vi.stubEnv('LEASEHOLD_DYNAMODB_ENDPOINT', '');
    try {
      expect((await availableEngines()).available).toContain('docker');
      await using dynamo = await startDynamo({ allowDocker: false });
      expect(dynamo.engine).not.toBe('docker');
    } finally {
      vi.unstubAllEnvs();
      docker.close();
      docker.closeAllConnections();
    }
  });

  it('uses the endpoint of the environment, learns what it can do, and leaves it running', async () => {
    await using dynamo = await startDynamo({ engine: 'dynalite' });
    process.env.LEASEHOLD_DYNAMODB_ENDPOINT = `${dynamo.endpoint}/`;
    try {
      const used = await startDynamo();
      expect(used).toMatchObject({ engine: 'endpoint', endpoint: dynamo.endpoint });
      expect(used.capabilities).toEqual(dynamo.capabilities);
      await used.stop();
      expect(await listens(dynamo.endpoint)).toBe(true);
    } finally {
      delete process.env.LEASEHOLD_DYNAMODB_ENDPOINT;
    }
  });

  it('refuses an engine that is not there and says why', async () => {
    const refusal = startDynamo({ engine: 'endpoint' });
    await expect(refusal).rejects.toMatchObject({
      name: 'EngineUnavailableError',
      engine: 'endpoint',
      message: expect.stringContaining('LEASEHOLD_DYNAMODB_ENDPOINT'),
    });
  });

  it('D43 gives up an endpoint that takes requests and never answers, by its own deadline', async () => {
    const silent = createServer((request) => request.resume());
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    process.env.LEASEHOLD_DYNAMODB_ENDPOINT = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    try {
      const start = startDynamo({ startTimeoutMs: 200 });
      await expect(start).rejects.toMatchObject({ name: 'EngineUnavailableError', engine: 'endpoint' });
    } finally {
      delete process.env.LEASEHOLD_DYNAMODB_ENDPOINT;
      silent.closeAllConnections();
      silent.close();
    }
  });

  it('gives up a start that takes longer than allowed, and leaves no process', async () => {
    const before = await descendants();
    const start = startDynamo({ engine: 'dynalite', startTimeoutMs: 1 });
    await expect(start).rejects.toMatchObject({ name: 'EngineUnavailableError' });
    expect((await descendants()).filter((pid) => !before.includes(pid))).toEqual([]);
  });
});
