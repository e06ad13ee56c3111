import { describe, expect, it } from 'vitest';
import { leaseFormat } from '../../../lib/lease/index.js';
import {
  childSliceId,
  findSlice,
  findState,
  isSliceName,
  parseSlice,
  parseSliceId,
  plannedSliceId,
  type SliceItem,
  sliceGroup,
  sliceName,
} from '../../../lib/scan/slices/slice.js';
import {
  createSlice,
  materialiseChild,
  slicesOfCuts,
  splitSlice,
} from '../../../lib/scan/slices/slice-creation.js';
import { simulatedNow, simulatedTable } from '../../support/simulated-table.js';

const name = 'scan/r/000000';
const plain = { name, format: leaseFormat, version: 7, progress: 0, splitProgress: 0 };

describe('an item that is read as a slice', () => {
  it('is one with its texts and its numbers', () => {
    expect(parseSlice(plain)).toBe(plain);
    const whole = { ...plain, lo: 'a', hi: 'b', cursor: 'a', claimed: 'b', progress: 3, splitProgress: 1 };
    expect(findSlice(whole)).toBe(whole);
  });

  it.each(['lo', 'hi', 'cursor', 'claimed', 'progress', 'splitProgress'])(
    'is none where its %s is neither absent nor what we write',
    (attribute) => {
      const wrong = { ...plain, [attribute]: attribute.includes('rogress') ? 'x' : 7 };
      expect(() => parseSlice(wrong)).toThrow(
        expect.objectContaining({
          ...{ name: 'UsageError', lockName: name },
          message: `The item "${name}" is not a slice of a scan: look at its ${attribute}`,
        }),
      );
      expect(findSlice(wrong)).toBeUndefined();
    },
  );

  it('is none where it is no lease, or a lease that is no slice', () => {
    expect(findSlice({ name })).toBeUndefined();
    const { progress: _, splitProgress: __, ...lease } = plain;
    expect(findSlice(lease)).toBeUndefined();
  });
});

describe('the name of a slice', () => {
  it('has its run and its id, and tells both', () => {
    expect([sliceGroup('r'), sliceName('r', '000007'), plannedSliceId(7)]).toEqual([
      ...['scan/r', 'scan/r/000007', '000007'],
    ]);
    expect(parseSliceId('scan/r/000007')).toBe('000007');
    expect(plannedSliceId(1_234_567)).toBe('1234567');
    expect(childSliceId('a')).toBe('cca978112ca1bbdcafac231b3');
  });

  it.each([
    ['scan/r/000007', true],
    ['scan/r/1234567', true],
    [`scan/r/${childSliceId('a')}`, true],
    ['scan/r/00007', false],
    ['scan/r/000007x', false],
    ['scan/r/x000007', false],
    [`scan/r/${childSliceId('a')}0`, false],
    ['scan/q/000007', false],
    ['scan/r', false],
  ])('%s: %s', (full, is) => {
    expect(isSliceName('r', full)).toBe(is);
  });
});

describe('how a slice stands', () => {
  it.each([
    [{}, 'free'],
    [{ attempts: 3 }, 'free'],
    [{ attempts: 4 }, 'quarantined'],
    [{ leaseId: 'x', expiresAt: 100 }, 'held'],
    [{ leaseId: 'x', expiresAt: 100, attempts: 4 }, 'held'],
    [{ leaseId: 'x', expiresAt: 99 }, 'expired'],
    [{ leaseId: 'x', expiresAt: 99, attempts: 3 }, 'expired'],
    [{ leaseId: 'x', expiresAt: 99, attempts: 4 }, 'quarantined'],
    [{ completedAt: 1, attempts: 4, leaseId: 'x', expiresAt: 100 }, 'completed'],
  ])('%j is %s', (item, state) => {
    expect(findState({ ...plain, ...item } as SliceItem, 100)).toBe(state);
  });
});

