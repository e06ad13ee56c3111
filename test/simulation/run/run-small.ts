import { Worker } from 'node:worker_threads';
import { cases, type Enumerated } from '../exhaustive/enumerate.js';
import type { Budget, SmallCase } from '../exhaustive/small-world.js';
import type { SmallOrder } from './exhaustive-main.js';

/** A small world, and what came of it. */
export interface SmallResult extends Enumerated {
  readonly smallCase: SmallCase;
}

/**
 * Plays small worlds in worker threads.
 *
 * @param bundle of `exhaustive-main.ts`
 * @param budgets each world is played with each of them
 * @param limitMs ends after so long, with what is then left unplayed
 * @param only these of `cases`, by their index; all, if it is left out
 * @param stopsAtFirst ends each world at its first violation
 */
export async function runSmall(
  bundle: string,
  budgets: readonly Budget[],
  threads: number,
  limitMs: number,
  only: readonly number[] = cases.map((_, index) => index),
  stopsAtFirst = false,
): Promise<readonly SmallResult[]> {
  const results: SmallResult[] = [];
  await Promise.all(
    Array.from({ length: threads }, (_, from) => {
      const own = only.filter((_, at) => at % threads === from);
      const workerData: SmallOrder = { only: own, budgets, limitMs, stopsAtFirst };
      const worker = new Worker(bundle, { workerData });
      worker.on('message', ({ index, ...enumerated }: Enumerated & { readonly index: number }) => {
        results.push({ smallCase: cases[index]!, ...enumerated });
      });
      return new Promise<void>((resolve, reject) => {
        worker.on('error', reject);
        worker.on('exit', () => resolve());
      });
    }),
  );
  return results;
}
