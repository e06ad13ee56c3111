import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnEnd } from '../check/worker-ends.js';
import type { WallClock } from '../clocks/faketime.js';
import type { FaultyProxy } from '../network/faulty-proxy.js';
import type { Reaper } from './reaper.js';
import { WorkerProcess } from './worker-process.js';

/** What a member is made of. */
export interface MemberParts {
  readonly worker: number;
  readonly script: string;
  /** The environment of a process, by its generation. */
  readonly environment: (generation: number) => Record<string, string>;
  /** Its ways to the engine and to S3. */
  readonly proxies: readonly FaultyProxy[];
  readonly wallClock: WallClock | undefined;
  readonly reaper: Reaper;
}

/** Before a process that ended by itself is replaced, in milliseconds: one that fails at once must not spin. */
const afterOwnEndMs = 1_000;

/** One worker: its processes, one after the other, its connections and its wall clock. */
export class SupervisedWorker {
  readonly proxies: readonly FaultyProxy[];
  readonly wallClock: WallClock | undefined;
  /** Processes that ended although nobody killed them. */
  readonly ownEnds: OwnEnd[] = [];
  readonly #parts: MemberParts;
  #process: WorkerProcess | undefined;
  #killed = new WeakSet<WorkerProcess>();
  #generation = 0;
  #dismissed = false;

  constructor(parts: MemberParts) {
    this.#parts = parts;
    this.proxies = parts.proxies;
    this.wallClock = parts.wallClock;
    this.#start();
  }

  get started(): number {
    return this.#generation;
  }

  /** Kills the process; another one takes its place after `pauseMs`. */
  async kill(pauseMs: number): Promise<void> {
    await this.#kill();
    await sleep(pauseMs);
    this.#start();
  }

  stop(): void {
    this.#process?.signal('SIGSTOP');
  }

  continue(): void {
    this.#process?.signal('SIGCONT');
  }

  /** Kills the process for good. */
  async dismiss(): Promise<void> {
    this.#dismissed = true;
    await this.#kill();
  }

  async #kill(): Promise<void> {
    const process = this.#process;
    if (!process) return;
    this.#killed.add(process);
    process.signal('SIGKILL');
    await process.ended;
  }

  #start(): void {
    // Two kills at about the same time find one process, and start one.
    if (this.#dismissed || this.#process) return;
    const { script, environment, reaper } = this.#parts;
    const generation = this.#generation++;
    const process = new WorkerProcess(script, environment(generation));
    this.#process = process;
    const { pid } = process;
    if (pid !== undefined) reaper.born(pid);
    process.ended.then(async (end) => {
      this.#process = undefined;
      if (pid !== undefined) reaper.gone(pid);
      if (this.#killed.has(process)) return;
      this.ownEnds.push({ worker: this.#parts.worker, generation, ...end });
      await sleep(afterOwnEndMs, undefined, { ref: false });
      this.#start();
    });
  }
}
