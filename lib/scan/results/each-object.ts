import { type Runtime, retry, systemRuntime } from '../../runtime/index.js';
import { checkCall } from '../check-call.js';
import { checkWholeNumber } from '../check-number.js';
import { inParallel } from '../seats/in-parallel.js';
import type { ProcessContext, ScanObject, ScanPage } from './processor.js';

/** How the objects of a page are worked on. Spread a `ProcessContext` into it. */
export interface EachObjectOptions extends Pick<ProcessContext, 'signal' | 'failed'> {
  /** Objects at the same time, 1 to 1,000. @default 8 */
  readonly concurrency?: number;
  /** Further tries of an object that failed, 0 to 20. @default 2 */
  readonly retries?: number;
  readonly runtime?: Runtime;
}

const takes = {
  ...{ signal: true, failed: true, concurrency: false, retries: false, runtime: false },
  // The rest of a context.
  ...{ lease: false, output: false },
} satisfies Record<keyof (EachObjectOptions & ProcessContext), boolean>;

/** How many objects came to an end, and how. */
export interface EachObjectCounts {
  readonly done: number;
  readonly failed: number;
}

/** In milliseconds. */
const spacing = { firstPauseMs: 100, maxPauseMs: 30_000 };
const maxConcurrency = 1_000;
const maxRetries = 20;

/**
 * Works on each object of a page. One that fails is tried again; if it fails for good it is recorded with its key,
 * and the others go on. A stale token or a lost lease is no object's fault and ends the page.
 *
 * @throws UsageError for a setting that is no such number, before any work; the signal's reason; StaleTokenError, LockLostError of the work
 */
export async function eachObject(
  page: Pick<ScanPage, 'objects'>,
  work: (object: ScanObject, signal: AbortSignal) => Promise<unknown>,
  options: EachObjectOptions,
): Promise<EachObjectCounts> {
  checkCall('eachObject', options, takes);
  const { signal, concurrency = 8, retries = 2 } = options;
  checkWholeNumber('concurrency', concurrency, 1, maxConcurrency);
  checkWholeNumber('retries', retries, 0, maxRetries);
  const counts = { done: 0, failed: 0 };
  await inParallel(page.objects, concurrency, async (object) => {
    const error = await triedOften(() => work(object, signal), options);
    if (error === undefined) counts.done += 1;
    else {
      options.failed(object.key, error);
      counts.failed += 1;
    }
  });
  return counts;
}

/** The last error, or `undefined` once it worked. */
async function triedOften(work: () => Promise<unknown>, options: EachObjectOptions): Promise<unknown> {
  const { signal, retries = 2, runtime = systemRuntime } = options;
  const endsPage = (error: unknown) =>
    signal.aborted ||
    (error instanceof Error && (error.name === 'StaleTokenError' || error.name === 'LockLostError'));
  signal.throwIfAborted();
  try {
    const mayPass = (error: unknown) => !endsPage(error);
    await retry(runtime, { ...spacing, mayPass, maxTries: retries + 1, signal }, work);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (endsPage(error)) throw error;
    return error ?? new Error('failed without an error');
  }
}
