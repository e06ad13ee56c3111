import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eachObject, type Processor, readCuts, readRun } from '../../../lib/scan/index.js';
import { inByteOrder, type ListedKeys, listedKeys } from '../../support/scan/listed-keys.js';
import { Stage, table } from '../../support/scan/stage.js';
import { split } from '../../support/scan/thief.js';
import { bySize } from '../../support/size.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage[Symbol.asyncDispose]());

const keys = Array.from({ length: 40 }, (_, index) => `k/${String(index).padStart(3, '0')}`);
const plan = { prefix: 'k/', slices: 4, pageSize: 5, cuts: ['k/009', 'k/019', 'k/029'] } as const;

describe('verify', () => {
  it('asks for more rounds while slices are unfinished, and in the end gives up', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan(plan);
    expect(await scene.verify({ maxRounds: 3 })).toMatchObject({
      status: 'more',
      round: 1,
      report: { unfinished: 4 },
    });
    expect(await scene.verify({ maxRounds: 3 })).toMatchObject({ status: 'more', round: 2 });
    expect(await scene.verify({ maxRounds: 3 })).toMatchObject({
      status: 'failed',
      round: 3,
      reason: expect.stringContaining('unfinished'),
    });
    await scene.work();
    expect(await scene.verify({ maxRounds: 3 })).toMatchObject({ status: 'complete' });
  });

  it('finds a slice that is gone', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan(plan);
    await scene.work();
    const name = `scan/${scene.run}/000002`;
    await stage.metered.client.send(new DeleteItemCommand({ TableName: table, Key: { name: { S: name } } }));
    expect(await scene.verify()).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('("k/019", "k/029"]'),
    });
  });

  it('does not rely on the index: children are found by parent and cut', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan(plan);
    const read = async (index: number) => (await scene.read()).slices[index]!;
    await split(scene.locks.context, await read(1), 'k/015');
    await scene.verify();
    await split(scene.locks.context, await read(2), 'k/017');
    await scene.verify();
    await split(scene.locks.context, await read(1), 'k/012');
    await scene.verify();
    await scene.work();
    // An index that lags for ever.
    const { table: leases, clock, runtime, skewMs, retentionMs } = scene.locks.context;
    const blind = Object.create(leases, {
      namesInGroup: { value: async function* () {} },
      getMany: { value: leases.getMany.bind(leases) },
      get: { value: leases.get.bind(leases) },
    });
    const locks = { context: { table: blind, clock, runtime, skewMs, retentionMs } } as typeof scene.locks;
    const state = await readRun({ locks, run: scene.run });
    expect(state.gaps).toEqual([]);
    expect(state.slices.map(({ hi }) => hi)).toEqual([
      ...['k/009', 'k/012', 'k/015', 'k/017', 'k/019', 'k/029', undefined],
    ]);
  });

  it('sees a slice that lies across others', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan(plan);
    await scene.work();
    await scene.locks.context.table.update(`scan/${scene.run}/000001`, {
      set: { hi: 'k/025' },
      condition: { text: 'attribute_exists(#completedAt)' },
    });
    expect(await scene.verify()).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('two slices cover ("k/019", "k/025"]'),
    });
  });

  it('names objects that failed: completed with failures (C49)', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan(plan);
    const tries = new Map<string, number>();
    const processor: Processor<ListedKeys> = {
      ...listedKeys(),
      async process(page, context) {
        await eachObject(
          page,
          async ({ key }) => {
            tries.set(key, (tries.get(key) ?? 0) + 1);
            if (key === 'k/007' || (key === 'k/013' && tries.get(key)! < 3)) throw new Error(`no ${key}`);
          },
          { ...context, concurrency: 3 },
        );
        return listedKeys().process(page, context);
      },
    };
    await scene.work({ processor });
    expect(tries.get('k/007')).toBe(3);
    expect(tries.get('k/013')).toBe(3);
    expect(tries.get('k/014')).toBe(1);
    expect(await scene.verify()).toMatchObject({
      status: 'completed-with-failures',
      reason: expect.stringContaining('1 objects'),
      report: { failureCount: 1, failures: [{ key: 'k/007', error: 'Error: no k/007' }], objects: 40 },
    });
  });

  it('names no more failures than fit, and counts all', async () => {
    const many = Array.from({ length: 300 }, (_, index) => `k/${String(index).padStart(3, '0')}`);
    await using scene = await stage.scene(many);
    await scene.plan({ ...plan, pageSize: 100 });
    const processor: Processor<ListedKeys> = {
      ...listedKeys(),
      process(page, { failed }) {
        for (const { key } of page.objects) failed(key, new Error('x'.repeat(10_000)));
        return { keys: [] };
      },
    };
    await scene.work({ processor });
    const { report } = await scene.verify();
    expect(report.failureCount).toBe(300);
    expect(report.failures).toHaveLength(50);
    expect(JSON.stringify(report).length).toBeLessThan(20_000);
  });
});

