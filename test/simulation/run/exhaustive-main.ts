import './loaded.js';
import { parentPort, workerData } from 'node:worker_threads';
import { cases, enumerate } from '../exhaustive/enumerate.js';
import type { Budget } from '../exhaustive/small-world.js';
import { usePlainAbort } from '../world/plain-abort.js';

/** What a worker is told to do: these small worlds, while there is time. */
export interface SmallOrder {
  readonly only: readonly number[];
  readonly budget: Budget;
  readonly limitMs: number;
}

const { only, budget, limitMs } = workerData as SmallOrder;
const endMs = performance.now() + limitMs;
usePlainAbort();
Error.stackTraceLimit = 0;
process.on('unhandledRejection', (error) => {
  throw error;
});
for (const index of only) {
  const enumerated = await enumerate(cases[index]!, budget, () => performance.now() > endMs);
  parentPort?.postMessage({ index, ...enumerated });
}
