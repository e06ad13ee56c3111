import './loaded.js';
import { parentPort, workerData } from 'node:worker_threads';
import { cases, enumerate } from '../exhaustive/enumerate.js';
import type { Budget } from '../exhaustive/small-world.js';
import { usePlainAbort } from '../world/plain-abort.js';

/** What a worker is told to do: these small worlds, with each of these, while there is time. */
export interface SmallOrder {
  readonly only: readonly number[];
  readonly budgets: readonly Budget[];
  readonly limitMs: number;
  /** Each world ends at its first violation. */
  readonly stopsAtFirst: boolean;
}

const { only, budgets, limitMs, stopsAtFirst } = workerData as SmallOrder;
const endMs = performance.now() + limitMs;
usePlainAbort();
Error.stackTraceLimit = 0;
process.on('unhandledRejection', (error) => {
  throw error;
});
for (const budget of budgets) {
  for (const index of only) {
    const isOver = (violations: number) => performance.now() > endMs || (stopsAtFirst && violations > 0);
    const enumerated = await enumerate(cases[index]!, budget, isOver);
    parentPort?.postMessage({ index, ...enumerated });
  }
}
