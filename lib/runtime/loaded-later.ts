/**
 * A part that is loaded when it is first needed, so that a start does not pay for it. Loaded once; a load that failed is
 * tried again by the next call, and its error is that call's.
 */
export function loadedOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
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
