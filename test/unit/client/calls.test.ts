import { describe, expect, it } from 'vitest';
import type { LockClient } from '../../../lib/client/index.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';
import { kitScene } from '../../support/kit/kit-scene.js';

usePlainAbort();

type Call = (locks: LockClient, name: string) => unknown;

const nothing = () => {};
const anyTime = Date.UTC(2031, 4, 7, 11);

/** Calls that make a lock of the name that they are given. */
const making: readonly (readonly [string, Call])[] = [
  ['acquire', (locks, name) => locks.acquire(name)],
  ['acquire, in line', (locks, name) => locks.acquire(name, { fair: true })],
  ['tryAcquire', (locks, name) => locks.tryAcquire(name)],
  ['withLock', (locks, name) => locks.withLock(name, nothing)],
  ['once', (locks, name) => locks.once(name, nothing)],
  ['cronSlot', (locks, name) => locks.cronSlot(name, anyTime, nothing)],
  ['claimNext', (locks, name) => locks.claimNext(['right', name])],
  ['acquireAll', (locks, name) => locks.acquireAll(['right', name])],
  ['withLocks', (locks, name) => locks.withLocks([name], nothing)],
  ['lead', (locks, name) => locks.lead(name, nothing)],
  ['semaphore', (locks, name) => locks.semaphore(name, { permits: 1 })],
  ['readWriteLock', (locks, name) => locks.readWriteLock(name, { readers: 1 })],
];

/** What a call ends with, whether it throws or answers. */
async function endOf(scene: ReturnType<typeof kitScene>, call: Call, name: string): Promise<unknown> {
  const asked = (async () => call(scene.locks('own'), name))();
  return scene.world.until(asked.catch((error) => error));
}

describe('a name that the kit makes itself', () => {
  it.each(making)('is no lock of its own for %s', async (_, call) => {
    const scene = kitScene();
    for (const name of ['api#0', 'api#17', 'api#r', 'api#w', '#1']) {
      expect(await endOf(scene, call, name)).toMatchObject({
        name: 'UsageError',
        message: `Lock name: must be none that ends as "#1", "#r" or "#w", those of permits, readers and writers, got "${name}"`,
      });
    }
    expect(await endOf(scene, call, '')).toMatchObject({
      message: expect.stringMatching(/^Lock name: must be 1/),
    });
    expect(scene.asked).toEqual([]);
  });

  it.each(['api#', 'api#1x', 'api#rw', '#w!', 'api1', 'api#x'])('is not %s', async (name) => {
    const scene = kitScene();
    const lease = await scene.world.until(scene.locks('own').acquire(name));
    expect(lease.name).toBe(name);
  });

  it('may be named by an operator', async () => {
    const scene = kitScene();
    const { world } = scene;
    const permit = await world.until(scene.locks('own').semaphore('api', { permits: 1 }).acquire());
    const operator = scene.locks('operator');
    expect(await world.until(operator.inspect('api#0'))).toMatchObject({ state: 'held' });
    expect(await world.until(operator.requestRelease('api#0', permit.leaseId))).toBe(true);
    expect(await world.until(operator.break('api#0', permit.leaseId))).toBe(true);
    const another = await world.until(scene.locks('own').semaphore('api', { permits: 2 }).acquire());
    const handed = await world.until(another.handOver());
    expect(await world.until(operator.resume(handed))).toMatchObject({ name: another.name });
  });
});

describe('work', () => {
  it.each<readonly [string, (locks: LockClient, work: never) => Promise<unknown>]>([
    ['withLock', (locks, work) => locks.withLock('x', work)],
    ['once', (locks, work) => locks.once('x', work)],
    ['cronSlot', (locks, work) => locks.cronSlot('x', anyTime, work)],
    ['withLocks', (locks, work) => locks.withLocks(['x'], work)],
    ['lead', (locks, work) => locks.lead('x', work)],
    ['withPermit', (locks, work) => locks.semaphore('x', { permits: 1 }).withPermit(work)],
    ['read', (locks, work) => locks.readWriteLock('x', { readers: 1 }).read(work)],
    ['write', (locks, work) => locks.readWriteLock('x', { readers: 1 }).write(work)],
  ])('that is no function is refused by %s, and nothing is acquired for it', async (call, ask) => {
    const scene = kitScene();
    for (const work of [undefined, 'work', Promise.resolve()]) {
      const error = await scene.failure(ask(scene.locks('own'), work as never));
      expect(error.name).toBe('UsageError');
      expect(error.message).toMatch(`${call}: must be given the work as a function, after the name, got `);
    }
    expect(scene.asked).toEqual([]);
  });
});

