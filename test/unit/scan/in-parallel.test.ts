import { describe, expect, it } from 'vitest';
import { inParallel } from '../../../lib/scan/seats/in-parallel.js';

/** Work that ends when it is told to, and what was begun. */
function scene(count: number, width: number) {
  const begun: number[] = [];
  const ends = new Map<number, { readonly done: () => void; readonly fail: (error: Error) => void }>();
  const items = Array.from({ length: count }, (_, index) => index);
  const outcome = inParallel(items, width, (item) => {
    begun.push(item);
    return new Promise<void>((done, fail) => ends.set(item, { done, fail }));
  }).then(
    () => 'done',
    (error: unknown) => error,
  );
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { begun, ends, outcome, settled };
}

describe('work on some at a time', () => {
  it('begins as many as there may be, then one for each that ends, each once', async () => {
    const { begun, ends, outcome, settled } = scene(5, 2);
    expect(begun).toEqual([0, 1]);
    for (const [ended, next] of [
      [1, 2],
      [2, 3],
      [0, 4],
    ] as const) {
      ends.get(ended)!.done();
      await settled();
      expect(begun.at(-1)).toBe(next);
    }
    for (const left of [3, 4]) ends.get(left)!.done();
    expect(await outcome).toBe('done');
    expect(begun).toEqual([0, 1, 2, 3, 4]);
  });

  it('begins none after the first that fails, waits for the others, and throws that failure', async () => {
    const { begun, ends, outcome, settled } = scene(9, 3);
    const [first, second] = [new Error('first'), new Error('second')];
    let isOver = false;
    void outcome.then(() => {
      isOver = true;
    });
    ends.get(1)!.fail(first);
    await settled();
    ends.get(0)!.done();
    await settled();
    expect([begun, isOver]).toEqual([[0, 1, 2], false]);
    ends.get(2)!.fail(second);
    expect(await outcome).toBe(first);
  });

  it('is over at once where there is nothing, and refuses a width that works on nothing', async () => {
    expect(await scene(0, 3).outcome).toBe('done');
    for (const width of [0, 0.5, -1, Number.NaN])
      expect(await scene(3, width).outcome).toBeInstanceOf(RangeError);
    const all = scene(3, Number.POSITIVE_INFINITY);
    expect(all.begun).toEqual([0, 1, 2]);
  });
});
