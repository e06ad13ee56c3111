import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { resolveInstalled } from '../../installed/resolve-installed.js';
import { endWithStdin, type GuardedProcess, startGuarded, toStatus } from './guarded-process.js';
import { EngineUnavailableError, type LocalDynamo, localDynamo } from './local-dynamo.js';

const packageName = '@dynoxide/linux-x64';
const portTries = 5;

/**
 * Whether the dynoxide binary can run here.
 *
 * @returns `undefined` when it can, else the reason.
 */
export function dynoxideMissing(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return `its package is for linux x64, this is ${process.platform} ${process.arch}`;
  }
  return binaryPath()
    ? undefined
    : `the package ${packageName} is not installed: npm install --save-dev ${packageName}`;
}

/**
 * Starts dynoxide, in memory, on a free port of loopback.
 *
 * @throws EngineUnavailableError when the binary is not there or does not come up.
 */
export async function startDynoxide(limit: AbortSignal): Promise<LocalDynamo> {
  const why = dynoxideMissing();
  const binary = binaryPath();
  if (why || !binary) throw new EngineUnavailableError('dynoxide', why ?? 'not installed');
  for (let tried = 1; ; tried++) {
    const port = await freePort();
    const child = startGuarded(
      ...endWithStdin(binary, ['serve', '--host', '127.0.0.1', '--port', String(port)]),
    );
    try {
      // Its own word first: a health check alone could be answered by whoever took the port before it.
      await child.firstMatch(/listening on/i, limit);
      await untilHealthy(child, port, limit);
      return localDynamo({
        engine: 'dynoxide',
        endpoint: `http://127.0.0.1:${port}`,
        capabilities: { transactions: true, refusedItem: true, timeToLive: true },
        stop: () => child.stop(),
      });
    } catch (cause) {
      const output = child.output();
      await child.stop();
      if (tried < portTries && /already in use/.test(output)) continue;
      throw new EngineUnavailableError('dynoxide', 'the binary did not come up', { cause });
    }
  }
}

async function untilHealthy(child: GuardedProcess, port: number, limit: AbortSignal): Promise<void> {
  let gone = false;
  child.exited.then(() => {
    gone = true;
  });
  while ((await toStatus({ host: '127.0.0.1', port, path: '/' }, 1_000)) !== 200) {
    limit.throwIfAborted();
    if (gone) throw new Error(`ended before it was ready: ${child.output().trim()}`);
    await sleep(20, undefined, { signal: limit });
  }
}

function binaryPath(): string | undefined {
  const manifest = resolveInstalled(`${packageName}/package.json`);
  const path = manifest && join(dirname(manifest), 'dynoxide');
  return path && existsSync(path) ? path : undefined;
}

/**
 * A TCP port on loopback that was free a moment ago. Somebody else may take it before it is used:
 * the caller has to try again with another.
 */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
