import { workSeat } from '../../../lib/scan/index.js';
import { drawClocks } from '../lock/fault-profile.js';
import type { Cluster } from '../world/cluster.js';
import type { SimProcess } from '../world/sim-process.js';
import { type ScanHabits, ScanMachine } from './scan-machine.js';
import { simProcessor } from './sim-processor.js';
import type { SimS3 } from './sim-s3.js';

/** The seats of a scan: a process each, started again after a crash, at the end of its time, or while it still runs. */
export class SeatWorkers {
  readonly processes: SimProcess[] = [];
  readonly #cluster: Cluster;
  readonly #habits: ScanHabits;
  readonly #s3: SimS3;
  readonly #run: string;
  readonly #maxStarts: number;
  #working = 0;
  #starts = 0;
  /** Nobody is started any more. */
  isOver = false;

  /** @param maxStarts of all seats together */
  constructor(cluster: Cluster, habits: ScanHabits, s3: SimS3, run: string, maxStarts: number) {
    this.#cluster = cluster;
    this.#habits = habits;
    this.#s3 = s3;
    this.#run = run;
    this.#maxStarts = maxStarts;
  }

  get isDone(): boolean {
    return this.#working === 0;
  }

  /** Starts an instance of a seat. */
  start(seat: number): void {
    const cluster = this.#cluster;
    const { random } = cluster;
    if (this.#starts >= this.#maxStarts || this.isOver) return;
    const id = `s${seat}-${++this.#starts}`;
    const machine = new ScanMachine(cluster, id, this.#habits, drawClocks(random, true), this.#s3);
    const { process } = machine;
    this.processes.push(process);
    this.#working += 1;
    let hasEnded = false;
    const end = (again: boolean) => {
      if (hasEnded) return;
      hasEnded = true;
      if (again) cluster.loop.after(random.spread(10, 3_000), () => this.start(seat));
      cluster.loop.after(3_001, () => {
        this.#working -= 1;
      });
    };
    process.onCrash(() => end(true));
    // The Map's own retry: a duplicate of a seat that still runs.
    if (random.chance(0.15)) cluster.loop.after(random.spread(100, 5_000), () => this.start(seat));
    const limitMs = random.chance(0.4) ? random.spread(1_500, 15_000) : undefined;
    const endsAtMs = process.runtime.monotonicMs() + (limitMs ?? 0);
    workSeat({
      locks: machine.locks,
      s3: machine.s3,
      run: this.#run,
      seat,
      processor: simProcessor(machine, this.#habits),
      marginMs: 300,
      pageTimeoutMs: 8_000,
      ...(limitMs !== undefined && { remainingMs: () => endsAtMs - process.runtime.monotonicMs() }),
    }).then(
      (answer) => {
        cluster.note(id, `answers ${answer.status}`);
        end(answer.status === 'more');
      },
      (error: Error) => {
        cluster.note(id, `fails: ${error.message}`);
        const isUnexplained = error.message.includes('refuses every write');
        if (error.name !== 'StoreError' || isUnexplained) cluster.fail(error);
        end(true);
      },
    );
    // An invocation is cut off at its deadline, whatever it does.
    if (limitMs !== undefined) process.runtime.setTimer(() => process.crash(), limitMs);
  }
}
