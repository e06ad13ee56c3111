import { describe, expect, it } from 'vitest';
import type { LockClient } from '../../../lib/client/index.js';
import { leaseFormat, type TableContext } from '../../../lib/lease/index.js';
import { countStates, type Processor, readCuts, readRun, verifyScan } from '../../../lib/scan/index.js';
import { attributesOfRun, checkRun, findRun, type ScanRun } from '../../../lib/scan/slices/scan-run.js';
import { childSliceId, plannedSliceId, type SliceItem } from '../../../lib/scan/slices/slice.js';
import { createSlice, slicesOfCuts } from '../../../lib/scan/slices/slice-creation.js';
import { simulatedNow, simulatedTable } from '../../support/simulated-table.js';

const plain: ScanRun = {
  ...{
    run: 'r',
    bucket: 'data',
    prefix: '',
    pageSize: 10,
    cuts: [],
    planRequests: 3,
    startedAtMs: 7,
    rounds: 0,
  },
};
const whole: ScanRun = {
  ...{
    ...plain,
    prefix: 'p/',
    cuts: ['p/b', 'p/c'],
    rounds: 2,
    emptyAfter: 'p/z',
    folders: ['p/a/', 'p/b/'],
  },
  ...{ requesterPays: true, output: { bucket: 'out', prefix: 'o' } },
};
const listing: Processor<readonly string[]> = {
  empty: () => [],
  process: () => [],
  merge: (a, b) => [...a, ...b],
};

type Slices = Readonly<Record<string, Partial<SliceItem>>>;

/** Puts a run, the slices of its plan, and what is to be different about those, or beside them. */
async function planned(run: ScanRun, slices: Slices = {}) {
  const { context, get, runtime } = simulatedTable();
  const { table } = context;
  const item = { name: `scan/${run.run}`, format: leaseFormat, version: 1, group: 'scan', ttl: 1 };
  await table.create({ ...item, ...attributesOfRun(run) });
  for (const slice of slicesOfCuts(run.cuts)) await createSlice(context as never, run.run, slice);
  const exists = { text: 'attribute_exists(#name)' };
  for (const [id, changes] of Object.entries(slices)) {
    await createSlice(context as never, run.run, { id });
    const remove = Object.entries(changes).flatMap(([attribute, value]) =>
      value === undefined ? [attribute] : [],
    );
    await table.update(`scan/r/${id}`, { set: changes, remove, condition: exists });
  }
  const locks = { context } as unknown as LockClient;
  const verify = (options: object = {}) =>
    verifyScan({ locks, s3: { send: () => {} } as never, run: 'r', processor: listing, ...options });
  return { context, get, runtime, locks, verify };
}

const result = (partial: string, more: object = {}) => ({
  ...{ completedAt: 1 },
  result: {
    ...{ token: 7, partial },
    tally: {
      ...{ objects: 1, bytes: 2, pages: 1, listRequests: 1, takeovers: 0, failureCount: 0 },
      ...{ failures: [], published: [], ...more },
    },
  },
});

describe('a run as it is stored', () => {
  it.each([
    ['plain', plain],
    ['with all that it may have', whole],
    ['with an output at the top of a bucket', { ...plain, output: { bucket: 'out', prefix: '' } }],
  ])('is read as it was written: %s', async (_, run) => {
    const { context } = await planned(run);
    expect(await findRun(context as never, 'r')).toEqual(run);
    expect(await checkRun(context as never, 'r')).toEqual(run);
  });

  it('has no text that is empty, which not every engine takes', () => {
    const stored = attributesOfRun({ ...plain, output: { bucket: 'out', prefix: '' } });
    expect(stored).not.toHaveProperty('prefix');
    expect(stored).not.toHaveProperty('emptyAfter');
    expect(stored.output).toEqual({ bucket: 'out' });
    expect(stored).not.toHaveProperty('run');
  });

  it.each(['bucket', 'cuts', 'pageSize'])(
    'is none without its %s: somebody else’s item',
    async (attribute) => {
      const { context } = simulatedTable();
      const { [attribute]: _, ...rest } = attributesOfRun(whole);
      await context.table.create({ name: 'scan/r', ...rest });
      await expect(findRun(context as never, 'r')).rejects.toMatchObject({
        ...{ name: 'UsageError', lockName: 'scan/r', message: 'The item "scan/r" is not a scan\'s' },
      });
    },
  );

  it('that is not there was never planned', async () => {
    const { context } = simulatedTable();
    expect(await findRun(context as never, 'r')).toBeUndefined();
    await expect(checkRun(context as never, 'r')).rejects.toMatchObject({
      ...{ name: 'UsageError', lockName: 'scan/r' },
      message: 'The scan "r" was never planned, or TTL removed it',
    });
    await expect(checkRun(context as never, 'a/b')).rejects.toThrow(/^run: must be 1 to 100 of/);
    await expect(checkRun(context as never, 'x'.repeat(101))).rejects.toThrow(/^run: must be/);
    await expect(checkRun(context as never, 'x'.repeat(100))).rejects.toThrow(/never planned/);
  });
});

