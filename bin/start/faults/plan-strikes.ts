import { setTimeout as sleep } from 'node:timers/promises';
import { parseSliceId } from '../../../lib/scan/index.js';
import { type Census, pagesOfSlices } from '../census.js';
import type { RunProgress } from '../run-progress.js';
import type { StartOptions } from '../start-options.js';
import { seededRandom } from './seeded-random.js';
import { type PlannedStrike, writeOrders } from './strike.js';

/** What the plan is drawn from. */
export interface StrikeGround {
  readonly seed: number;
  readonly seats: number;
  /** The slices in key order, each with its number of pages; absent when nobody counted. */
  readonly slices: readonly { readonly id: string; readonly pages?: number }[];
}

/** What will be done, and what will not be. */
export interface StrikePlan {
  readonly strikes: readonly PlannedStrike[];
  /** Why there are fewer faults than a kill and a stop, one sentence each. */
  readonly notes: readonly string[];
}

/** The blow falls on a page from the second to this one, where the slice has that many. */
const latestPage = 4;

/**
 * Draws two slices and a page of each: in one the worker is killed, in the other it is stopped. The same seed and
 * the same slices give the same plan.
 *
 * Every seat begins with the slice of its own number, so the draw is among those: the blows fall early, while all
 * seats are busy and nobody has split a slice yet.
 */
export function planStrikes({ seed, seats, slices }: StrikeGround): StrikePlan {
  const worked = slices.filter(({ pages }) => pages !== 0);
  if (worked.length === 0) return { strikes: [], notes: ['nobody is struck: there is no object to work on'] };
  const random = seededRandom(seed);
  const candidates = findCandidates(slices.slice(0, seats), worked);
  const draw = () => candidates.splice(random(candidates.length), 1)[0];
  const strikes: PlannedStrike[] = [];
  const notes: string[] = [];
  const plan = (kind: PlannedStrike['kind']) => {
    const slice = draw();
    if (slice) strikes.push({ kind, slice: slice.id, page: choosePage(slice.pages, random) });
  };
  // Whoever is stopped needs somebody to take over; a seat that is killed comes back by itself.
  if (seats >= 2) plan('stop');
  else notes.push('nobody is stopped: with one seat there is nobody to take over');
  plan('kill');
  if (!strikes.some(({ kind }) => kind === 'kill'))
    notes.push('nobody is killed: there is one slice only, and its worker is stopped');
  return { strikes, notes };
}

type Slice = StrikeGround['slices'][number];

function findCandidates(first: readonly Slice[], worked: readonly Slice[]): Slice[] {
  const long = first.filter(({ pages }) => pages === undefined || pages >= 2);
  if (long.length >= 2) return [...long];
  const any = first.filter(({ pages }) => pages !== 0);
  return any.length >= 2 ? any : [...worked];
}

function choosePage(pages: number | undefined, random: (limit: number) => number): number {
  if (pages === undefined) return 2;
  const last = Math.min(pages, latestPage);
  return last < 2 ? 1 : 2 + random(last - 1);
}

/** The workers wait this long for the walk of the directory to be through, in milliseconds; then nobody knows the pages. */
const censusWaitMs = 10_000;

/** What the orders come from. */
interface FaultGround {
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
