import type { Processor } from '../../../lib/scan/index.js';

/** Every key that was handed out, as often as it was. */
export interface ListedKeys {
  readonly keys: readonly string[];
}

/** A processor whose result is the keys themselves, so that nothing can be lost or doubled unseen. */
export function listedKeys(): Processor<ListedKeys> {
  return {
    inlineBytes: 100_000,
    empty: () => ({ keys: [] }),
    process: (page) => ({ keys: page.objects.map(({ key }) => key) }),
    merge: (a, b) => ({ keys: [...a.keys, ...b.keys] }),
  };
}

/** Keys in the order that the scan reports them: by UTF-8 bytes. */
export function inByteOrder(keys: readonly string[]): string[] {
  return [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