describe('one of several names', () => {
  it('is the first that can be had, at a write for each that is tried and none for its own', async () => {
    const scene = kitScene();
    const { world } = scene;
    const [own, other] = [scene.locks('own'), scene.locks('other')];
    await world.until(other.acquire('held'));
    await world.until(other.once('done', () => 'all'));
    await world.until(own.acquire('mine'));
    scene.asked.length = 0;
    const names = ['mine', 'held', 'held', 'done', 'free', 'also free'];
    const lease = await world.until(own.claimNext(new Set(names), { owner: 'me' }));
    expect(lease).toMatchObject({ name: 'free', owner: 'me' });
    const keys = scene.asked.map(({ key }) => key);
    expect(keys).toEqual(['held', 'done', 'free']);
    expect(await world.until(own.claimNext(['mine', 'held', 'done']))).toBeNull();
    expect(await world.until(own.claimNext([]))).toBeNull();
  });

  it('is none once its caller’s own time is over, which is no wrong option then', async () => {
    const scene = kitScene();
    const { world } = scene;
    await world.until(scene.locks('other').acquire('held'));
    let leftMs = 30_000;
    scene.before = async ({ process, key }) => {
      if (process === 'own' && key === 'held') leftMs = 0.5;
    };
    const options = { endsInMs: () => leftMs };
    const locks = scene.locks('own');
    expect(await world.until(locks.claimNext(['held', 'free'], options))).toBeNull();
    expect(scene.isHeld('free')).toBe(false);
    expect(await scene.failure(locks.claimNext(['free'], options))).toMatchObject({ name: 'UsageError' });
    leftMs = 30_000;
    expect(await world.until(locks.claimNext(['free'], options))).toMatchObject({ name: 'free' });
  });

  it('is tried for under the call’s own options, and its trouble is not passed over', async () => {
    const scene = kitScene();
    const wrong = await scene.failure(scene.locks('own').claimNext(['a'], { waitMs: 5 } as never));
    expect(wrong.message).toMatch(/has no option "waitMs"/);
    const text = await scene.failure(scene.locks('own').claimNext('abc' as never));
    expect(text).toMatchObject({
      name: 'UsageError',
      message: 'claimNext: takes a list of names, got one string',
    });
    scene.before = async () => {
      throw Object.assign(new Error('no right'), { name: 'AccessDeniedException' });
    };
    expect(await scene.failure(scene.locks('own').claimNext(['a', 'b']))).toMatchObject({
      name: 'StoreError',
    });
  });
});

describe('what a call is given', () => {
  it('counts as it was at the call: what is changed later plays no part', async () => {
    const scene = kitScene();
    const { world } = scene;
    const locks = scene.locks('own');
    const names = ['a'];
    const options = { owner: 'me' };
    const claiming = locks.claimNext(names, options);
    names.splice(0, 1, 'b');
    options.owner = 'you';
    expect(await world.until(claiming)).toMatchObject({ name: 'a', owner: 'me' });
    const own = { owner: 'me' };
    const acquiring = locks.acquire('c', own);
    own.owner = 'you';
    expect(await world.until(acquiring)).toMatchObject({ owner: 'me' });
  });

  it('counts as it was at the call, also of a lock that is waited for', async () => {
    const scene = kitScene();
    const { world } = scene;
    const own = scene.locks('own');
    const first = await world.until(own.acquire('waited for'));
    const options = { waitMs: 60_000, group: 'told' };
    const second = own.acquire('waited for', options);
    await scene.sleep(100);
    options.group = 'changed';
    await world.until(first.release());
    await world.until(second);
    expect(world.items.get('waited for')!.group).toEqual({ S: 'told' });
  });

  it('is refused where a list has no such option, before it is gone through', () => {
    const locks = kitScene().locks('own');
    expect(() => locks.list({ groups: 'x' } as never)).toThrow(/^list: has no option "groups"/);
  });

  it.each([
    ['signal', 'an AbortSignal', [null, {}, 5, new AbortController()]],
    ['supersede', 'true or false', ['false', 0, null]],
    ['fair', 'true or false', ['false', 0, null]],
  ] as const)('is refused where its %s is not %s', async (option, words, values) => {
    const scene = kitScene();
    const locks = scene.locks('own');
    for (const value of values) {
      const options = { [option]: value } as object;
      const calls: Promise<unknown>[] = [locks.acquire('a', options), locks.withLock('a', () => 1, options)];
      if (option !== 'fair') calls.push(locks.tryAcquire('a', options), locks.claimNext(['a'], options));
      if (option === 'signal') calls.push(locks.inspect('a', options), locks.resume({}, options));
      for (const call of calls)
        expect(await scene.failure(call)).toMatchObject({
          name: 'UsageError',
          message: expect.stringMatching(`^${option}: must be ${words}, got `),
        });
    }
    expect(scene.isHeld('a')).toBe(false);
  });

  it('names what there is, and nothing that is for this package alone', async () => {
    const scene = kitScene();
    const { message } = await scene.failure(scene.locks('own').acquire('a', { wait: 5 } as never));
    expect(message).toContain('acquire: has no option "wait"; it takes leaseMs, ');
    expect(message).toContain('waitMs');
    expect(message).not.toMatch(/change|giveUpWhen/);
  });
});

describe('who leads', () => {
  it('is told while somebody does', async () => {
    const scene = kitScene();
    const { world } = scene;
    const locks = scene.locks('own');
    expect(await world.until(locks.leader('x'))).toBeUndefined();
    const lead = locks.lead('x', async (lease) => {
      expect(await locks.leader('x')).toMatchObject({ owner: 'own', state: 'held', token: lease.token });
      return 'led';
    });
    expect(await world.until(lead)).toBe('led');
    expect(await world.until(locks.leader('x'))).toBeUndefined();
    const signal = AbortSignal.abort(new Error('enough'));
    expect(await scene.failure(locks.leader('x', { signal }))).toMatchObject({ message: 'enough' });
  });
});
