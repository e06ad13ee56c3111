import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../engine/engine.js';
import { machineMs } from '../machine-clock.js';
import type { SupervisedWorker } from '../workers/supervised-worker.js';
import { type Fault, type FaultKind, faultKinds } from './fault.js';
import { strikes } from './strikes.js';

/** Carries out the planned faults, and counts them. */
export class Striker {
  readonly #workers: readonly SupervisedWorker[];
  readonly #engine: Engine;
  readonly #skipped: Readonly<Partial<Record<FaultKind, string>>>;
  readonly #counts = new Map<FaultKind, number>(faultKinds.map((kind) => [kind, 0]));
  readonly #over = new AbortController();
  readonly #goingOn = new Set<Promise<void>>();

  /** @param skipped kinds that can't be done here, and why */
  constructor(
    workers: readonly SupervisedWorker[],
    engine: Engine,
    skipped: Partial<Record<FaultKind, string>>,
  ) {
    this.#workers = workers;
    this.#engine = engine;
    this.#skipped = skipped;
  }

  /** How often each kind has struck. */
  get struck(): Readonly<Record<FaultKind, number>> {
    return Object.fromEntries(this.#counts) as Record<FaultKind, number>;
  }

  /** Kinds that were planned and can't be done here, with the reason. */
  get skipped(): Readonly<Partial<Record<FaultKind, string>>> {
    return this.#skipped;
  }

  /** Strikes at the planned times, until all is done or the signal fires. */
  async run(faults: readonly Fault[], signal: AbortSignal): Promise<void> {
    const sinceMs = machineMs();
    for (const fault of faults) {
      const waitMs = Math.max(0, sinceMs + fault.atMs - machineMs());
      await sleep(waitMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      this.#strike(fault);
    }
  }

  /** Ends what is going on: everyone runs, every connection passes, the engine is up. */
  async makePeace(): Promise<void> {
    this.#over.abort();
    for (const member of this.#workers) {
      member.continue();
      for (const proxy of member.proxies) proxy.become('pass');
    }
    await Promise.all(this.#goingOn);
  }

  #strike(fault: Fault): void {
    const { kind, worker } = fault;
    if (this.#skipped[kind] !== undefined) return;
    this.#counts.set(kind, this.#counts.get(kind)! + 1);
    const goesOn = strikes[kind](fault, this.#workers[worker]!, this.#engine, this.#over.signal).finally(
      () => {
        this.#goingOn.delete(goesOn);
      },
    );
    this.#goingOn.add(goesOn);
  }
}
