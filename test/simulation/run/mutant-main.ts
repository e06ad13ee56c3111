import { parentPort, workerData } from 'node:worker_threads';
import { usePlainAbort } from '../world/plain-abort.js';
import { play, type Suite, watchForStrays } from './play.js';

/** What a worker of a sample of mutants is told to play: until a rule is broken. */
export interface MutantOrder {
  readonly suite: Suite;
  readonly seeds: readonly number[];
}

/** How one schedule went. */
export interface MutantReport {
  readonly seed: number;
  /** The first rule that was broken, in a line. */
  readonly broken: string | undefined;
  /** The mutants that the schedule came by, or that were passed when all was loaded. */
  readonly reached: readonly string[];
}

// Sources with switches note what is reached; those without have nothing to tell.
const { mutants } = globalThis as { mutants?: { readonly reached: Set<string> } };
const reached = mutants?.reached ?? new Set<string>();
const whileLoading = [...reached];

const { suite, seeds } = workerData as MutantOrder;
usePlainAbort();
watchForStrays();
for (const seed of seeds) {
  reached.clear();
  const { violations } = await play(suite, seed);
  const [first] = violations;
  const broken = first && `${first.rule}: ${first.what}`;
  const report: MutantReport = { seed, broken, reached: [...whileLoading, ...reached] };
  parentPort?.postMessage(report);
  if (broken) break;
}
