import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compiled } from '../compiled.js';

/** `npm run chaos` in a process of its own, with a directory for temporary files that nobody else uses. */
export class ChaosProcess implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly ended: Promise<{
    readonly code: number | null;
    readonly signal: NodeJS.Signals | null;
    readonly stdout: string;
    readonly stderr: string;
  }>;
  readonly #temporary: string;

  private constructor(args: readonly string[], temporary: string) {
    this.#temporary = temporary;
    const main = compiled(join(import.meta.dirname, '..', '..', 'chaos', 'main.ts'));
    this.child = spawn(process.execPath, [main, ...args], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    this.child.stdout?.on('data', (chunk) => {
      stdout += String(chunk);
    });
    this.child.stderr?.on('data', (chunk) => {
      stderr += String(chunk);
    });
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    });
  }

  static async start(...args: string[]): Promise<ChaosProcess> {
    return new ChaosProcess(args, await mkdtemp(join(tmpdir(), 'chaos-test-')));
  }

  /** What lies in the directory of temporary files. */
  leftovers(): Promise<string[]> {
    return readdir(this.#temporary);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
    await rm(this.#temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
