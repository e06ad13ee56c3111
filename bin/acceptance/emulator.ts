import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const packageName = 'ministack==1.5.33';
const home = fileURLToPath(new URL('../../.leasehold/emulator', import.meta.url));
const startMs = 120_000;
const run = promisify(execFile);

/** An emulator of AWS that runs here. */
export interface Emulator extends AsyncDisposable {
  readonly endpoint: string;
}

/** Why there is none here. */
export class NoEmulator extends Error {}

/**
 * Starts an emulator of AWS, from PyPI, in a Python environment of its own.
 *
 * @throws NoEmulator where there is no Python, or pip does not have it; Error if it does not start
 */
export async function startEmulator(): Promise<Emulator> {
  const bin = join(home, 'bin');
  if (!existsSync(join(bin, 'python')))
    await run('python3', ['-m', 'venv', home]).catch(lacking('python3 makes no environment'));
  const install = ['install', '--quiet', '--disable-pip-version-check', packageName];
  await run(join(bin, 'pip'), install).catch(lacking(`pip does not have ${packageName}`));
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const settings = { GATEWAY_PORT: `${port}`, BIND_HOST: '127.0.0.1', MINISTACK_HOST: '127.0.0.1' };
  // In a group of its own: Ctrl-C is for the acceptance, which still has to remove its stack there.
  const child = spawn(join(bin, 'ministack'), {
    env: { ...process.env, ...settings, LOG_LEVEL: 'WARNING' },
    stdio: 'ignore',
    detached: true,
  });
  const ended = once(child, 'exit').catch(() => {});
  const end = () => void (child.exitCode === null && child.kill());
  process.once('exit', end);
  const untilMs = Date.now() + startMs;
  while (!(await answers(endpoint))) {
    if (child.exitCode !== null || Date.now() > untilMs) {
      end();
      throw new Error(`${packageName} does not start`);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return {
    endpoint,
    async [Symbol.asyncDispose]() {
      process.off('exit', end);
      end();
      await ended;
    },
  };
}

function lacking(why: string) {
  return (cause: unknown): never => {
    throw new NoEmulator(why, { cause });
  };
}

async function answers(endpoint: string): Promise<boolean> {
  try {
    return (await fetch(`${endpoint}/_localstack/health`, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * What an emulator (ministack) is known to do otherwise than AWS, by the name of what is then left out. In an account
 * nothing is.
 */
export const emulatorGaps: ReadonlyMap<string, string> = new Map([
  ['doctor: items expire', 'the emulator ignores TimeToLiveSpecification of a GlobalTable'],
  [
    'section: a lock that is held fails it with LockHeldError',
    'the emulator names every error of a function Runtime.HandlerError',
  ],
  [
    'section: a failure of its states stays theirs, and gives the lock back',
    'the emulator mis-handles Catch on a Parallel state',
  ],
  ['update: what is held stays held, with its token', 'the emulator empties a table when a stack is updated'],
]);

/** Context of the app on an emulator, with what it leaves out. */
export const emulatorContext: Readonly<Record<string, string>> = { alarms: 'false' };
export const emulatorRemarks: readonly string[] = [
  'alarms: the emulator refuses metric-math alarms',
  'least privilege: the emulator does not check IAM',
  'deletion policies: the emulator ignores them',
];
