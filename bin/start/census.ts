import { walkDirectory } from '../../lib/local/index.js';
import { KeyRanges } from './proof/proof.js';
import type { RunProgress } from './run-progress.js';

/** More keys than this are counted, not kept. */
const maxKeys = 500_000;

/** A walk of the directory before the scan: what there is to do, and where. */
export interface Census {
  readonly objects: number;
  /** All keys; absent when there are too many. */
  readonly keys: readonly string[] | undefined;
}

/** A census that is being taken; disposing of it ends the walk. */
export interface RunningCensus extends AsyncDisposable {
  readonly taken: Promise<Census>;
}

/** Begins to walk the directory, and tells the progress how many objects there are. */
export function startCensus(directory: string, progress: RunProgress, signal: AbortSignal): RunningCensus {
  const ended = new AbortController();
  const taken = takeCensus(directory, progress, AbortSignal.any([signal, ended.signal]));
  // Whoever needs it gets its error; nobody may.
  taken.catch(() => {});
  return {
    taken,
    async [Symbol.asyncDispose]() {
      ended.abort();
      await taken.catch(() => {});
    },
  };
}

async function takeCensus(directory: string, progress: RunProgress, signal: AbortSignal): Promise<Census> {
  const keys: string[] = [];
  let objects = 0;
  let bytes = 0;
  for await (const { key, size } of walkDirectory(directory)) {
    signal.throwIfAborted();
    if (++objects <= maxKeys) keys.push(key);
    bytes += size;
    progress.walked = { objects, bytes, done: false };
  }
  progress.walked = { objects, bytes, done: true };
  return { objects, keys: objects <= maxKeys ? keys : undefined };
}

/**
 * How many pages each slice has.
 *
 * @param his the slices' upper bounds, in key order
 */
export function pagesOfSlices(
  keys: readonly string[],
  his: readonly (string | undefined)[],
  pageSize: number,
): number[] {
  const ranges = new KeyRanges(his);
  const counts = his.map(() => 0);
  for (const key of keys) counts[ranges.indexOf(key)]!++;
  return counts.map((count) => Math.ceil(count / pageSize));
}