describe('a look at a run', () => {
  it('finds its slices in key order, what was split off by the index or by the cut, and nothing else', async () => {
    const [a, b, c] = ['p/a', 'p/aa', 'p/bb'].map(childSliceId) as [string, string, string];
    const { context, locks } = await planned(whole, {
      '000000': { hi: 'p/a' },
      [a]: { lo: 'p/a', hi: 'p/aa' },
      [b]: { lo: 'p/aa', hi: 'p/b' },
      '000001': { lo: 'p/b', hi: 'p/bb' },
      [c]: { lo: 'p/bb', hi: 'p/c' },
    });
    await context.table.create({ name: 'scan/r/notes', group: 'scan/r' });
    await context.table.create({ name: 'elsewhere', group: 'scan/r' });
    const { run, slices, gaps } = await readRun({ locks, run: 'r' });
    expect(run).toEqual(whole);
    const ids = ['000000', a, b, '000001', c, '000002'];
    expect(slices.map(({ name }) => name)).toEqual(ids.map((id) => `scan/r/${id}`));
    expect(gaps).toEqual([]);
    expect(await readCuts({ locks, run: 'r' })).toEqual(['p/a', 'p/aa', 'p/b', 'p/bb', 'p/c']);
    // An index that shows nothing yet.
    const blind = Object.assign(Object.create(context.table), {
      namesInGroup: async function* () {},
      get: context.table.get.bind(context.table),
      getMany: context.table.getMany.bind(context.table),
    });
    const late = { context: { ...context, table: blind } } as unknown as LockClient;
    expect(await readRun({ locks: late, run: 'r' })).toEqual({ run, slices, gaps });
  });

  it('takes an item that is no slice for a gap', async () => {
    const { locks } = await planned(whole, { '000001': { progress: 'x' as never } });
    const { slices, gaps } = await readRun({ locks, run: 'r' });
    expect(slices).toHaveLength(2);
    expect(gaps).toEqual([{ lo: 'p/b', hi: 'p/c', reason: 'missing' }]);
  });

  it('counts its slices by how they stand', async () => {
    const { context, locks } = await planned(whole, {
      '000000': { completedAt: 1 },
      '000001': { leaseId: 'x', expiresAt: simulatedNow + 60_000 },
      '000002': { attempts: 4 },
    });
    const state = await readRun({ locks, run: 'r' });
    expect(countStates(context as never, state)).toEqual({ completed: 1, held: 1, quarantined: 1 });
    const fresh = await planned(whole);
    const all = await readRun({ locks: fresh.locks, run: 'r' });
    expect(countStates(fresh.context as never, all)).toEqual({ free: 3 });
  });
});

