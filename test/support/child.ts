import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** How a child process ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a Node script to its end; it gets no input. A script in TypeScript runs under tsx. */
export function runNode(
  script: string,
  args: readonly string[],
): { child: ChildProcess; ended: Promise<Ended> } {
  const loader = script.endsWith('.ts') ? ['--import', 'tsx'] : [];
  const child = spawn(process.execPath, ['--no-warnings', ...loader, script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, stdout, stderr }));
  return { child, ended };
}
