import { spawn } from 'node:child_process';

/**
 * Sees to it that a stopped worker does not outlive this process, however that ends: a worker that stands still can't
 * notice that its parent is gone. A shell waits for the end of its standard input, which the kernel closes with this
 * process, and then kills the worker.
 */
export class StoppedWorkerGuard implements Disposable {
  readonly #shell: ReturnType<typeof spawn>;

  constructor(pid: number) {
    // A session of its own: a Ctrl-C in the terminal must not end the guard before the guarded.
    this.#shell = spawn('/bin/sh', ['-c', 'read _; kill -9 "$1"', 'leasehold-guard', String(pid)], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    // Without a guard the run goes on; the exit listeners still kill the worker in all other cases.
    this.#shell.on('error', () => {});
    this.#shell.stdin?.on('error', () => {});
    this.#shell.unref();
  }

  /** The worker goes on, or is gone: nothing is to be guarded any more. */
  [Symbol.dispose](): void {
    this.#shell.kill('SIGKILL');
    this.#shell.stdin?.destroy();
  }
}