describe('the proof of a run', () => {
  const done = {
    '000000': { hi: 'p/b', ...result('["a"]') },
    '000001': { lo: 'p/b', hi: 'p/c', ...result('["b"]') },
    '000002': { lo: 'p/c', ...result('["c"]') },
  };

  it('is complete where all is done and tiles, with the merged result', async () => {
    const { verify, get } = await planned(whole, done);
    expect(await verify()).toEqual({
      ...{ run: 'r', status: 'complete', round: 3 },
      report: {
        ...{ slices: 3, unfinished: 0, objects: 3, bytes: 6, pages: 3, takeovers: 0, listRequests: 6 },
        ...{ failureCount: 0, failures: [], quarantined: [], tiles: true, result: ['a', 'b', 'c'] },
      },
    });
    // Nothing is written: a run that is done may be looked at again and again.
    expect((await get('scan/r'))!.rounds).toEqual({ N: '2' });
  });

  it('asks for another round while something is unfinished, counts it, and keeps the run out of TTL’s way', async () => {
    const { verify, get, context } = await planned(plain);
    expect(await verify()).toMatchObject({
      ...{ run: 'r', status: 'more', round: 1, reason: '1 of 1 slices are unfinished after round 1' },
      report: { unfinished: 1 },
    });
    const ttl = Math.ceil((simulatedNow + 1_000 + context.retentionMs) / 1_000);
    expect(await get('scan/r')).toMatchObject({ rounds: { N: '1' }, ttl: { N: String(ttl) } });
    expect((await verify()).report).not.toHaveProperty('result');
    expect((await get('scan/r'))!.rounds).toEqual({ N: '2' });
  });

  it('gives up after twenty rounds, or as many as are allowed', async () => {
    for (const [rounds, options, status] of [
      [18, {}, 'more'],
      [19, {}, 'failed'],
      [1, { maxRounds: 2 }, 'failed'],
      [0, { maxRounds: 2 }, 'more'],
      [0, { maxRounds: 1 }, 'failed'],
    ] as const) {
      const { verify, get } = await planned({ ...plain, rounds });
      expect(await verify(options)).toMatchObject({
        run: 'r',
        status,
        round: rounds + 1,
        report: { unfinished: 1 },
      });
      expect((await get('scan/r'))!.rounds).toEqual({ N: String(status === 'more' ? rounds + 1 : rounds) });
    }
    await expect((await planned(plain)).verify({ maxRounds: 0 })).rejects.toThrow(/^maxRounds: /);
  });

  it('makes the child of a split that it meets', async () => {
    const child = { id: childSliceId('a'), lo: 'a' };
    const { verify, get } = await planned(plain, { '000000': { hi: 'a', ...result('[]'), child } });
    expect((await verify()).status).toBe('failed');
    expect(await get(`scan/r/${child.id}`)).toMatchObject({ lo: { S: 'a' } });
    expect(await get('scan/r/000000')).not.toHaveProperty('child');
    expect(await verify()).toMatchObject({ status: 'more', report: { unfinished: 1, tiles: true } });
  });

  it('ends with its signal while it makes that child', async () => {
    const child = { id: childSliceId('a'), lo: 'a' };
    const { context, get } = await planned(plain, { '000000': { hi: 'a', ...result('[]'), child } });
    const stop = new AbortController();
    const reason = new Error('enough');
    const table = Object.assign(Object.create(context.table), {
      create: (item: never, signal: AbortSignal) => {
        stop.abort(reason);
        return context.table.create(item, signal);
      },
      get: context.table.get.bind(context.table),
      getMany: context.table.getMany.bind(context.table),
      namesInGroup: context.table.namesInGroup.bind(context.table),
    });
    const locks = { context: { ...context, table } } as unknown as LockClient;
    const verifying = verifyScan({
      locks,
      s3: { send: () => {} } as never,
      run: 'r',
      processor: listing,
      signal: stop.signal,
    });
    await expect(verifying).rejects.toBe(reason);
    expect(await get(`scan/r/${child.id}`)).toBeUndefined();
  });

  it('fails for slices that nobody could finish, and names where they lie and why', async () => {
    const { verify } = await planned(whole, {
      ...done,
      '000000': { hi: 'p/b', attempts: 4, lastError: 'Error: no' },
      '000002': { lo: 'p/c', attempts: 5 },
    });
    expect(await verify()).toMatchObject({
      ...{ run: 'r', status: 'failed', round: 3 },
      reason:
        'slice 000000 (open, "p/b"] is quarantined after 4 attempts: Error: no; ' +
        'slice 000002 ("p/c", open] is quarantined after 5 attempts',
      report: { unfinished: 0, result: ['b'] },
    });
  });

  it.each([
    ['no slice covers ("p/a", "p/b"]', { '000000': { hi: 'p/a', ...result('[]') } }],
    ['no slice covers (open, "p/a"]', { '000000': { lo: 'p/a', hi: 'p/b', ...result('[]') } }],
    ['two slices cover ("p/c", "p/d"]', { '000001': { lo: 'p/b', hi: 'p/d', ...result('[]') } }],
    ['two slices cover ("p/c", open]', { '000001': { lo: 'p/b', hi: undefined, ...result('[]') } }],
    ['("p/x", open] belongs to no planned slice', { [childSliceId('p/x')]: { lo: 'p/x', ...result('[]') } }],
  ])('fails where the slices do not tile: %s', async (what, changes) => {
    const { '000001': second, ...others } = done;
    const slices = { ...others, ...('000001' in changes ? {} : { '000001': second }), ...changes };
    const { verify } = await planned(whole, slices as Slices);
    expect(await verify()).toMatchObject({
      ...{ status: 'failed', reason: expect.stringContaining(`the slices do not tile: ${what}`) },
      report: { tiles: false },
    });
  });

  it('names ten problems, the first', async () => {
    const cuts = Array.from({ length: 11 }, (_, i) => `p/${String.fromCharCode(97 + i)}`);
    const slices = Object.fromEntries(
      slicesOfCuts(cuts).map(({ id, ...range }) => [id, { ...range, attempts: 4 }]),
    );
    const { reason } = await (await planned({ ...whole, cuts }, slices)).verify();
    const named = reason!.split('; ');
    expect(named).toHaveLength(10);
    expect(named[9]).toContain(`slice ${plannedSliceId(9)} `);
  });

  it('is complete but for objects that could not be worked on, and says how many', async () => {
    const failures = [{ key: 'a', error: 'no' }];
    const { verify } = await planned(plain, { '000000': result('["b"]', { failureCount: 1, failures }) });
    expect(await verify()).toMatchObject({
      ...{
        run: 'r',
        round: 1,
        status: 'completed-with-failures',
        reason: '1 objects could not be worked on',
      },
      report: { failureCount: 1, failures, result: ['b'] },
    });
  });

  it('needs store time first, or leases that have run out would count as held', async () => {
    const { context } = await planned(plain);
    let pings = 0;
    const own: TableContext['table'] = Object.assign(Object.create(context.table), {
      ping: async () => {
        pings += 1;
      },
      get: context.table.get.bind(context.table),
      getMany: context.table.getMany.bind(context.table),
      namesInGroup: context.table.namesInGroup.bind(context.table),
    });
    const clock = Object.create(context.clock, {
      isSet: { get: () => pings > 0 },
      now: { value: () => context.clock.now() },
    });
    await readRun({ locks: { context: { ...context, table: own, clock } } as never, run: 'r' });
    expect(pings).toBe(1);
  });
});
