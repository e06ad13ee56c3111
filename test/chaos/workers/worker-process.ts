import { type ChildProcess, spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';

const keptStderrBytes = 4_000;

/** How a process ended. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** One process of a worker. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly ended: Promise<ProcessEnd>;

  constructor(script: string, environment: Record<string, string>) {
    this.#child = spawn(process.execPath, ['--no-warnings', script], {
      // Nothing of this process's own: a loader or an AWS profile.
      env: {
        PATH: process.env.PATH ?? '',
        AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
        ...environment,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
      // A Ctrl-C in the terminal is for the driver, which ends the workers.
      detached: true,
    });
    let stderr = '';
    this.#child.stderr?.on('data', (chunk) => {
      stderr = (stderr + String(chunk)).slice(-keptStderrBytes);
    });
    this.ended = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => resolve({ code, signal, stderr }));
      this.#child.once('error', (error) => resolve({ code: null, signal: null, stderr: error.message }));
    });
    // The engine and the proxies go first.
    if (this.pid !== undefined) setPriority(this.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Answers whether there was a process to signal. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): boolean {
    return this.#child.kill(signal);
  }
}
