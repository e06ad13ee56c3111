import { describe, expect, it, vi } from 'vitest';
import { defaults } from '../../../lib/client/index.js';
import { EventLog } from '../../support/event-log.js';
import { restlessLease } from '../../support/stage.js';
import { useStage } from '../../support/use-stage.js';

const dayMs = 24 * 60 * 60 * 1000;

describe('once', () => {
  const stage = useStage();

  it('the first caller does the work, the second one gets its result, in two writes and one', async () => {
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    const made = { total: 12.5, lines: ['a', 'b'] };
    expect(await a.locks.once(name, () => made)).toEqual({ ran: true, result: made });
    const never = vi.fn();
    expect(await b.locks.once(name, never)).toEqual({ ran: false, result: made });
    expect(never).not.toHaveBeenCalled();
    expect(a.meter).toMatchObject({ writes: 2, reads: 0 });
    expect(b.meter.writes).toBe(1);
  });

  it('work without a result is done once, too', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    expect(await locks.once(name, () => {})).toEqual({ ran: true, result: undefined });
    expect(await locks.once(name, () => {})).toEqual({ ran: false, result: undefined });
  });

  it('while the first is at it the second waits, and gets the result as soon as it is there', async () => {
    using events = new EventLog();
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    let finish = (_result: string) => {};
    const work = () =>
      new Promise<string>((resolve) => {
        finish = resolve;
      });
    const first = a.locks.once(name, work);
    await events.next('granted', name);
    const second = b.locks.once(name, () => 'never', { waitMs: 60_000 });
    await events.next('held', name);
    finish('made by the first');
    expect(await first).toEqual({ ran: true, result: 'made by the first' });
    expect(await second).toEqual({ ran: false, result: 'made by the first' });
  });

  it('a second caller who does not want to wait that long is told who is at it', async () => {
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    await a.locks.once(name, async (lease) => {
      const refused = b.locks.once(name, () => 'never');
      await expect(refused).rejects.toMatchObject({
        name: 'LockHeldError',
        holder: { token: lease.token },
      });
    });
  });

  it('work that throws completes nothing: its error comes out, and the next caller does it', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const error = new Error('the work’s own');
    await expect(locks.once(name, () => Promise.reject(error))).rejects.toBe(error);
    expect(await stage.it.item(name)).not.toHaveProperty('completedAt');
    expect(await locks.once(name, () => 'second')).toEqual({ ran: true, result: 'second' });
  });

  it('an AlreadyCompletedError that the work itself throws is the work’s, and no result of this name', async () => {
    const { locks } = await stage.it.readyActor();
    const [outer, inner] = [stage.name(), stage.name()];
    await locks.once(inner, () => 'inner');
    const nested = locks.once(outer, () => locks.acquire(inner).then(() => 'outer'));
    await expect(nested).rejects.toMatchObject({ name: 'AlreadyCompletedError', lockName: inner });
    expect(await stage.it.item(outer)).not.toHaveProperty('completedAt');
  });

  it('the result is kept for retainMs, by its ttl in seconds', async () => {
    const { locks } = await stage.it.readyActor({ retentionMs: 2 * dayMs });
    for (const [options, keptMs] of [
      [{ retainMs: 30 * dayMs }, 30 * dayMs],
      [{ retainMs: dayMs }, dayMs],
    ] as const) {
      const name = stage.name();
      await locks.once(name, () => 1, options);
      const { ttl, completedAt } = (await stage.it.item(name))!;
      expect(ttl! * 1000 - completedAt! - keptMs).toBeGreaterThan(-1_000);
      expect(ttl! * 1000 - completedAt! - keptMs).toBeLessThanOrEqual(1_000);
    }
  });

  it('a retainMs of less than a day is refused before any request: a signed request may sleep for hours', async () => {
    const { locks, meter } = stage.it.actor();
    for (const retainMs of [defaults.minRetentionMs - 1, 0, -1, Number.NaN]) {
      await expect(locks.once('x', () => 1, { retainMs })).rejects.toMatchObject({
        name: 'UsageError',
        message: expect.stringContaining('retainMs:'),
      });
    }
    expect(meter.total).toBe(0);
  });

  it('a completion that the store does not take at first is tried again: the work is not done twice', async () => {
    const name = stage.name();
    const { locks, faults } = await stage.it.readyActor({ maxAttempts: 1 });
    const work = vi.fn(() => {
      faults.on('UpdateItem').once().throttle();
      faults.on('UpdateItem').once().dropRequest();
      return 'made';
    });
    expect(await locks.once(name, work)).toEqual({ ran: true, result: 'made' });
    expect(await locks.once(name, work)).toEqual({ ran: false, result: 'made' });
    expect(work).toHaveBeenCalledOnce();
  });

  it('a completion that was applied although nobody said so is found', async () => {
    const name = stage.name();
    const { locks, faults } = await stage.it.readyActor({ maxAttempts: 1 });
    const outcome = await locks.once(name, () => {
      faults.on('UpdateItem').once().dropAnswer();
      return 'made';
    });
    expect(outcome).toEqual({ ran: true, result: 'made' });
    expect(await stage.it.item(name)).toMatchObject({ result: 'made', completedAt: expect.any(Number) });
  });

  it('a result that was stored counts, and is no loss, although a renewal came upon its own completion meanwhile', async () => {
    using events = new EventLog();
    const name = stage.name();
    const { locks, faults } = await stage.it.readyActor({ renewEveryMs: 5, maxAttempts: 1 });
    const outcome = await locks.once(name, () => {
      faults
        .on('UpdateItem')
        .when(({ body }) => JSON.stringify(body).includes('completedAt = '))
        .once()
        .dropAnswer();
      return 'made';
    });
    expect(events.of('lost', name)).toHaveLength(0);
    expect(outcome).toEqual({ ran: true, result: 'made' });
  });

  it('an abort that work does not heed comes too late: its result is stored, and given', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const abort = new AbortController();
    const work = () => {
      abort.abort('too late');
      return 'made';
    };
    const outcome = await locks.once(name, work, { signal: abort.signal });
    expect(outcome).toEqual({ ran: true, result: 'made' });
  });

  it('work that outlives its lease completes nothing over a newer holder, and its loss carries the result', async () => {
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    const late = a.locks.once(name, async () => {
      await stage.it.expire(name);
      await b.locks.once(name, () => 'newer');
      return 'late';
    });
    await expect(late).rejects.toMatchObject({ name: 'LockLostError', reason: 'taken-over', result: 'late' });
    expect(await stage.it.item(name)).toMatchObject({ result: 'newer' });
  });

  it('a store that stays away until the lease is over is a loss that carries the result', async () => {
    const name = stage.name();
    const { locks, faults } = await stage.it.readyActor({ ...restlessLease, maxAttempts: 1 });
    const cut = locks.once(name, () => {
      faults.always({ kind: 'drop-request' });
      return 'made in vain';
    });
    await expect(cut).rejects.toMatchObject({ name: 'LockLostError', result: 'made in vain' });
    faults.clear();
    expect(await stage.it.item(name)).not.toHaveProperty('completedAt');
  });

  it('reopened, the work is done again', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    await locks.once(name, () => 1);
    await locks.reopen(name);
    expect(await locks.once(name, () => 2)).toEqual({ ran: true, result: 2 });
  });
});
