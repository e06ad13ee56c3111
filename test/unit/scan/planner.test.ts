import { describe, expect, it } from 'vitest';
import type { LockClient } from '../../../lib/client/index.js';
import { leaseFormat, type TableContext } from '../../../lib/lease/index.js';
import type { PlanOptions } from '../../../lib/scan/plan/plan-options.js';
import { planScan } from '../../../lib/scan/plan/planner.js';
import { findRun } from '../../../lib/scan/slices/scan-run.js';
import { MemoryBucket } from '../../support/scan/memory-bucket.js';
import { onScan } from '../../support/scan/scan-events.js';
import { simulatedNow, simulatedTable } from '../../support/simulated-table.js';

const numbered = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(3, '0')}`);

/** One planner: it needs no more of a lock client than its context. */
function plannerOf(context: TableContext, keys: readonly string[]) {
  const bucket = new MemoryBucket(keys);
  const locks = { context } as unknown as LockClient;
  const plan = (options: Partial<PlanOptions> = {}) =>
    planScan({
      locks,
      s3: bucket.s3,
      run: 'r',
      bucket: 'data',
      prefix: 'k/',
      seats: 2,
      pageSize: 10,
      ...options,
    });
  return { bucket, plan };
}

describe('planning a run', () => {
  const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].flatMap((group) => numbered(60, `k/${group}/`));

  it('writes the run, its commit point, and the slices; and answers a seat for each worker', async () => {
    const { context, get } = simulatedTable();
    const { bucket, plan } = plannerOf(context, keys);
    const done = await plan({ prefix: 'k/', seats: 3 });
    expect(done).toEqual({
      run: 'r',
      seats: [0, 1, 2].map((seat) => ({ run: 'r', seat })),
      slices: 3,
      listRequests: bucket.asked.length,
      existed: false,
    });
    const now = simulatedNow + 1_000;
    const ttl = { N: String((now + context.retentionMs) / 1_000) };
    expect(await get('scan/r')).toMatchObject({
      format: { S: leaseFormat },
      version: { N: String(now) },
      group: { S: 'scan' },
      ttl,
      bucket: { S: 'data' },
      prefix: { S: 'k/' },
      planRequests: { N: String(bucket.asked.length) },
      startedAtMs: { N: String(now) },
      rounds: { N: '0' },
    });
    const run = await findRun(context as never, 'r');
    expect(run).toMatchObject({ run: 'r', bucket: 'data', prefix: 'k/', pageSize: 10 });
    expect(run!.cuts).toHaveLength(2);
    for (let ordinal = 0; ordinal < 3; ordinal++) {
      expect(await get(`scan/r/00000${ordinal}`)).toMatchObject({
        version: { N: String(simulatedNow) },
        group: { S: 'scan/r' },
        ttl,
        progress: { N: '0' },
        ...(ordinal > 0 && { lo: { S: run!.cuts[ordinal - 1] } }),
        ...(ordinal < 2 && { hi: { S: run!.cuts[ordinal] } }),
      });
    }
    expect(await get('scan/r/000003')).toBeUndefined();
  });

  it('makes one slice a seat, or as many as are wanted, for three requests each at most', async () => {
    for (const [options, slices] of [
      [{ seats: 2 }, 2],
      [{ seats: 2, slices: 5 }, 5],
      [{ seats: 9, slices: 1 }, 1],
    ] as const) {
      const { bucket, plan } = plannerOf(simulatedTable().context, keys);
      expect(await plan(options)).toMatchObject({ slices });
      expect(bucket.asked.length).toBeLessThanOrEqual(3 * slices);
    }
  });

  it('makes no cut of its own where nothing lies', async () => {
    const { context } = simulatedTable();
    await plannerOf(context, keys).plan({ prefix: undefined });
    for (const cut of (await findRun(context as never, 'r'))!.cuts) expect(cut.startsWith('k/')).toBe(true);
  });

  it('scans the whole bucket, a thousand keys a page, unless told otherwise', async () => {
    const { context } = simulatedTable();
    const { bucket, plan } = plannerOf(context, ['a', 'b']);
    await plan({ prefix: undefined, pageSize: undefined });
    expect(bucket.asked).toMatchObject([{ Bucket: 'data', Prefix: '', MaxKeys: 1_000 }]);
    expect(await findRun(context as never, 'r')).toMatchObject({ prefix: '', pageSize: 1_000, cuts: [] });
    expect(await findRun(context as never, 'r')).not.toHaveProperty('output');
  });

  it('takes the cuts and the output that it is given', async () => {
    const { context } = simulatedTable();
    const output = { bucket: 'out', prefix: 'o' };
    await plannerOf(context, keys).plan({ slices: 1, cuts: ['k/c', 'k/b'], output });
    expect(await findRun(context as never, 'r')).toMatchObject({ cuts: ['k/b', 'k/c'], output });
  });

  it('again changes nothing, lists nothing and says that it was there', async () => {
    const { context, get } = simulatedTable();
    const first = await plannerOf(context, keys).plan();
    const before = await get('scan/r');
    const { bucket, plan } = plannerOf(context, numbered(90, 'z/'));
    expect(await plan({ seats: 1 })).toEqual({
      ...first,
      seats: [{ run: 'r', seat: 0 }],
      listRequests: 0,
      existed: true,
    });
    expect(bucket.asked).toEqual([]);
    expect(await get('scan/r')).toEqual(before);
  });

  it('twice at once leads to one plan: that of whoever wrote it first', async () => {
    const { context, get } = simulatedTable();
    const plans = await Promise.all([
      plannerOf(context, keys).plan({ seats: 3, prefix: 'k/' }),
      plannerOf(context, numbered(25, 'k/')).plan({ seats: 3, prefix: 'k/' }),
    ]);
    const { cuts } = (await findRun(context as never, 'r'))!;
    expect(plans.map(({ slices }) => slices)).toEqual([cuts.length + 1, cuts.length + 1]);
    expect(plans.map(({ existed }) => existed)).toEqual([false, false]);
    expect(await get(`scan/r/${String(cuts.length + 1).padStart(6, '0')}`)).toBeUndefined();
  });

  it('goes on with its own plan where the run was removed right after it lost to another', async () => {
    const { context } = simulatedTable();
    const { table } = context;
    const forgetful = Object.assign(Object.create(table), {
      create: async () => false,
      get: async () => undefined,
    });
    const plan = await plannerOf({ ...context, table: forgetful }, keys).plan();
    expect(plan).toMatchObject({ slices: 2, existed: false });
  });

  it('makes slices again that are missing, and leaves the others alone', async () => {
    const { context, get } = simulatedTable();
    const { table } = context;
    let writes = 0;
    const failing = Object.assign(Object.create(table), {
      create: async (item: never) => {
        if (++writes > 3) throw new Error('cut off');
        return table.create(item);
      },
      get: table.get.bind(table),
    });
    await expect(plannerOf({ ...context, table: failing }, keys).plan({ slices: 4 })).rejects.toThrow(
      'cut off',
    );
    expect(await get('scan/r/000003')).toBeUndefined();
    expect(await plannerOf(context, keys).plan({ slices: 4 })).toMatchObject({ slices: 4, existed: true });
    expect(await get('scan/r/000003')).toBeDefined();
  });

  it('of a run that was planned for another bucket or prefix is refused, and names both', async () => {
    const { context } = simulatedTable();
    const { plan } = plannerOf(context, keys);
    await plan({ prefix: 'k/' });
    const usage = (place: string) => ({
      name: 'UsageError',
      lockName: 'scan/r',
      message: `The scan "r" was planned for s3://data/k/, not for ${place}`,
    });
    await expect(plan({ prefix: 'k' })).rejects.toMatchObject(usage('s3://data/k'));
    await expect(plan({ prefix: undefined })).rejects.toMatchObject(usage('s3://data/'));
    await expect(plan({ prefix: 'k/', bucket: 'other' })).rejects.toMatchObject(usage('s3://other/k/'));
    await expect(plan({ prefix: 'k/' })).resolves.toMatchObject({ existed: true });
  });

  it('checks its options before any request, and stops at its signal', async () => {
    const { context } = simulatedTable();
    const { bucket, plan } = plannerOf(context, keys);
    await expect(plan({ seats: 0 })).rejects.toMatchObject({ name: 'UsageError' });
    const reason = new Error('enough');
    await expect(plan({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(bucket.asked).toEqual([]);
    const controller = new AbortController();
    bucket.trouble = () => controller.abort(reason);
    await expect(plan({ signal: controller.signal })).rejects.toBe(reason);
    expect(bucket.asked).toHaveLength(1);
  });

  it('needs store time first', async () => {
    const { context, runtime } = simulatedTable();
    runtime.move(0, 3_600_000);
    let pings = 0;
    const table = Object.assign(Object.create(context.table), {
      ping: async () => {
        pings += 1;
      },
      get: context.table.get.bind(context.table),
      create: context.table.create.bind(context.table),
    });
    await plannerOf({ ...context, table }, keys).plan();
    expect(pings).toBeGreaterThan(0);
  });

  it('says so in an event', async () => {
    const events: unknown[] = [];
    using _ = onScan('scan-planned', 'r', (event) => events.push(event));
    const { bucket, plan } = plannerOf(simulatedTable().context, keys);
    const { slices } = await plan();
    const listRequests = bucket.asked.length;
    await plan();
    expect(events).toEqual([
      { run: 'r', slices, listRequests, existed: false },
      { run: 'r', slices, listRequests: 0, existed: true },
    ]);
  });
});
