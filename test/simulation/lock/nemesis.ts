import type { Cluster } from '../world/cluster.js';
import type { SimProcess } from '../world/sim-process.js';
import type { FaultProfile } from './fault-profile.js';

/** What the nemesis may do to processes: likelihoods per look. */
export type Faults = Pick<FaultProfile, 'pauses' | 'freezes' | 'steps' | 'crashes' | 'cuts' | 'clocksHold'>;

const hourMs = 3_600_000;
/** Longer than any retention that is drawn. */
const longestStepMs = 60 * 24 * hourMs;

/** Brings trouble over the processes of a schedule, as often as its faultProfile says, until it is stopped. */
export class Nemesis {
  readonly #cluster: Cluster;
  readonly #faults: Faults;
  readonly #processes: () => readonly SimProcess[];
  readonly #longestMs: number;
  #isStopped = false;
  /** By how much wall clocks were put forward, the most for any of them: part of the clocks' uncertainty. */
  forwardMs = 0;

  /** @param longestMs pauses and cuts are up to so long */
  constructor(cluster: Cluster, faults: Faults, processes: () => readonly SimProcess[], longestMs: number) {
    this.#cluster = cluster;
    this.#faults = faults;
    this.#processes = processes;
    this.#longestMs = longestMs;
    this.#later();
  }

  stop(): void {
    this.#isStopped = true;
  }

  #later(): void {
    this.#cluster.loop.after(this.#cluster.random.spread(50, 1_500), () => {
      if (this.#isStopped) return;
      const alive = this.#processes().filter(({ isCrashed }) => !isCrashed);
      if (alive.length > 0) this.#strike(this.#cluster.random.pick(alive));
      this.#later();
    });
  }

  #strike(process: SimProcess): void {
    const { random, network } = this.#cluster;
    const { pauses, freezes, steps, crashes, cuts } = this.#faults;
    // Long enough for a lease to run out, as often as not.
    const forMs = random.chance(0.5)
      ? random.spread(20, this.#longestMs)
      : random.between(this.#longestMs / 3, this.#longestMs);
    const note = (what: string) => this.#cluster.note(process.id, what);
    if (random.chance(pauses)) {
      process.pause(forMs);
      this.#cluster.countTrouble('a pause');
      note(`is paused for ${forMs.toFixed(0)} ms`);
    }
    if (random.chance(freezes) && this.#mayFreeze(process)) {
      process.freeze(forMs);
      this.#cluster.countTrouble('a freeze');
      note(`is frozen for ${forMs.toFixed(0)} ms`);
    }
    if (random.chance(steps)) this.#step(process);
    if (random.chance(cuts)) {
      const way = random.pick(['there', 'back'] as const);
      network.cut(process.id, way, forMs);
      this.#cluster.countTrouble(`a cut ${way}`);
      note(`is cut off (${way}) for ${forMs.toFixed(0)} ms`);
    }
    if (random.chance(crashes)) {
      process.crash();
      this.#cluster.countTrouble('a crash');
      note('crashes');
    }
  }

  /** Within the assumptions only one of a machine's clocks is at fault: a freeze of one and a step back of the other add up. */
  #mayFreeze(process: SimProcess): boolean {
    return !this.#faults.clocksHold || isFreezer(process);
  }

  #step(process: SimProcess): void {
    const { random } = this.#cluster;
    const sizeMs = random.chance(0.6) ? random.spread(10, 5_000) : random.spread(hourMs, longestStepMs);
    const forward = isFreezer(process) && this.#faults.clocksHold ? true : random.chance(0.5);
    process.clocks.step(forward ? sizeMs : -sizeMs);
    this.#cluster.countTrouble(
      `a wall clock set ${forward ? 'forward' : 'back'}${sizeMs > hourMs ? ' by more than an hour' : ''}`,
    );
    if (forward) this.forwardMs += sizeMs;
    this.#cluster.note(
      process.id,
      `has its wall clock set ${forward ? 'forward' : 'back'} by ${sizeMs.toFixed(0)} ms`,
    );
  }
}

/** Half of the machines are such that freeze, the others such whose wall clock is set back. */
function isFreezer(process: SimProcess): boolean {
  return process.id.charCodeAt(1) % 2 === 0;
}