describe('a plan', () => {
  it('made again is the same, whatever has changed in the bucket, and costs no list request', async () => {
    await using scene = await stage.scene(keys);
    const first = await scene.plan({ prefix: 'k/', seats: 4, pageSize: 3 });
    const before = await scene.read();
    await scene.put(Array.from({ length: 40 }, (_, index) => `k/x${index}`));
    const again = await scene.plan({ prefix: 'k/', seats: 4, pageSize: 3 });
    expect(again).toMatchObject({ slices: first.slices, listRequests: 0, existed: true });
    expect((await scene.read()).slices).toEqual(before.slices);
    await scene.work();
    const done = await scene.read();
    await scene.plan({ prefix: 'k/', seats: 4, pageSize: 3 });
    expect((await scene.read()).slices).toEqual(done.slices);
  });

  it('made by two planners that see different keys is the plan of one of them', async () => {
    await using scene = await stage.scene(keys);
    // Each planner sees another bucket: keys come and go while they list.
    await using other = await stage.scene(Array.from({ length: 60 }, (_, index) => `k/${index * 13}`));
    const options = { prefix: 'k/', seats: 6, pageSize: 3, run: scene.run };
    const plans = await Promise.all([
      scene.plan(options),
      scene.plan({ ...options, s3: other.s3, locks: other.locks }),
      scene.plan({ ...options, seats: 3 }),
    ]);
    expect(new Set(plans.map(({ slices }) => slices)).size).toBe(1);
    const state = await scene.read();
    expect(state.gaps).toEqual([]);
    expect(state.slices).toHaveLength(plans[0]!.slices);
    await scene.work();
    expect(await scene.keys()).toEqual(inByteOrder(keys));
  });

  it('cut off at any write is made whole by planning again', async () => {
    for (const write of bySize({ short: [1, 4], long: [1, 2, 3, 4, 5, 6, 7] })) {
      await using scene = await stage.scene(keys);
      const handle = stage.metered.faults
        .on('PutItem')
        .skip(write - 1)
        .dropRequest();
      const options = { prefix: 'k/', seats: 8, pageSize: 3 };
      await expect(scene.plan(options)).rejects.toMatchObject({ name: 'StoreError' });
      handle.remove();
      const again = await scene.plan(options);
      expect(again.existed).toBe(write > 1);
      expect((await scene.read()).gaps).toEqual([]);
      await scene.work();
      expect(await scene.keys()).toEqual(keys);
    }
  });

  it('of the same name for another prefix is refused', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/' });
    await expect(scene.plan({ prefix: 'x/' })).rejects.toMatchObject({ name: 'UsageError' });
  });

  it('takes the cuts of an earlier run, splits included', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan(plan);
    await split(scene.locks.context, (await scene.read()).slices[1]!, 'k/015');
    await scene.verify();
    await scene.work();
    const cuts = await readCuts({ locks: scene.locks, run: scene.run });
    expect(cuts).toEqual(['k/009', 'k/015', 'k/019', 'k/029']);
    const next = await scene.plan({ prefix: 'k/', run: `${scene.run}-next`, slices: 5, pageSize: 5, cuts });
    expect(next.slices).toBe(5);
    expect(await readCuts({ locks: scene.locks, run: `${scene.run}-next` })).toEqual(cuts);
  });

  it.each([
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 4],
  ])('of %i pages has %i slices, however many are wanted', async (pages, slices) => {
    await using scene = await stage.scene(keys.slice(0, 10 * pages - 3));
    expect(await scene.plan({ prefix: 'k/', seats: 64, pageSize: 10 })).toMatchObject({
      slices,
      listRequests: pages,
    });
    await scene.work();
    expect(await scene.keys()).toEqual(keys.slice(0, 10 * pages - 3));
  });
});
