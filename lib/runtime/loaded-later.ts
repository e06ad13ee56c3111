import { StoreError } from '../errors/errors.js';

/**
 * A part that is loaded when it is first needed, so that a start does not pay for it. Loaded once; a load that failed is
 * tried again by the next call. It counts as a store that can't be reached: whoever holds a lease keeps it, for as long as
 * it runs, and may ask again.
 *
 * @throws StoreError where it can't be loaded, as where files can't be read any more
 */
export function loadedOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((cause) => {
      loading = undefined;
      const message = `A part of Leasehold could not be loaded: ${cause}`;
      throw new StoreError(message, undefined, { cause, retryable: true, mayHaveApplied: true });
    });
    return loading;
  };
}

// biome-ignore lint/suspicious/noExplicitAny: whatever its methods take and answer
type Methods = Record<string, (...asked: any[]) => any>;

/**
 * Methods of a part that is {@link loadedOnce}: each loads it, and asks it.
 *
 * @param names of those that answer a promise
 * @param listings of those that answer page by page
 */
export function callsOf<T extends object, K extends keyof T & string>(
  later: () => Promise<T>,
  names: readonly K[],
  listings: readonly K[] = [],
): Pick<T, K> {
  const calls: Methods = {};
  for (const name of names) {
    calls[name] = async (...asked) => ((await later()) as Methods)[name]!(...asked);
  }
  for (const name of listings) {
    calls[name] = async function* (...asked) {
      yield* ((await later()) as Methods)[name]!(...asked);
    };
  }
  return calls as Pick<T, K>;
}
