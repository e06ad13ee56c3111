/**
 * Works on items, some at a time. After the first failure no new item is begun, and it waits for those in flight.
 *
 * @param width from 1
 * @throws the first failure; RangeError for a width at which nothing would be worked on
 */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  if (!(width >= 1)) throw new RangeError(`no lane to work in: ${width}`);
  let next = 0;
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    while (next < items.length && failures.length === 0) {
      const item = items[next++]!;
      try {
        await work(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
  if (failures.length > 0) throw failures[0];
}
