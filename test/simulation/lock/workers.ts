import type { Cluster } from '../world/cluster.js';
import type { SimProcess } from '../world/sim-process.js';
import { drawClocks, type FaultProfile } from './fault-profile.js';
import type { ClientHabits } from './hold-options.js';
import { type MachineMaker, makerOf } from './machine.js';
import type { SharedHabits } from './shared.js';
import type { SqlRows } from './sql-rows.js';
import { work } from './worker.js';

const maxRestarts = 2;

/** Numbers checkpoints in the order in which they are asked for. */
export function counted(): () => number {
  let count = 0;
  return () => ++count;
}

/** The workers of a schedule: processes that crash are started again under the same owner. */
export class Workers {
  readonly processes: SimProcess[] = [];
  readonly #cluster: Cluster;
  readonly #faultProfile: FaultProfile;
  readonly #habits: ClientHabits;
  readonly #names: readonly string[];
  readonly #rows: SqlRows;
  readonly #nextCheckpoint: () => number;
  readonly #machine: MachineMaker;
  readonly #fairness: number;
  readonly #shared: SharedHabits | undefined;
  #isOver = false;
  #working = 0;

  constructor(
    cluster: Cluster,
    faultProfile: FaultProfile,
    habits: ClientHabits,
    names: readonly string[],
    rows: SqlRows,
    prefix: string,
    nextCheckpoint = counted(),
    machine: MachineMaker = makerOf(cluster, habits),
    shared?: SharedHabits,
  ) {
    this.#machine = machine;
    this.#shared = shared;
    this.#cluster = cluster;
    this.#faultProfile = faultProfile;
    this.#habits = habits;
    this.#names = names;
    this.#rows = rows;
    this.#nextCheckpoint = nextCheckpoint;
    // In some schedules almost everybody stands in line, so that it gets long.
    this.#fairness = cluster.random.pick([0, 0.1, 0.8]);
    const workers = cluster.random.whole(2, 3) + (this.#fairness > 0.5 ? 2 : 0);
    for (let worker = 0; worker < workers; worker++) this.#start(`${prefix}${worker}`, 0);
  }

  /** Nobody has anything left to do, and nobody comes back. */
  get isDone(): boolean {
    return this.#working === 0;
  }

  /** Lets those that are at work come to an end. Who has not after `withinMs` never will. */
  async finish(withinMs: number): Promise<void> {
    this.#isOver = true;
    const untilMs = this.#cluster.nowMs + withinMs;
    await this.#cluster.loop.run(untilMs, () => this.isDone);
    if (this.isDone) return;
    const { nowMs: atMs, history } = this.#cluster;
    history.records.push({ kind: 'stuck', atMs, what: 'a call never ends', name: '', withinMs });
  }

  crashAll(): void {
    this.#isOver = true;
    for (const process of this.processes) process.crash();
  }

  #start(owner: string, restarts: number): void {
    const cluster = this.#cluster;
    const { random } = cluster;
    const id = restarts === 0 ? owner : `${owner}${'abc'[restarts - 1]}`;
    const clocks = drawClocks(random, this.#faultProfile.clocksHold);
    const machine = this.#machine(id, owner, clocks);
    this.processes.push(machine.process);
    this.#working += 1;
    let hasEnded = false;
    const end = () => {
      if (hasEnded) return;
      hasEnded = true;
      this.#working -= 1;
    };
    const options = {
      machine,
      names: this.#names,
      rows: this.#rows,
      habits: this.#habits,
      isRestarted: restarts > 0,
      isOver: () => this.#isOver,
      isCalm: this.#faultProfile.isCalm,
      nextCheckpoint: this.#nextCheckpoint,
      fairness: this.#fairness,
      shared: this.#shared,
    };
    // Some processes do two things at once, through one client.
    machine.isShared = !this.#faultProfile.isCalm && random.chance(0.3);
    const scripts = machine.isShared ? [work(options), work(options)] : [work(options)];
    Promise.all(scripts).then(end, (error) => {
      end();
      cluster.fail(error);
    });
    machine.process.onCrash(() => {
      if (hasEnded) return;
      const comesBack = restarts < maxRestarts && !this.#isOver && random.chance(0.8);
      if (!comesBack) {
        end();
        return;
      }
      cluster.loop.after(random.spread(10, 1_000), () => {
        end();
        if (!this.#isOver) this.#start(owner, restarts + 1);
      });
    });
  }
}
