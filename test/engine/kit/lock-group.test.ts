import { describe, expect, it } from 'vitest';
import { EventLog } from '../../support/event-log.js';
import { useStage } from '../../support/use-stage.js';

describe('several locks at once', () => {
  const stage = useStage();

  it('are acquired in one order, once each, with a token for each', async () => {
    const { locks, meter } = await stage.it.readyActor();
    const group = await locks.acquireAll(['b/2', 'a/1', 'b/2', 'c/3']);
    expect(group.names).toEqual(['a/1', 'b/2', 'c/3']);
    expect(meter.writes).toBe(3);
    expect(group.tokens.get('b/2')).toBe(group.get('b/2').token);
    expect(() => group.get('d/4')).toThrow('holds no lock "d/4"');
    expect(group.isHeld).toBe(true);
    expect(await group.release()).toBe('released');
    expect(group.isHeld).toBe(false);
  });

  it('are all free again when one is held, and the error names that one', async () => {
    const [a, b, c] = [stage.name(), stage.name(), stage.name()].sort() as [string, string, string];
    const other = await stage.it.readyActor();
    const { locks } = await stage.it.readyActor();
    await using _held = await other.locks.acquire(c);
    await expect(locks.acquireAll([a, b, c])).rejects.toMatchObject({ name: 'LockHeldError', lockName: c });
    for (const name of [a, b]) expect(await locks.inspect(name)).toMatchObject({ state: 'free' });
  });

  it('make no deadlock, whatever order callers name them in', async () => {
    const names = [stage.name(), stage.name(), stage.name()];
    const actors = await Promise.all([1, 2, 3, 4].map(() => stage.it.readyActor()));
    let inside = 0;
    const orders = actors.map((_, i) => [...names.slice(i % 3), ...names.slice(0, i % 3)].reverse());
    await Promise.all(
      actors.map(({ locks }, i) =>
        locks.withLocks(
          orders[i]!,
          async () => {
            inside += 1;
            expect(inside).toBe(1);
            await new Promise((resolve) => setImmediate(resolve));
            inside -= 1;
          },
          { waitMs: 30_000 },
        ),
      ),
    );
  });

  it('are lost together: the signal fires with the first, and withLocks tells it with the result', async () => {
    const [a, b] = [stage.name(), stage.name()];
    const operator = await stage.it.readyActor();
    const { locks } = await stage.it.readyActor({ renewEveryMs: 100 });
    const lost = locks.withLocks([a, b], async (group) => {
      await operator.locks.break(b, group.get(b).leaseId);
      await new Promise((resolve) => group.signal.addEventListener('abort', resolve, { once: true }));
      expect(group.isHeld).toBe(false);
      return 'done';
    });
    await expect(lost).rejects.toMatchObject({
      name: 'LockLostError',
      lockName: b,
      reason: 'broken',
      result: 'done',
    });
    expect(await locks.inspect(a)).toMatchObject({ state: 'free' });
  });

  it('are told by a signal that is asked for only after one was lost', async () => {
    const [a, b] = [stage.name(), stage.name()];
    const operator = await stage.it.readyActor();
    const { locks } = await stage.it.readyActor({ renewEveryMs: 100 });
    await using group = await locks.acquireAll([a, b]);
    await operator.locks.break(a, group.get(a).leaseId);
    await expect(group.get(a).renew()).rejects.toMatchObject({ name: 'LockLostError' });
    expect(group.signal.aborted).toBe(true);
    expect(() => group.throwIfLost()).toThrow(expect.objectContaining({ lockName: a, reason: 'broken' }));
  });

  it('are not had when the caller’s own time ends between them: no wrong option, and all are free', async () => {
    using events = new EventLog();
    const [a, b] = [stage.name(), stage.name()].sort() as [string, string];
    const { locks } = await stage.it.readyActor();
    const endsInMs = () => (events.of('granted', a).length > 0 ? 0 : 60_000);
    await expect(locks.acquireAll([a, b], { waitMs: 30_000, endsInMs })).rejects.toMatchObject({
      name: 'LockHeldError',
      lockName: b,
    });
    for (const name of [a, b]) expect((await locks.inspect(name))?.state ?? 'free').toBe('free');
  });

  it.each([[[]], [Array.from({ length: 101 }, (_, i) => `n${i}`)], ['one name']])(
    'refuses a list that can’t be right',
    async (names) => {
      const { locks, meter } = stage.it.actor();
      await expect(locks.acquireAll(names)).rejects.toMatchObject({ name: 'UsageError' });
      expect(meter.total).toBe(0);
    },
  );
});
