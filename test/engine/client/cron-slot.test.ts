import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Lease } from '../../../lib/index.js';
import { leaseFormat } from '../../../lib/lease/index.js';
import { EventLog } from '../../support/event-log.js';
import { checkProperty } from '../../support/property.js';
import { type Actor, patientLease, restlessLease } from '../../support/stage.js';
import { useStage } from '../../support/use-stage.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** A slot of this moment, on the minute. */
const thisMinute = Math.floor(Date.now() / minuteMs) * minuteMs;

describe('cronSlot', () => {
  const stage = useStage();

  it('runs the job of a slot once, whoever asks, in two writes, and refuses it in one', async () => {
    const name = stage.name();
    const a = await stage.it.readyActor(patientLease);
    const b = await stage.it.readyActor(patientLease);
    const slot = new Date(thisMinute);
    expect(await a.locks.cronSlot(name, slot, (lease) => lease.name)).toEqual({ ran: true, result: name });
    const never = vi.fn();
    const again = await b.locks.cronSlot(name, slot, never);
    expect(again).toEqual({ ran: false, reason: 'finished', holder: undefined });
    expect(never).not.toHaveBeenCalled();
    expect(a.meter).toMatchObject({ writes: 2, reads: 0 });
    expect(b.meter.writes).toBe(1);
    expect(await stage.it.item(name)).toMatchObject({ slot: thisMinute, slotDone: thisMinute });
  });

  it('I8 a slot that was finished just now is refused in one write, although its token lies ahead of this clock', async () => {
    const name = stage.name();
    const { locks, meter } = await stage.it.readyActor(patientLease);
    const ahead = Math.ceil(locks.context.clock.now().latest) + minuteMs;
    await stage.it.put({ name, format: leaseFormat, version: ahead, slot: thisMinute, slotDone: thisMinute });
    const refused = await locks.cronSlot(name, thisMinute, () => 'never');
    expect(refused).toEqual({ ran: false, reason: 'finished', holder: undefined });
    expect(meter).toMatchObject({ writes: 1, reads: 0 });
  });

  it('C42 a job longer than its lease runs once: renewed while it runs, and its slot stays claimed after', async () => {
    using events = new EventLog();
    const name = stage.name();
    const runner = await stage.it.readyActor(restlessLease);
    const others = await Promise.all([1, 2, 3].map(() => stage.it.readyActor(restlessLease)));
    const attempt = ({ locks }: Actor, waitMs: number) =>
      locks.cronSlot(name, thisMinute, () => 'a second run', { waitMs });
    const running = runner.locks.cronSlot(name, thisMinute, async (lease) => {
      const waiting = others.map((other) => attempt(other, 60_000));
      // More beats than fit in one lease: without them it would have run out by now.
      await events.next('renewed', name, restlessLease.leaseMs / restlessLease.renewEveryMs + 5);
      expect(lease.isHeld).toBe(true);
      return waiting;
    });
    const { result: waiting } = (await running) as { result: Promise<unknown>[] };
    const refused = { ran: false, reason: 'finished' };
    for (const outcome of await Promise.all(waiting)) expect(outcome).toMatchObject(refused);
    // Whoever waited for a slot that was finished meanwhile has read so, and has not tried again.
    for (const { meter } of others) expect(meter.writes).toBe(1);
    expect(await attempt(others[0]!, 0)).toMatchObject(refused);
    expect(events.of('granted', name)).toHaveLength(1);
    expect(events.of('lost', name)).toEqual([]);
  });

  it('C43 a clock turned back and forth over a slot: one run each, and older slots are refused', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const ran: number[] = [];
    const at = (minutes: number) => {
      const slot = thisMinute - 60 * minuteMs + minutes * minuteMs;
      return locks.cronSlot(name, slot, () => ran.push(minutes));
    };
    const outcomes = [];
    for (const minutes of [1, 2, 1, 2, 3, 2, 1, 3, 4]) outcomes.push(await at(minutes));
    expect(ran).toEqual([1, 2, 3, 4]);
    expect(outcomes.map((outcome) => (outcome.ran ? 'ran' : outcome.reason))).toEqual([
      ...['ran', 'ran', 'overtaken', 'finished', 'ran', 'overtaken', 'overtaken', 'finished', 'ran'],
    ]);
  });

  it('C43 any order of slots, with jobs that end, throw or crash: none after its end, none after a later one', async () => {
    const { locks } = await stage.it.readyActor();
    const step = fc.record({
      slot: fc.integer({ min: 0, max: 4 }),
      fate: fc.constantFrom('ends', 'throws', 'crashes'),
    });
    await checkProperty(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const name = stage.name();
        let latest = -1;
        const finished = new Set<number>();
        for (const { slot, fate } of steps) {
          const outcome = locks.cronSlot(name, thisMinute + slot, async (lease) => {
            if (fate === 'throws') throw new Error('the job’s own');
            if (fate === 'crashes') await crashed(locks, lease);
            return slot;
          });
          const ran = await outcome.then((done) => done.ran).catch(() => true);
          expect(ran).toBe(slot >= latest && !finished.has(slot));
          if (ran) latest = slot;
          if (ran && fate === 'ends') finished.add(slot);
        }
      }),
      { cases: 30 },
    );
  });

  /** Its lease is over without a release, as after a crash, and the job will say nothing about it. */
  async function crashed(locks: Actor['locks'], lease: Lease): Promise<never> {
    await locks.break(lease.name, lease.leaseId);
    throw new Error('crashed');
  }

  it('a job that throws leaves its slot open: its error comes out, and a retry of the slot runs', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const error = new Error('the job’s own');
    await expect(locks.cronSlot(name, thisMinute, () => Promise.reject(error))).rejects.toBe(error);
    const retry = await locks.cronSlot(name, thisMinute, () => 'second');
    expect(retry).toEqual({ ran: true, result: 'second' });
  });

  it('a crash in mid-job leaves its slot open, for a retry of the same slot and not for an older one', async () => {
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    const lost = a.locks.cronSlot(name, thisMinute, async () => {
      await stage.it.expire(name);
      const older = await b.locks.cronSlot(name, thisMinute - 1, () => 'older');
      expect(older).toMatchObject({ ran: false, reason: 'overtaken' });
      const retry = await b.locks.cronSlot(name, thisMinute, () => 'retried');
      expect(retry).toEqual({ ran: true, result: 'retried' });
      return 'late';
    });
    await expect(lost).rejects.toMatchObject({ name: 'LockLostError', reason: 'taken-over', result: 'late' });
    expect(await a.locks.cronSlot(name, thisMinute, () => 'third')).toMatchObject({ reason: 'finished' });
  });

  it('a slot whose lock is held is skipped and says by whom; with waitMs it runs afterwards', async () => {
    using events = new EventLog();
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    let next: Promise<unknown> = Promise.resolve();
    await a.locks.cronSlot(name, thisMinute - minuteMs, async (lease) => {
      const skipped = await b.locks.cronSlot(name, thisMinute, () => 'never');
      expect(skipped).toMatchObject({ ran: false, reason: 'held', holder: { token: lease.token } });
      next = b.locks.cronSlot(name, thisMinute, () => 'next', { waitMs: 60_000 });
      await events.next('held', name, 2);
    });
    expect(await next).toEqual({ ran: true, result: 'next' });
  });

  it('a waiter whose slot can’t be had any more stops waiting at once, without another write', async () => {
    using events = new EventLog();
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    await a.locks.cronSlot(name, thisMinute, async () => {
      const waiting = b.locks.cronSlot(name, thisMinute - minuteMs, () => 'never', { waitMs: 3_600_000 });
      expect(await waiting).toMatchObject({ ran: false, reason: 'overtaken' });
    });
    expect(events.of('granted', name)).toHaveLength(1);
    expect(b.meter.writes).toBe(1);
  });

  it('a release that the store does not take at first is tried again: the slot is closed', async () => {
    const name = stage.name();
    const { locks, faults } = await stage.it.readyActor({ maxAttempts: 1 });
    const job = vi.fn(() => {
      faults.on('UpdateItem').once().throttle();
      faults.on('UpdateItem').once().dropAnswer();
    });
    expect(await locks.cronSlot(name, thisMinute, job)).toMatchObject({ ran: true });
    expect(await locks.cronSlot(name, thisMinute, job)).toMatchObject({ ran: false, reason: 'finished' });
    expect(job).toHaveBeenCalledOnce();
  });

  it('C43 a slot far ahead of the store’s time, the work of a wrong clock, is refused and blocks no other', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const ahead = locks.cronSlot(name, Date.now() + 365 * dayMs, () => 'never');
    await expect(ahead).rejects.toMatchObject({ name: 'UsageError', lockName: name });
    expect(await stage.it.item(name)).toBeUndefined();
    expect(await locks.cronSlot(name, thisMinute, () => 1)).toMatchObject({ ran: true });
  });

  it('C43 a slot so far back that its run may have been forgotten is refused', async () => {
    const { locks } = await stage.it.readyActor({ retentionMs: dayMs });
    const old = await locks.cronSlot(stage.name(), Date.now() - dayMs, () => 'never');
    expect(old).toEqual({ ran: false, reason: 'too-old', holder: undefined });
    const recent = await locks.cronSlot(stage.name(), Date.now() - dayMs / 2, () => 1);
    expect(recent).toMatchObject({ ran: true });
  });

  it('a job that gives its own lease back can’t close its slot: a UsageError, no silent success', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const released = locks.cronSlot(name, thisMinute, (lease) => lease.release());
    await expect(released).rejects.toMatchObject({ name: 'UsageError', lockName: name });
    expect(await stage.it.item(name)).not.toHaveProperty('slotDone');
  });

  it('an item whose slot somebody else wrote is left alone', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    await stage.it.put({ name, format: leaseFormat, version: 1, slot: 'nightly' });
    const before = await stage.it.item(name);
    const refused = locks.cronSlot(name, thisMinute, () => 'never', { waitMs: 60_000 });
    await expect(refused).rejects.toMatchObject({ name: 'UsageError', lockName: name });
    expect(await stage.it.item(name)).toEqual(before);
  });

  it.each([Number.NaN, 1.5, new Date(Number.NaN), 'tonight' as unknown as number])(
    'a scheduledTime that is %s is refused before any request',
    async (scheduledTime) => {
      const { locks, meter } = stage.it.actor();
      const refused = locks.cronSlot('x', scheduledTime, () => 'never');
      await expect(refused).rejects.toMatchObject({ name: 'UsageError' });
      expect(meter.total).toBe(0);
    },
  );

  it('a signal that has aborted already: its own reason, and no request', async () => {
    const { locks, meter } = stage.it.actor();
    const signal = AbortSignal.abort('too late');
    await expect(locks.cronSlot('x', thisMinute, () => 1, { signal })).rejects.toBe('too late');
    expect(meter.total).toBe(0);
  });
});
