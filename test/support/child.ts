import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { compiled } from './compiled.js';

/** How a child process ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a Node script to its end; it gets no input. Of a script in TypeScript it runs the plain JavaScript. */
export function runNode(
  script: string,
  args: readonly string[],
): { child: ChildProcess; ended: Promise<Ended> } {
  const path = script.endsWith('.ts') ? compiled(script) : script;
  const child = spawn(process.execPath, ['--no-warnings', path, ...args], {
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
