import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inByteOrder } from '../../support/scan/listed-keys.js';
import { bucket, outputBucket, Stage } from '../../support/scan/stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage[Symbol.asyncDispose]());

const numbered = (count: number, prefix = 'k/') =>
  Array.from(
    { length: count },
    (_, index) => `${prefix}${String((index * 7919) % 100_003).padStart(6, '0')}`,
  );

describe('a whole scan', () => {
  it('hands out every key exactly once and tiles', async () => {
    await using scene = await stage.scene(numbered(300));
    await scene.plan({ prefix: 'k/', seats: 4 });
    const answers = await Promise.all([0, 1, 2, 3].map((seat) => scene.work({ seat })));
    const verdict = await scene.verify();
    expect(verdict).toMatchObject({
      status: 'complete',
      report: { objects: 300, tiles: true, unfinished: 0 },
    });
    expect(await scene.keys()).toEqual(inByteOrder(numbered(300)));
    expect(answers.every(({ status }) => status === 'done')).toBe(true);
    expect(verdict.report.slices).toBeGreaterThanOrEqual(4);
  });

  it('completes an empty prefix with one empty slice', async () => {
    await using scene = await stage.scene(['elsewhere/x']);
    const verdict = await scene.scan({ prefix: 'nothing/' });
    expect(verdict).toMatchObject({ status: 'complete', report: { slices: 1, objects: 0, pages: 0 } });
  });

  it('scans a single key, also one that is equal to the prefix', async () => {
    await using scene = await stage.scene(['exact']);
    expect(await scene.scan({ prefix: 'exact' })).toMatchObject({
      status: 'complete',
      report: { objects: 1 },
    });
    expect(await scene.keys()).toEqual(['exact']);
    // StartAfter with the prefix would have skipped it.
    expect(scene.lists.every(({ query }) => !query.has('start-after'))).toBe(true);
  });

  it('keeps a key equal to the prefix when there are slices behind it', async () => {
    const keys = ['p', ...numbered(60, 'p')];
    await using scene = await stage.scene(keys);
    const verdict = await scene.scan({ prefix: 'p', seats: 3 });
    expect(verdict).toMatchObject({ status: 'complete' });
    expect(await scene.keys()).toEqual(inByteOrder(keys));
  });

  it('scans a whole bucket', async () => {
    const keys = [...numbered(25, 'a/'), ...numbered(25, 'b/'), 'z'];
    await using scene = await stage.scene(keys);
    await scene.scan({ seats: 2, output: { bucket: outputBucket, prefix: '' } });
    expect(await scene.keys()).toEqual(inByteOrder(keys));
    expect(bucket).not.toBe(outputBucket);
  });
});
