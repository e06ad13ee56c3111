import { spawn } from 'node:child_process';
import type { RunProgress } from '../run-progress.js';
import type { LocalLambda } from '../state-machine/local-lambda.js';
import type { WorkerEvent } from '../worker-event.js';
import { readStrike, type Strike } from './strike.js';

/** How often it looks whether a blow has fallen, in milliseconds. */
const lookEveryMs = 50;

/** What a watch is made of. */
export interface FaultWatchParts {
  readonly directory: string;
  readonly lambda: Pick<LocalLambda, 'freeze' | 'thaw'>;
  readonly progress: RunProgress;
  /** A stopped worker is woken after this long at the latest, in milliseconds: nothing may wait for ever. */
  readonly longestStopMs: number;
}

/**
 * Sees the blows fall, and wakes the stopped worker when its successor has written: from then on what the woken one
 * writes must be refused.
 */
export class FaultWatch implements Disposable {
  readonly #parts: FaultWatchParts;
  readonly #timer: NodeJS.Timeout;
  #killed: Strike | undefined;
  #stopped: { readonly strike: Strike; readonly atMs: number; readonly guard: Disposable } | undefined;
  #woken = false;

  constructor(parts: FaultWatchParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#look(), lookEveryMs);
  }

  /** Takes in what a worker told. */
  apply(event: WorkerEvent): void {
    if (event.type !== 'scan-page-done' && event.type !== 'scan-slice-completed') return;
    const strike = this.#stopped?.strike;
    if (strike && event.slice === strike.slice && event.token > strike.token)
      this.#wake('its successor has written');
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#stopped?.guard[Symbol.dispose]();
  }

  #look(): void {
    const { directory, lambda, progress, longestStopMs } = this.#parts;
    this.#killed ??= this.#seen(readStrike(directory, 'kill'));
    if (!this.#stopped) {
      const strike = readStrike(directory, 'stop');
      if (!strike) return;
      // Before anybody is told: whoever reads of it may kill this process at once.
      this.#stopped = { strike, atMs: progress.elapsedMs, guard: new StoppedWorkerGuard(strike.pid) };
      // It has stopped itself; this only tells the runtime.
      lambda.freeze(strike.pid);
      this.#seen(strike);
    }
    const stoppedForMs = progress.elapsedMs - this.#stopped.atMs;
    if (stoppedForMs > longestStopMs)
      this.#wake(`nobody took its slice over within ${Math.round(stoppedForMs / 1000)} s`);
  }

  #seen(strike: Strike | undefined): Strike | undefined {
    if (strike) this.#parts.progress.struck(strike);
    return strike;
  }

  #wake(why: string): void {
    if (!this.#stopped || this.#woken) return;
    this.#woken = true;
    const { strike, guard } = this.#stopped;
    guard[Symbol.dispose]();
    this.#parts.progress.woken(strike, why);
    this.#parts.lambda.thaw(strike.pid);
  }
}

/**
 * Sees to it that a stopped worker does not outlive this process, however that ends: a worker that stands still can't
 * notice that its parent is gone. A shell waits for the end of its standard input, which the kernel closes with this
 * process, and then kills the worker.
 */
class StoppedWorkerGuard implements Disposable {
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
