import { describe, expect, it } from 'vitest';
import { useStage } from '../../support/use-stage.js';

describe('readers and a writer', () => {
  const stage = useStage();

  it('read together, and write alone', async () => {
    const name = stage.name();
    const actors = await Promise.all([1, 2, 3].map(() => stage.it.readyActor()));
    const [a, b, c] = actors.map(({ locks }) => locks.readWriteLock(name, { readers: 3 }));
    const readers = [await a!.acquireRead(), await b!.acquireRead()];
    await expect(c!.acquireWrite()).rejects.toMatchObject({ name: 'LockHeldError' });
    for (const reader of readers) await reader.release();
    const writer = await c!.acquireWrite({ waitMs: 30_000 });
    await expect(a!.acquireRead()).rejects.toMatchObject({ name: 'LockHeldError', lockName: name });
    await expect(b!.acquireWrite()).rejects.toMatchObject({ name: 'LockHeldError' });
    expect(writer.token).toBe(writer.get(`${name}#w`).token);
    await writer.release();
    expect(await a!.read(async (lease) => lease.isHeld)).toBe(true);
  });

  it('a reader that finds a writer at the gate writes nothing, and reads on', async () => {
    const name = stage.name();
    const [a, b] = await Promise.all([1, 2].map(() => stage.it.readyActor()));
    const writer = await a!.locks.readWriteLock(name, { readers: 2 }).acquireWrite();
    const reading = b!.locks.readWriteLock(name, { readers: 2 }).acquireRead({ waitMs: 20_000 });
    await expect.poll(() => b!.meter.reads).toBeGreaterThan(3);
    expect(b!.meter.writes).toBe(0);
    await writer.release();
    await (await reading).release();
  });

  it('a writer that finds a permit out of use does not wait for the others, and gives all back', async () => {
    const name = stage.name();
    const [a, b] = await Promise.all([1, 2].map(() => stage.it.readyActor()));
    const catalog = a!.locks.readWriteLock(name, { readers: 2 });
    await (await catalog.acquireRead({ owner: 'x' })).complete('out of use');
    const reader = await catalog.acquireRead({ owner: 'x' });
    const writing = b!.locks.readWriteLock(name, { readers: 2 }).acquireWrite({ waitMs: 60_000 });
    await expect(writing).rejects.toMatchObject({ name: 'AlreadyCompletedError' });
    expect(await a!.locks.inspect(`${name}#w`)).toMatchObject({ state: 'free' });
    await reader.release();
  });

  it('a writer that waits comes before readers that come later', async () => {
    const name = stage.name();
    const [a, b, c] = await Promise.all([1, 2, 3].map(() => stage.it.readyActor()));
    const reader = await a!.locks.readWriteLock(name, { readers: 2 }).acquireRead();
    const order: string[] = [];
    const writing = b!.locks
      .readWriteLock(name, { readers: 2 })
      .write(() => void order.push('writer'), { waitMs: 20_000 });
    await expect.poll(() => c!.locks.inspect(`${name}#w`)).toMatchObject({ state: 'held' });
    const reading = c!.locks
      .readWriteLock(name, { readers: 2 })
      .read(() => void order.push('reader'), { waitMs: 20_000 });
    await reader.release();
    await Promise.all([writing, reading]);
    expect(order).toEqual(['writer', 'reader']);
  });

  it('never a reader beside a writer, many at once', async () => {
    const name = stage.name();
    const actors = await Promise.all([1, 2, 3, 4].map(() => stage.it.readyActor()));
    let readers = 0;
    let writers = 0;
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    await Promise.all(
      actors.map(async ({ locks }, i) => {
        const lock = locks.readWriteLock(name, { readers: 2 });
        for (let round = 0; round < 3; round++) {
          if (i === 0) {
            await lock.write(
              async () => {
                writers += 1;
                expect([readers, writers]).toEqual([0, 1]);
                await turn();
                writers -= 1;
              },
              { waitMs: 60_000 },
            );
          } else {
            await lock.read(
              async () => {
                readers += 1;
                expect(writers).toBe(0);
                expect(readers).toBeLessThanOrEqual(2);
                await turn();
                readers -= 1;
              },
              { waitMs: 60_000 },
            );
          }
        }
      }),
    );
  });
});
