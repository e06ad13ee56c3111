import { setTimeout as sleep } from 'node:timers/promises';
import type { Processor } from '../../../lib/scan/index.js';

/** Every key that was handed out, as often as it was. */
export interface ListedKeys {
  readonly keys: readonly string[];
}

/**
 * A processor whose result is the keys themselves, so that none can be missed or doubled unseen. Larger than an item
 * should be: most of it goes through the output bucket.
 *
 * @param pauseMs how long the work on the next page takes, in milliseconds
 */
export function listedKeys(pauseMs: () => number): Processor<ListedKeys> {
  return {
    empty: () => ({ keys: [] }),
    async process(page, { signal }) {
      await sleep(pauseMs(), undefined, { signal });
      return { keys: page.objects.map(({ key }) => key) };
    },
    merge: (a, b) => ({ keys: [...a.keys, ...b.keys] }),
  };
}
