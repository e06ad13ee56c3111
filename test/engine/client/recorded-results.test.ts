import { describe, expect, it, vi } from 'vitest';
import { AlreadyCompletedError } from '../../../lib/errors/index.js';
import { useStage } from '../../support/use-stage.js';

const dayMs = 24 * 60 * 60 * 1000;

class Invoice {
  readonly total: number;
  constructor(total: number) {
    this.total = total;
  }
}

describe('results and checkpoints', () => {
  const stage = useStage();

  it('D12 dates and instances of classes are stored as JSON would', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const made = { at: new Date(0), invoice: new Invoice(3), list: [undefined, 1], left: undefined };
    expect(await locks.once(name, () => made)).toEqual({ ran: true, result: made });
    const second = await locks.once(name, () => 'never');
    expect(second).toEqual({ ran: false, result: JSON.parse(JSON.stringify(made)) });
  });

  it('D12 so are holes in a list, and numbers in objects of their own', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const list: unknown[] = [];
    list[2] = Object(3);
    await locks.once(name, () => ({ list, digits: 10n ** 37n }));
    const { result } = await locks.once<unknown>(name, () => 'never');
    expect(result).toEqual({ list: [null, null, 3], digits: 10n ** 37n });
  });

  it('D12 what throws where it is read is done, not recorded, and not done again', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const lazy = () =>
      Object.defineProperty({}, 'total', {
        enumerable: true,
        get() {
          throw new Error('not loaded');
        },
      });
    const notRecorded = expect.stringContaining('not loaded');
    const mark = { name: 'AlreadyCompletedError', notRecorded };
    const first: AlreadyCompletedError = await locks.once(name, lazy).catch((error) => error);
    expect({ name: first.name, notRecorded: first.notRecorded }).toEqual(mark);
    await expect(locks.once(name, () => 'never')).rejects.toMatchObject(mark);
  });

  it.each([
    ['NaN', () => ({ deep: [Number.NaN] })],
    ['an empty set', () => new Set()],
    ['an error', () => new Error('as a value')],
    ['a function', () => () => 1],
    ['what is too large', () => 'x'.repeat(400 * 1024)],
    ['half a pair of surrogates', () => ({ text: '\ud800' })],
    ['a key that is no Unicode', () => ({ '\udc00': 1 })],
    ['a key that is a prototype', () => JSON.parse('{"__proto__":{"a":1}}')],
    ['a number too near zero', () => 1e-140],
    ['a number of more than 38 digits', () => 10n ** 40n + 1n],
    ['a set of different kinds', () => new Set([1, 'a'])],
    ['a set of objects', () => new Set([{ a: 1 }])],
  ])('D12 %s as a result: done, not recorded, and not done again', async (_what, make) => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const result = make();
    const first = await locks.once(name, () => result).catch((error: unknown) => error);
    expect(first).toBeInstanceOf(AlreadyCompletedError);
    expect(first).toMatchObject({ result, notRecorded: expect.stringMatching(/./) });
    const never = vi.fn();
    const second = await locks.once(name, never).catch((error: unknown) => error);
    expect(never).not.toHaveBeenCalled();
    expect(second).toMatchObject({ name: 'AlreadyCompletedError', result: undefined });
    expect((second as AlreadyCompletedError).notRecorded).toBe((first as AlreadyCompletedError).notRecorded);
  });

  it('D12 a result that is too large together with a checkpoint: done, not recorded', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const half = 'x'.repeat(300 * 1024);
    const work = locks.once(name, async (lease) => {
      await lease.save(half);
      return half;
    });
    await expect(work).rejects.toMatchObject({ name: 'AlreadyCompletedError', result: half });
    await expect(locks.once(name, () => 1)).rejects.toMatchObject({
      notRecorded: expect.stringContaining('too large'),
    });
  });

  it('D13 a checkpoint that leaves no room is refused at save; the largest one leaves the lock usable', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const lease = await locks.acquire(name);
    await expect(lease.save('x'.repeat(399 * 1024))).rejects.toThrow(/at most 393216/);
    await lease.save('x'.repeat(384 * 1024 - 1));
    await lease.release();
    const long = { owner: 'o'.repeat(256), group: 'g'.repeat(1_024) };
    const next = await locks.acquire(name, long);
    expect(await locks.break(name, next.leaseId)).toBe(true);
    expect(await next.release()).toBe('lost');
  });

  it('D47 complete and once keep a result for good unless they are told for how long', async () => {
    const [good, once, some] = [stage.name(), stage.name(), stage.name()];
    const { locks } = await stage.it.readyActor();
    await (await locks.acquire(good)).complete('r');
    await locks.once(once, () => 'r');
    await (await locks.acquire(some)).complete('r', { retainMs: 2 * dayMs });
    expect(await stage.it.item(good)).not.toHaveProperty('ttl');
    expect(await stage.it.item(once)).not.toHaveProperty('ttl');
    const { ttl = 0, completedAt = 0 } = (await stage.it.item(some))!;
    expect(ttl).toBe(Math.ceil((completedAt + 2 * dayMs) / 1_000));
    await locks.reopen(good);
    expect(await stage.it.item(good)).toHaveProperty('ttl');
    const lease = await locks.acquire(good);
    for (const retainMs of [Number.NaN, 1, '9' as never]) {
      await expect(lease.complete('r', { retainMs })).rejects.toThrow(/retainMs/);
    }
    await lease.release();
  });
});
