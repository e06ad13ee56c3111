import { setTimeout as sleep } from 'node:timers/promises';
import { parseSliceId } from '../../../lib/scan/index.js';
import { type Census, pagesOfSlices } from '../census.js';
import type { RunProgress } from '../progress/run-progress.js';
import type { StartOptions } from '../start-options.js';
import { planStrikes } from './plan-strikes.js';
import { writeOrders } from './strike-files.js';

/** The workers wait this long for the walk of the directory to be through, in milliseconds; then nobody knows the pages. */
const censusWaitMs = 10_000;

/** What the orders come from. */
export interface FaultGround {
  readonly options: StartOptions;
  /** As planned, in key order. */
  readonly slices: readonly { readonly name: string; readonly hi?: string }[];
  readonly census: Promise<Census>;
  /** Where the workers look for orders. */
  readonly directory: string;
  readonly progress: RunProgress;
}

/** Decides which workers are struck, and says so where it is less than a kill and a stop. */
export async function orderFaults(ground: FaultGround): Promise<void> {
  const { options, slices, directory, progress } = ground;
  const { seed, seats, pageSize } = options;
  if (!options.faults) return;
  const pages = await pagesIfKnown(ground);
  const { strikes, notes } = planStrikes({
    seed,
    seats,
    slices: slices.map(({ name }, index) => ({
      id: parseSliceId(name),
      ...(pages && { pages: pages[index]! }),
    })),
  });
  for (const note of notes) progress.tell('note', note);
  progress.ordered = strikes;
  progress.faultNotes = notes;
  writeOrders(directory, { strikes, pageSize });
}

async function pagesIfKnown({ slices, census, options }: FaultGround): Promise<number[] | undefined> {
  const enough = new AbortController();
  const tooLong = sleep(censusWaitMs, undefined, { signal: enough.signal }).catch(() => undefined);
  const taken = await Promise.race([census, tooLong]);
  enough.abort();
  const his = slices.map(({ hi }) => hi);
  return taken?.keys && pagesOfSlices(taken.keys, his, options.pageSize);
}
