import { describe, expect, it } from 'vitest';
import {
  eachObject,
  emptyDigest,
  type InventoryPartial,
  inventory,
  inventoryReport,
  type Processor,
  verifyScan,
  workSeat,
} from '../../../lib/scan/index.js';
import { PartialStore } from '../../../lib/scan/results/partial-store.js';
import { inParallel } from '../../../lib/scan/seats/in-parallel.js';

const none = [Number.NaN, Number(undefined), 0.5, Number.POSITIVE_INFINITY, -1, '4', null];
const refused = (option: string) => ({
  name: 'UsageError',
  message: expect.stringContaining(`${option}: must be`),
});
const object = { key: 'a', size: 1, lastModifiedMs: 0, storageClass: 'STANDARD', etag: '' };

describe('a setting of a scan that is no number (D19)', () => {
  it.each([...none, 0, 1_001])(
    'D19 %s objects at the same time: refused before any is worked on',
    async (value) => {
      let worked = 0;
      const options = {
        signal: new AbortController().signal,
        failed: () => {},
        concurrency: value as number,
      };
      const work = eachObject({ objects: [object] }, async () => void worked++, options);
      await expect(work).rejects.toMatchObject(refused('concurrency'));
      expect(worked).toBe(0);
    },
  );

  it.each(none)('D19 %s further tries: refused', async (value) => {
    const options = { signal: new AbortController().signal, failed: () => {}, retries: value as number };
    await expect(eachObject({ objects: [object] }, async () => {}, options)).rejects.toMatchObject(
      refused('retries'),
    );
  });

  it.each([Number.NaN, 0, -1])(
    'D19 no lane at all (%s) is no way to be done with everything',
    async (width) => {
      await expect(inParallel([1], width, async () => {})).rejects.toThrow(RangeError);
    },
  );

  it.each(none)('D19 %s of the largest objects, of rows, of bytes in an item: refused', (value) => {
    const number = value as number;
    if (value !== null)
      expect(() => inventory({ largest: number })).toThrow(expect.objectContaining(refused('largest')));
    const partial = { objects: 0, bytes: 0, digest: emptyDigest } as InventoryPartial;
    expect(() => inventoryReport(partial, number)).toThrow(expect.objectContaining(refused('top')));
    expect(() => new PartialStore(undefined as never, undefined, number)).toThrow(
      expect.objectContaining(refused('inlineBytes')),
    );
  });

  it.each([Number.NaN, Number(undefined)])(
    'D19 %s for a seat, its margin, its end, its rounds: refused before anything is sent',
    async (value) => {
      const processor: Processor<null> = { empty: () => null, process: () => null, merge: () => null };
      // Whatever is asked of them would fail.
      const locks = { context: { table: {} } } as never;
      const s3 = { send: () => {} } as never;
      const seat = { locks, s3, run: 'r', seat: 0, processor };
      await expect(workSeat({ ...seat, seat: value })).rejects.toMatchObject(refused('seat'));
      await expect(workSeat({ ...seat, marginMs: value })).rejects.toMatchObject(refused('marginMs'));
      await expect(workSeat({ ...seat, pageTimeoutMs: value })).rejects.toMatchObject(
        refused('pageTimeoutMs'),
      );
      await expect(workSeat({ ...seat, remainingMs: () => value })).rejects.toMatchObject(
        refused('remainingMs()'),
      );
      const sized = { ...processor, inlineBytes: value };
      await expect(workSeat({ ...seat, processor: sized })).rejects.toMatchObject(refused('inlineBytes'));
      const run = { locks, s3, run: 'r', processor };
      await expect(verifyScan({ ...run, maxRounds: value })).rejects.toMatchObject(refused('maxRounds'));
    },
  );
});
