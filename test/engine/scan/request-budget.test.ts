import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ObservedRequest } from '../../../lib/local/index.js';
import { inventory } from '../../../lib/scan/index.js';
import { bucket, Stage } from '../../support/scan/stage.js';
import { bySize } from '../../support/size.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage[Symbol.asyncDispose]());

const readKeys = (count: number, prefix = 'k/') =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(4, '0')}`);

/** Requests about one run's slices. */
function sliceWrites(log: readonly { operation: string; body: ObservedRequest['body'] }[]): number {
  return log.filter(({ operation }) => operation === 'UpdateItem').length;
}

describe('the request budget of a worker', () => {
  it.each([
    [100, 10],
    [95, 5],
    [10, 1],
  ])(
    '%i keys in %i pages: a list and a write a page, an acquire and a completion a slice',
    async (count, size) => {
      await using scene = await stage.scene(readKeys(count));
      const pageSize = Math.ceil(count / size);
      await scene.plan({ slices: 1, pageSize, prefix: 'k/' });
      const pages = Math.ceil(count / pageSize);
      stage.metered.meter.reset();
      scene.server.requests.reset();
      const answer = await scene.work({ processor: inventory() });
      expect(answer).toMatchObject({ status: 'done', pages, objects: count, listRequests: pages });
      expect(scene.server.requests.list).toBe(pages);
      expect(scene.server.requests.total).toBe(pages);
      expect(sliceWrites(stage.metered.meter.log)).toBe(pages + 2);
      expect(stage.metered.meter.writes).toBe(pages + 2);
      // The clock and the run item; slice 0; one last look: the index and, as nothing is unfinished, no item.
      expect(stage.metered.meter.reads).toBeLessThanOrEqual(4);
    },
  );

  it('holds over slices: one list more for a slice whose last page is full', async () => {
    await using scene = await stage.scene(readKeys(120));
    await scene.plan({ slices: 6, pageSize: 10, prefix: 'k/' });
    const { slices } = await scene.read();
    stage.metered.meter.reset();
    scene.server.requests.reset();
    const answer = await scene.work({ processor: inventory() });
    expect(answer.slices).toBe(slices.length);
    expect(sliceWrites(stage.metered.meter.log)).toBe(answer.pages + 2 * slices.length);
    expect(scene.server.requests.list).toBeLessThanOrEqual(answer.pages + slices.length);
    expect(answer.listRequests).toBe(scene.server.requests.list);
  });

  it('every list request carries the prefix, the encoding and the page size of the run', async () => {
    await using scene = await stage.scene(readKeys(60));
    await scene.plan({ seats: 3, pageSize: 7, prefix: 'k/' });
    scene.lists.length = 0;
    await scene.work();
    expect(scene.lists.length).toBeGreaterThan(8);
    for (const { query } of scene.lists) {
      expect(query.get('prefix')).toBe('k/');
      expect(query.get('encoding-type')).toBe('url');
      expect(query.get('max-keys')).toBe('7');
      expect(query.has('continuation-token')).toBe(false);
    }
  });

  it('every read that decides is strongly consistent (C40)', async () => {
    await using scene = await stage.scene(readKeys(60));
    stage.metered.meter.reset();
    await scene.plan({ seats: 3, prefix: 'k/' });
    await scene.work();
    await scene.verify();
    for (const { operation, body } of stage.metered.meter.log) {
      if (operation === 'GetItem' && body.Key.name.S !== 'leasehold/ping')
        expect(body.ConsistentRead).toBe(true);
      if (operation === 'BatchGetItem') {
        for (const request of Object.values(body.RequestItems)) {
          expect((request as { ConsistentRead: boolean }).ConsistentRead).toBe(true);
        }
      }
    }
  });
});

describe('the request budget of the planner', () => {
  it.each(bySize({ short: [1, 3, 8, 40], long: [1, 2, 3, 5, 8, 16, 40] }))(
    '%i slices: at most three times as many, all with the prefix',
    async (slices) => {
      await using scene = await stage.scene([
        ...readKeys(150, 'deep/er/a'),
        ...readKeys(150, 'deep/er/x'),
        'z',
      ]);
      const plan = await scene.plan({ slices, pageSize: 5, prefix: 'deep/' });
      expect(plan.listRequests).toBeLessThanOrEqual(3 * slices);
      expect(scene.server.requests.list).toBe(plan.listRequests);
      expect(plan.slices).toBeLessThanOrEqual(slices);
      expect(plan.slices).toBeGreaterThan(slices / 2 - 1);
      for (const { query, bucket: asked } of scene.lists) {
        expect(asked).toBe(bucket);
        // Folders are listed each by its own path.
        if (query.has('delimiter')) expect(query.get('prefix')).toMatch(/^deep\//);
        else expect(query.get('prefix')).toBe('deep/');
      }
    },
  );
});
