import { describe, expect, it } from 'vitest';
import {
  eachObject,
  type Processor,
  planScan,
  readCuts,
  readRun,
  verifyScan,
  workSeat,
} from '../../../lib/scan/index.js';

const processor: Processor<null> = { empty: () => null, process: () => null, merge: () => null };
// Whatever is asked of them would fail.
const locks = { context: { table: {} } };
const s3 = { send: () => {} };
const run = { locks, run: 'r' };

/** What each call may be given at least; nothing is sent for any of it. */
const calls: Readonly<
  Record<string, readonly [call: (options: never) => Promise<unknown>, options: object]>
> = {
  planScan: [planScan, { ...run, s3, bucket: 'b', seats: 1 }],
  workSeat: [workSeat, { ...run, s3, seat: 0, processor }],
  readRun: [readRun, run],
  readCuts: [readCuts, run],
  verifyScan: [verifyScan, { ...run, s3, processor }],
  eachObject: [
    (options) => eachObject({ objects: [] }, async () => {}, options),
    { signal: new AbortController().signal, failed: () => {} },
  ],
};

describe('a call of the scan', () => {
  it.each(Object.keys(calls))('%s names what it takes where it gets nothing', async (name) => {
    const [call] = calls[name]!;
    for (const nothing of [undefined, null, 5, []])
      await expect(call(nothing as never)).rejects.toMatchObject({
        name: 'UsageError',
        message: expect.stringMatching(new RegExp(`^${name}: must be given an object with .*signal`)),
      });
  });

  it.each(Object.keys(calls))('%s takes no misspelt option for an absent one', async (name) => {
    const [call, options] = calls[name]!;
    await expect(call({ ...options, sgnal: 1 } as never)).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringMatching(new RegExp(`^${name}: has no option "sgnal"; it takes .*signal`)),
    });
  });

  it.each(Object.keys(calls))('%s names each part that is not there, or is something else', async (name) => {
    const [call, options] = calls[name]!;
    const wrong = { locks: {}, s3: {}, processor: { empty: () => null }, failed: 5, signal: {} };
    for (const [part, something] of Object.entries(wrong)) {
      if (!(part in options) && part !== 'signal') continue;
      const isNeeded = part in options;
      for (const value of [something, null, 5, ...(isNeeded ? [undefined] : [])])
        await expect(call({ ...options, [part]: value } as never)).rejects.toMatchObject({
          name: 'UsageError',
          message: expect.stringMatching(new RegExp(`^${part}: must be an? .*, got `)),
        });
    }
  });
});
