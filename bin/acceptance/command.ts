import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

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
