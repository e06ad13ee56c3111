import { describe, expect, it } from 'vitest';
import { useStage } from '../../support/use-stage.js';

const longest = 'n'.repeat(1_024);

describe('lock names', () => {
  const stage = useStage();

  it('C39 names that look alike are different locks: separators, case, spaces, unicode forms, 1,024 bytes', async () => {
    const { locks } = await stage.it.readyActor();
    const names = [
      ...[
        'a/b',
        'a//b',
        '/a/b',
        'a/b/',
        'a',
        'b',
        'a b',
        'a  b',
        ' a',
        'a ',
        'A',
        'a:b',
        'a#b',
        'a|b',
        'a\\b',
      ],
      ...['é', 'e\u0301', 'ß', 'ss', 'K', '\u212A', '\uFEFFa', 'a\u200B', '😀', '😁', '日本', '\u{10FFFF}'],
      ...['__proto__', 'constructor', 'toString', 'null', '0', '00', '#name', ':leaseId', 'leasehold/ping'],
      ...[longest, `${longest.slice(1)}m`, '😀'.repeat(256)],
    ];
    const leases = await Promise.all(names.map((name) => locks.acquire(name)));
    expect(leases.map(({ name }) => name)).toEqual(names);
    for (const lease of leases) {
      expect(await stage.it.item(lease.name)).toMatchObject({ name: lease.name, leaseId: lease.leaseId });
    }
    expect((await stage.it.everything()).map(({ name }) => name).sort()).toEqual([...names].sort());
    await Promise.all(leases.map((lease) => lease.release()));
  });

  const refused: readonly (readonly [kind: string, name: unknown])[] = [
    ['an empty one', ''],
    ['one of 1,025 bytes', `${longest}n`],
    ['one of 1,026 bytes in 513 characters', 'é'.repeat(513)],
    ['one with a NUL', 'a\u0000b'],
    ['one with a line feed', 'a\nb'],
    ['one with DEL', 'a\u007Fb'],
    ['one with a C1 control', 'a\u0085b'],
    ['one with a lone high surrogate', 'a\uD83D'],
    ['one with a lone low surrogate', '\uDE00a'],
    ['a number', 7],
    ['nothing', undefined],
    ['an object', {}],
  ];

  it.each(refused)('refuses %s in every operation, without a request', async (_, given) => {
    const { locks, meter } = stage.it.actor();
    const name = given as string;
    const before = await stage.it.everything();
    const usage = { name: 'UsageError', code: 'USAGE' };
    await expect(locks.acquire(name)).rejects.toMatchObject(usage);
    await expect(locks.tryAcquire(name)).rejects.toMatchObject(usage);
    await expect(locks.withLock(name, () => 1)).rejects.toMatchObject(usage);
    await expect(locks.inspect(name)).rejects.toMatchObject(usage);
    await expect(locks.break(name, 'id')).rejects.toMatchObject(usage);
    await expect(locks.reopen(name)).rejects.toMatchObject(usage);
    expect(meter.total).toBe(0);
    expect(await stage.it.everything()).toEqual(before);
  });

  it.each(refused.filter(([, name]) => name !== undefined))('refuses %s as a group', async (_, given) => {
    const { locks, meter } = stage.it.actor();
    const group = given as string;
    await expect(locks.acquire('x', { group })).rejects.toMatchObject({ name: 'UsageError' });
    const listing = async () => {
      for await (const _info of locks.list({ group }));
    };
    await expect(listing()).rejects.toMatchObject({ name: 'UsageError' });
    expect(meter.total).toBe(0);
  });

  it.each([
    ['an empty one', ''],
    ['one of 257 bytes', 'o'.repeat(257)],
    ['one with a lone surrogate', '\uD83D'],
    ['a number', 7],
  ])('refuses %s as an owner', async (_, given) => {
    const owner = given as string;
    expect(() => stage.it.actor({ owner })).toThrow(expect.objectContaining({ name: 'UsageError' }));
    const { locks, meter } = stage.it.actor();
    await expect(locks.acquire('x', { owner })).rejects.toMatchObject({ name: 'UsageError' });
    expect(meter.total).toBe(0);
  });
});