describe('slices that are made', () => {
  const now = simulatedNow + 1_000;

  it('tile what their cuts divide; the last one knows where nothing was seen', () => {
    expect(slicesOfCuts([], 'z')).toEqual([{ id: '000000', emptyAfter: 'z' }]);
    expect(slicesOfCuts(['a', 'b'], 'z')).toEqual([
      { id: '000000', hi: 'a' },
      { id: '000001', lo: 'a', hi: 'b' },
      { id: '000002', lo: 'b', emptyAfter: 'z' },
    ]);
    expect(slicesOfCuts(['a'])[1]).not.toHaveProperty('emptyAfter');
  });

  it('are items of their run’s group with a first token by the time, made once', async () => {
    const { context, get } = simulatedTable();
    const slice = { id: '000001', lo: 'a', hi: 'b', emptyAfter: 'aa' };
    expect(await createSlice(context as never, 'r', slice)).toBe(true);
    expect(await get('scan/r/000001')).toEqual({
      name: { S: 'scan/r/000001' },
      format: { S: leaseFormat },
      version: { N: String(simulatedNow) },
      group: { S: 'scan/r' },
      ttl: { N: String((now + context.retentionMs) / 1_000) },
      ...{ progress: { N: '0' }, splitProgress: { N: '0' } },
      ...{ lo: { S: 'a' }, hi: { S: 'b' }, emptyAfter: { S: 'aa' } },
    });
    expect(await createSlice(context as never, 'r', { id: '000001' })).toBe(false);
    expect((await get('scan/r/000001'))!.hi).toEqual({ S: 'b' });
  });

  it('have tokens above a parent’s, however far that is ahead of the time', async () => {
    const { context, get } = simulatedTable();
    await createSlice(context as never, 'r', { id: '000001' }, simulatedNow + 99_999);
    expect((await get('scan/r/000001'))!.version).toEqual({ N: String(simulatedNow + 99_999) });
  });

  it('by a split begin where their parent ends from now on, and have its end and its hint', async () => {
    const { context, get } = simulatedTable();
    await createSlice(context as never, 'r', { id: '000000', hi: 'm', emptyAfter: 'x' });
    const read = async () => (await context.table.get(name)) as SliceItem;
    const set = { progress: 5, claimed: 'c', version: simulatedNow + 5_000 };
    await context.table.update(name, { set, condition: { text: 'attribute_exists(#name)' } });
    const seen = await read();
    const child = await splitSlice(context as never, seen, 'f');
    expect(child).toEqual({ id: childSliceId('f'), lo: 'f', hi: 'm', emptyAfter: 'x' });
    const parent = await read();
    expect(parent).toMatchObject({ hi: 'f', splitProgress: 5, child });
    // Not twice while the child is pending, not by what was read before, and not at or below what is claimed.
    expect(await splitSlice(context as never, parent, 'd')).toBeUndefined();
    expect(await splitSlice(context as never, seen, 'g')).toBeUndefined();
    await materialiseChild(context as never, 'r', parent as never);
    expect(await get(`scan/r/${child!.id}`)).toMatchObject({
      ...{ lo: { S: 'f' }, hi: { S: 'm' }, emptyAfter: { S: 'x' } },
      version: { N: String(simulatedNow + 5_001) },
    });
    const done = await read();
    expect(done).not.toHaveProperty('child');
    expect(await splitSlice(context as never, done, 'c')).toBeUndefined();
    expect(await splitSlice(context as never, done, 'd')).toEqual({
      ...{ id: childSliceId('d'), lo: 'd', hi: 'f', emptyAfter: 'x' },
    });
    // A helper that comes late does not take away the note of a later split.
    await materialiseChild(context as never, 'r', parent as never);
    expect(await read()).toMatchObject({ child: { id: childSliceId('d') } });
  });

  it('by a split of an open slice are open, too', async () => {
    const { context } = simulatedTable();
    await createSlice(context as never, 'r', { id: '000000' });
    const seen = (await context.table.get(name)) as SliceItem;
    expect(await splitSlice(context as never, seen, 'f')).toEqual({ id: childSliceId('f'), lo: 'f' });
  });
});
