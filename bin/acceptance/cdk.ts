import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const app = fileURLToPath(new URL('./app.ts', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));

/** How a call of the CDK command line ended. */
export interface CdkEnd {
  readonly exitCode: number;
  readonly output: string;
}

/** The CDK command line, unchanged, over the stack of the acceptance. */
export type Cdk = (args: readonly string[], signal?: AbortSignal) => Promise<CdkEnd>;

/**
 * @param stack the stack's name
 * @param directory for the cloud assembly
 * @param context settings of the app
 * @param tell told every line
 */
export function cdkOf(
  stack: string,
  directory: string,
  context: Readonly<Record<string, string>>,
  tell: (line: string) => void,
): Cdk {
  const cli = createRequire(import.meta.url).resolve('aws-cdk/bin/cdk');
  return async ([command = '', ...rest], signal) => {
    const isBootstrap = command === 'bootstrap';
    const settings = Object.entries({ stack, ...context }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]);
    const args = [cli, command, ...(isBootstrap ? [] : [stack]), ...rest, '--app', `npx tsx ${app}`];
    // In a group of its own: Ctrl-C is for this process, which then ends the call in order.
    const child = spawn(process.execPath, [...args, ...settings, '--output', directory, '--ci'], {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        for (const line of text.split('\n')) if (line.trim()) tell(line.trimEnd());
      });
    }
    const stop = () => {
      try {
        process.kill(-child.pid!, 'SIGTERM');
      } catch {
        // It has ended meanwhile.
      }
    };
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
    const [exitCode] = (await once(child, 'close')) as [number | null];
    signal?.removeEventListener('abort', stop);
    return { exitCode: exitCode ?? 1, output };
  };
}

const entry = fileURLToPath(new URL('../leasehold.ts', import.meta.url));

/** Runs Leasehold's own command line in a process of its own. @returns its exit code and what it wrote to stdout */
export async function leaseholdCommand(
  args: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly exitCode: number; readonly output: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', entry, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  return { exitCode: exitCode ?? 1, output };
}
