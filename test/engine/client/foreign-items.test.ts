import { describe, expect, it } from 'vitest';
import { leaseFormat } from '../../../lib/lease/index.js';
import { useStage } from '../../support/use-stage.js';

const past = 1_000;
const marked = { format: leaseFormat, version: 7 };
/** What is under the key bears no mark of ours, or does and was changed into what we never write. */
const foreign: readonly (readonly [kind: string, attributes: Record<string, unknown>])[] = [
  ['no version', {}],
  ['no version, but data', { payload: 'theirs', owner: 'them' }],
  ['a version that is a string', { version: '7' }],
  ['a version that is a map', { version: { major: 1 } }],
  ['a lease id that is a number', { version: 7, leaseId: 9, expiresAt: past }],
  ['an expiry that is a string', { version: 7, leaseId: 'x', expiresAt: '1970-01-01' }],
  ['an expiry that is null', { version: 7, leaseId: 'x', expiresAt: null }],
  ['an expiry below all numbers', { version: 7, leaseId: 'x', expiresAt: -12345678901234567890n }],
  ['a version below all numbers', { version: -12345678901234567890n }],
  ['a time of the grant above all numbers', { version: 7, acquiredAt: 12345678901234567890n }],
  ['a completion with half a lease', { version: 7, leaseId: 'x', completedAt: past }],
  ['an expiry without a lease id', { version: 7, expiresAt: past }],
  ['a lease id without an expiry', { version: 7, leaseId: 'x' }],
  ['an owner that is a list', { version: 7, owner: ['them'] }],
  ['a last lease id that is a number', { version: 7, lastLeaseId: 9 }],
  ['a time of the grant that is a string', { version: 7, acquiredAt: 'yesterday' }],
  ['a completion that is a boolean', { version: 7, completedAt: true }],
  ['what looks like a lock that is free', { version: 7, lastLeaseId: 'x' }],
  ['what looks like a lease that has run out', { version: 7, leaseId: 'x', owner: 'them', expiresAt: past }],
  ['a mark of another kind', { version: 7, format: 'leasehold/2' }],
  ['a mark that is a number', { version: 7, format: 1 }],
  ['our mark, and no version', { format: leaseFormat }],
  ['our mark, and a version that is a string', { format: leaseFormat, version: '7' }],
  ['our mark, and a version above all numbers', { format: leaseFormat, version: 12345678901234567890n }],
  ['our mark, and an expiry that is a string', { ...marked, leaseId: 'x', expiresAt: '1970-01-01' }],
  ['our mark, and an expiry that no date can hold', { ...marked, leaseId: 'x', expiresAt: 8.7e15 }],
  ['our mark, and a lease id without an expiry', { ...marked, leaseId: 'x' }],
];

describe('an item under the same key that somebody else wrote', () => {
  const stage = useStage();

  it.each(foreign)(
    '%s: every operation is refused in plain words, and it is left alone',
    async (_, attributes) => {
      const name = stage.name();
      await stage.it.put({ name, ...attributes });
      const { locks } = await stage.it.readyActor();
      const before = await stage.it.everything();
      const usage = { name: 'UsageError', message: expect.stringContaining('not written by Leasehold') };
      await expect(locks.acquire(name, { waitMs: 60_000 })).rejects.toMatchObject(usage);
      await expect(locks.tryAcquire(name)).rejects.toMatchObject(usage);
      await expect(locks.tryAcquire(name, { supersede: true, owner: 'them' })).rejects.toMatchObject(usage);
      await expect(locks.inspect(name)).rejects.toMatchObject(usage);
      await expect(locks.reopen(name)).rejects.toMatchObject(usage);
      await expect(locks.break(name, 'another')).rejects.toMatchObject(usage);
      expect(await stage.it.everything()).toEqual(before);
    },
  );

  it('numbers that no JavaScript number can hold are read, and refused where they are no token', async () => {
    const name = stage.name();
    await stage.it.put({ name, version: 12345678901234567890n, big: 99999999999999999999n });
    const { locks } = await stage.it.readyActor();
    await expect(locks.tryAcquire(name)).rejects.toMatchObject({ name: 'UsageError' });
    expect(await stage.it.item(name)).toMatchObject({ version: 12345678901234567890n });
  });

  it('D06 a version that is a fraction: shown in plain words, and mended by the next grant', async () => {
    const name = stage.name();
    await stage.it.put({ ...marked, name, version: 7.5 });
    const { locks } = await stage.it.readyActor();
    await expect(locks.inspect(name)).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining('version is 7.5, not a whole number'),
    });
    for await (const info of locks.list()) expect(info.name).not.toBe(name);
    await using lease = await locks.acquire(name);
    expect(Number.isSafeInteger(lease.token)).toBe(true);
    expect(await locks.inspect(name)).toMatchObject({ token: lease.token });
    await lease.release();
    await stage.it.remove(name);
  });

  it.each([
    ['a boolean', true],
    ['a time that no date can hold', 8.7e15],
  ])(
    'D06 a completion of ours that is %s: nothing is granted, and it can be reopened',
    async (_, completedAt) => {
      const name = stage.name();
      await stage.it.put({ ...marked, name, completedAt });
      const { locks } = await stage.it.readyActor();
      await expect(locks.acquire(name)).rejects.toMatchObject({ name: 'UsageError' });
      await expect(locks.inspect(name)).rejects.toMatchObject({ name: 'UsageError' });
      expect(await locks.reopen(name)).toBe(true);
      expect(await locks.inspect(name)).toMatchObject({ state: 'free' });
      await stage.it.remove(name);
    },
  );

  it('D06 a lease of ours whose times no date can hold: an operator breaks it all the same', async () => {
    const name = stage.name();
    await stage.it.put({ ...marked, name, leaseId: 'x', owner: 'o', expiresAt: 8.7e15, acquiredAt: -8.7e15 });
    const { locks } = await stage.it.readyActor();
    await expect(locks.inspect(name)).rejects.toMatchObject({ name: 'UsageError' });
    expect(await locks.break(name, 'x')).toBe(true);
    expect(await locks.inspect(name)).toMatchObject({ state: 'free' });
    await stage.it.remove(name);
  });

  it('a break that names what another’s item bears as a lease id leaves it alone', async () => {
    const name = stage.name();
    await stage.it.put({ name, version: 7, leaseId: 'theirs', expiresAt: past });
    const before = await stage.it.item(name);
    const { locks } = await stage.it.readyActor();
    await expect(locks.break(name, 'theirs')).rejects.toMatchObject({ name: 'UsageError' });
    expect(await stage.it.item(name)).toEqual(before);
  });

  it('listing passes it over and shows the rest', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    await using _lease = await locks.acquire(name);
    const listed: string[] = [];
    for await (const info of locks.list()) listed.push(info.name);
    expect(listed).toEqual([name]);
  });

  it('what is written under a foreign item meanwhile is found out by its holder, and left alone', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const lease = await locks.acquire(name);
    await stage.it.put({ name, theirs: true });
    await expect(lease.renew()).rejects.toMatchObject({ name: 'UsageError' });
    await expect(lease.complete()).rejects.toMatchObject({ name: 'UsageError' });
    await lease[Symbol.asyncDispose]();
    expect(await stage.it.item(name)).toEqual({ name, theirs: true });
  });
});
