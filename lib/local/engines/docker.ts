import { existsSync } from 'node:fs';
import { type RequestOptions, request } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { toStatus } from './guarded-process.js';
import { EngineUnavailableError, type LocalDynamo, localDynamo } from './local-dynamo.js';

const defaultImage = 'amazon/dynamodb-local:latest';
const containerPort = 8_000;
const pingLimitMs = 1_000;

/**
 * Whether the image can be run here: `testcontainers` is installed, a Docker engine answers its ping within a
 * second, and it has the image or can pull it.
 *
 * @returns `undefined` when they can, else the reason.
 */
export async function dockerMissing(): Promise<string | undefined> {
  const targets = engineSockets();
  if (targets.length === 0) return 'no Docker engine: neither DOCKER_HOST nor a socket in the usual places';
  const statuses = await Promise.all(
    targets.map((target) => toStatus({ ...target, path: '/_ping' }, pingLimitMs)),
  );
  const target = targets[statuses.indexOf(200)];
  if (!target) return 'no Docker engine answers';
  if (!(await loadTestcontainers()))
    return 'the package testcontainers is not installed: npm install --save-dev testcontainers';
  return await imageMissing(target, imageName());
}

/**
 * Starts Amazon's DynamoDB Local from its own image (`LEASEHOLD_DYNAMODB_IMAGE` names another), in memory.
 * The container is reaped by testcontainers if this process dies.
 *
 * @throws EngineUnavailableError when Docker, the package or the image is not there, or the start takes too long.
 */
export async function startDocker(limit: AbortSignal, startTimeoutMs: number): Promise<LocalDynamo> {
  const why = await dockerMissing();
  const library = await loadTestcontainers();
  if (why || !library) throw new EngineUnavailableError('docker', why ?? 'testcontainers is not installed');
  const image = imageName();
  const container = new library.GenericContainer(image);
  // Amazon's image needs to be told how to run; another image that stands in for it brings a command of its own.
  if (image.includes('amazon/dynamodb-local')) {
    container.withCommand(['-jar', 'DynamoDBLocal.jar', '-inMemory', '-sharedDb']);
  }
  const starting = container
    .withExposedPorts(containerPort)
    .withEnvironment({ DDB_LOCAL_TELEMETRY: '0' })
    .withStartupTimeout(startTimeoutMs)
    .withWaitStrategy(
      // DynamoDB Local answers an unsigned request with 400: that is enough to know that it listens.
      library.Wait.forHttp('/', containerPort).forStatusCodeMatching((status) => status < 500),
    )
    .start();
  try {
    const started = await beforeAbort(starting, limit);
    return localDynamo({
      engine: 'docker',
      endpoint: `http://${started.getHost()}:${started.getMappedPort(containerPort)}`,
      capabilities: { transactions: true, refusedItem: true, timeToLive: true },
      stop: () => started.stop({ timeout: 0 }),
    });
  } catch (cause) {
    // A pull can't be called back: should the container still come up, it goes down at once.
    starting.then((late) => late.stop({ timeout: 0 })).catch(() => {});
    throw new EngineUnavailableError('docker', `the image ${image} did not start`, { cause });
  }
}

function imageName(): string {
  return process.env.LEASEHOLD_DYNAMODB_IMAGE || defaultImage;
}

function engineSockets(): RequestOptions[] {
  const host = process.env.DOCKER_HOST;
  if (host) {
    const url = URL.canParse(host) ? new URL(host) : undefined;
    if (!url) return [];
    if (url.protocol === 'unix:') return [{ socketPath: url.pathname }];
    if (url.protocol === 'npipe:') return [{ socketPath: host.slice('npipe:'.length) }];
    return [{ host: url.hostname, port: url.port || 2_375 }];
  }
  if (process.platform === 'win32') return [{ socketPath: '//./pipe/docker_engine' }];
  const paths = [
    '/var/run/docker.sock',
    join(process.env.XDG_RUNTIME_DIR ?? '/run/user/0', 'docker.sock'),
    join(homedir(), '.docker', 'run', 'docker.sock'),
    join(homedir(), '.docker', 'desktop', 'docker.sock'),
  ];
  return paths.filter((path) => existsSync(path)).map((socketPath) => ({ socketPath }));
}

// An optional peer: loaded only where it is there and wanted.
async function loadTestcontainers(): Promise<typeof import('testcontainers') | undefined> {
  try {
    return await import('testcontainers');
  } catch {
    return undefined;
  }
}

function beforeAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

const lookLimitMs = 2_000;
/** DynamoDB Local's image has some 200 MB. */
const pullLimitMs = 100_000;

/**
 * Makes sure that a Docker engine has an image: looks, and pulls it if it is not there.
 *
 * @param target the engine's address, in the terms of `node:http`
 * @returns `undefined` when it has it, else the reason
 */
async function imageMissing(target: RequestOptions, image: string): Promise<string | undefined> {
  const path = `/images/${encodeURIComponent(image)}/json`;
  if ((await toStatus({ ...target, path }, lookLimitMs)) === 200) return undefined;
  const problem = await pull(target, image);
  return problem && `Docker answers, but has no image ${image} and can't pull it: ${problem}`;
}

/** Pulls by the engine's own interface, which reports a failure as a status or in the last lines of its answer. */
function pull(target: RequestOptions, image: string): Promise<string | undefined> {
  const path = `/images/create?fromImage=${encodeURIComponent(image.includes(':') ? image : `${image}:latest`)}`;
  return new Promise((resolve) => {
    const options = {
      ...target,
      path,
      method: 'POST',
      agent: false,
      signal: AbortSignal.timeout(pullLimitMs),
    };
    const asked = request(options, (response) => {
      let tail = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        tail = (tail + chunk).slice(-2_000);
      });
      response.once('error', (error) => resolve(error.message));
      response.once('end', () => {
        const told = /"(?:error|message)"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(tail)?.[1];
        const pulled = response.statusCode === 200 && !tail.includes('"error"');
        resolve(pulled ? undefined : told ? JSON.parse(told) : `status ${response.statusCode}`);
      });
    });
    asked.once('error', (error) => resolve(error.message));
    asked.end();
  });
}
