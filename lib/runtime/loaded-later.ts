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
type Methods = Record<string, (...asked: any[]) => Promise<any>>;

/** Methods of a part that is {@link loadedOnce}: each loads it, and asks it. */
export function callsOf<T extends object, K extends keyof T & string>(
  later: () => Promise<T>,
  names: readonly K[],
): Pick<T, K> {
  const calls = names.map((name) => [
    name,
    async (...asked: unknown[]) => ((await later()) as Methods)[name]!(...asked),
  ]);
  return Object.fromEntries(calls);
}
