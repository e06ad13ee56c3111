import { describe, expect, it } from 'vitest';
import { elapsedBetween, StoreClock } from '../../../lib/clock/store-clock.js';
import { StoreError } from '../../../lib/errors/index.js';
import { Heartbeat } from '../../../lib/lease/heartbeat.js';
import { Hold } from '../../../lib/lease/hold.js';
import type { HolderOutcome, LeaseIdentity } from '../../../lib/lease/holder-requests.js';
import type { LeaseContext } from '../../../lib/lease/index.js';
import { completeHold, leaseCalls } from '../../../lib/lease/lease-ends.js';
import { LeaseTerm } from '../../../lib/lease/lease-term.js';
import { EventLog } from '../../support/event-log.js';
import { dateAt } from '../../support/hand-clocks.js';
import { denial, kitScene } from '../../support/kit/kit-scene.js';
import { VirtualTime } from '../../support/virtual-time.js';

const leaseMs = 30_000;
const renewEveryMs = 10_000;
const done: HolderOutcome = { kind: 'done' };
const lost = (reason: 'broken' | 'taken-over') => ({ kind: 'lost', reason }) as const;
const failed = (mayHaveApplied: boolean, retryable = true) =>
  new StoreError('the store', 'jobs', { retryable, mayHaveApplied });

type Call = 'renew' | 'release' | 'complete';
type Answer = HolderOutcome | Error | Promise<HolderOutcome> | 'none';

let number = 0;

/** A hold over a store that answers as it is told: each call by turns, the last answer for good. */
function scene(answers: Partial<Record<Call, readonly Answer[]>> = {}, settings: object = {}) {
  const runtime = new VirtualTime();
  const clock = new StoreClock(runtime);
  clock.observe(clock.instant(), dateAt(runtime.wallMs()));
  const asked: Call[] = [];
  const released: LeaseIdentity[] = [];
  const times: number[] = [];
  const answered =
    (call: Call) =>
    async (lease: LeaseIdentity, ...given: unknown[]) => {
      asked.push(call);
      const signal = given.at(-1) as AbortSignal | undefined;
      if (call === 'release') released.push(lease);
      const all = answers[call] ?? [done];
      const answer = await all[Math.min(asked.filter((one) => one === call).length, all.length) - 1]!;
      if (answer === 'none')
        return new Promise<HolderOutcome>((_, reject) =>
          signal?.addEventListener('abort', () => reject(signal.reason)),
        );
      if (answer instanceof Error) throw answer;
      return answer;
    };
  const store = {
    ensureTime: async () => void times.push(clock.now().latest),
    ...{ renew: answered('renew'), release: answered('release'), complete: answered('complete') },
  };
  const context = { clock, runtime, store, skewMs: 500, retentionMs: 86_400_000 } as unknown as LeaseContext;
  const name = `jobs-${++number}`;
  const leaseId = `lease of ${name}`;
  const acquiredAt = clock.now().latest;
  const askedAt = clock.instant();
  const grant = {
    leaseId,
    token: 7,
    acquiredAt,
    expiresAt: acquiredAt + leaseMs,
    askedAt,
    item: undefined,
    adopted: false,
  };
  const terms = {
    ...{ leaseMs, wholeLeaseMs: leaseMs, spareMs: 0, renewEveryMs, safetyMarginMs: 1_000 },
    ...{ maxHoldMs: undefined, capMs: undefined, ...settings },
  };
  const ends: string[] = [];
  const later: number[] = [];
  const leftBehind: LeaseIdentity[] = [];
  const listener = {
    onEnd: () => ends.push('end'),
    releaseLater: (lease: LeaseIdentity, forMs: number) => {
      leftBehind.push(lease);
      later.push(forMs);
    },
  };
  const hold = new Hold(context, { name, leaseId, owner: 'o', token: 7 }, grant, terms, listener);
  return { name, hold, runtime, clock, askedAt, asked, released, times, ends, later, leftBehind };
}

/** An answer that comes when it is told to. */
function held() {
  let settle!: (answer: HolderOutcome) => void;
  const answer = new Promise<HolderOutcome>((resolve) => {
    settle = resolve;
  });
  return { answer, settle };
}

describe('a lease that is held', () => {
  it('C42 is renewed for as long as it is held, and C05 not any more when it is released', async () => {
    const { hold, runtime, asked } = scene();
    await runtime.pass(10 * leaseMs);
    expect(hold.isHeld).toBe(true);
    expect(asked.length).toBeGreaterThanOrEqual((10 * leaseMs) / renewEveryMs - 1);
    await hold.release();
    expect(hold.isHeld).toBe(false);
    expect(runtime.timers).toBe(0);
    const before = asked.length;
    await runtime.pass(10 * leaseMs);
    expect(asked).toHaveLength(before);
  });

  it('C04 is released behind what was asked for before, and takes nothing more from then on', async () => {
    const { answer, settle } = held();
    const { hold, runtime, asked } = scene({ renew: [answer] });
    const { signal } = hold;
    const renewed = hold.renew({});
    await runtime.pass(1);
    const releasing = hold.release();
    // For work that nobody awaited.
    await runtime.pass(1);
    expect(signal.reason).toMatchObject({ name: 'UsageError' });
    await expect(hold.renew({})).rejects.toMatchObject({ name: 'UsageError' });
    expect(hold.isHeld).toBe(false);
    await runtime.pass(100);
    expect(asked).toEqual(['renew']);
    settle(done);
    expect(await renewed).toEqual({ applied: true });
    expect(await releasing).toBe('released');
    expect(asked).toEqual(['renew', 'release']);
    expect(runtime.timers).toBe(0);
  });

  it('writes one at a time, in the order of the calls; one that fails does not stop the next', async () => {
    const { answer, settle } = held();
    const { hold, runtime, asked } = scene({ renew: [answer, failed(false), done] });
    const all = [hold.renew({}), hold.renew({}), hold.renew({})];
    const ends = Promise.allSettled(all);
    await runtime.pass(1);
    expect(asked).toHaveLength(1);
    settle(done);
    expect((await ends).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await hold.release();
  });

  it('C05 stops its heartbeat with the release that is asked for, also where that can’t be carried out', async () => {
    const { answer, settle } = held();
    const { hold, runtime, asked } = scene({ renew: [answer], release: [failed(true)] });
    const renewed = hold.renew({});
    await runtime.pass(1);
    const releasing = hold.release();
    settle(done);
    await renewed;
    await expect(releasing).rejects.toMatchObject({ name: 'StoreError' });
    expect(runtime.timers).toBe(0);
    await runtime.pass(10 * leaseMs);
    expect(asked).toEqual(['renew', 'release']);
  });

  it('C05 drops a renewal that is under way when it is released, and tells no failure', async () => {
    using events = new EventLog();
    const { name, hold, runtime, asked } = scene({ renew: ['none'] });
    await runtime.pass(renewEveryMs + 1);
    expect(asked).toEqual(['renew']);
    expect(await hold.release()).toBe('released');
    expect(events.of('renewal-failed', name)).toEqual([]);
    expect(events.of('released', name)).toHaveLength(1);
  });

  it('C05 leaves no timer behind where its danger is watched from the first', async () => {
    const { hold, runtime } = scene({}, { renewEveryMs: 2 * leaseMs });
    expect(runtime.timers).toBe(2);
    await hold.release();
    expect(runtime.timers).toBe(0);
  });

  it('is released once, whoever asks, and is told so once', async () => {
    using events = new EventLog();
    const { name, hold, asked, ends } = scene();
    const outcomes = await Promise.all([hold.release(), hold.release(), hold.giveBack()]);
    expect(outcomes).toEqual(['released', 'released', undefined]);
    expect(await hold.release()).toBe('released');
    expect(asked).toEqual(['release']);
    expect(events.of('released', name)).toHaveLength(1);
    expect(ends.length).toBeGreaterThan(0);
    expect(() => hold.checkHeld()).toThrow(/has been given back/);
  });

  it('can be released again after a release that failed', async () => {
    const { hold, asked } = scene({ release: [failed(true), done] });
    await expect(hold.release()).rejects.toMatchObject({ name: 'StoreError' });
    expect(hold.isHeld).toBe(false);
    expect(await hold.release()).toBe('released');
    expect(asked).toEqual(['release', 'release']);
  });

  it.each([
    ['is repeated in the background for what is left of it', failed(true), 1],
    ['is not repeated where that can’t help', failed(false, false), 0],
  ])('whose giving back fails %s, is told, and throws nothing', async (_what, error, times) => {
    using events = new EventLog();
    const { name, hold, runtime, later } = scene({ release: [error] });
    await runtime.pass(5_000);
    await hold.giveBack();
    expect(later).toHaveLength(times);
    for (const forMs of later) expect(forMs).toBeLessThanOrEqual(leaseMs - 5_000);
    expect(events.of('release-failed', name)).toMatchObject([{ error }]);
  });

  it('D01 has its end told as uncertain from the first attempt on that may have been applied', async () => {
    const { hold, released } = scene({ release: [failed(false), failed(true), failed(false), done] });
    for (let time = 0; time < 3; time++) await hold.release().catch(() => {});
    await hold.release();
    expect(released.map(({ mayHaveEnded }) => mayHaveEnded)).toEqual([false, false, true, true]);
  });

  it('D01 is given back later as it would have been now: as uncertain, and not to be had again so soon', async () => {
    const { hold, leftBehind } = scene({ release: [failed(true)] }, { minHoldMs: 5_000 });
    await hold.giveBack();
    expect(leftBehind).toMatchObject([{ ...hold.labels, mayHaveEnded: true, minHoldMs: 5_000 }]);
  });

  it('tells how long it must not be had again only while that is not over', async () => {
    const { hold, runtime } = scene({}, { minHoldMs: 5_000 });
    expect(hold.identity).toMatchObject({ minHoldMs: 5_000 });
    await runtime.pass(10_000);
    expect(hold.identity).not.toHaveProperty('minHoldMs');
    expect(scene().hold.identity).not.toHaveProperty('minHoldMs');
  });
});

describe('a lease that its store grants for longer than was asked', () => {
  it('is held for as long as was asked, also once it is renewed', async () => {
    const surplusMs = 700;
    const { hold, clock } = scene();
    const { context, settings } = hold;
    const acquiredAt = clock.now().latest;
    const askedAt = clock.instant();
    const expiresAt = acquiredAt + leaseMs;
    const term = new LeaseTerm(context, settings, { acquiredAt, expiresAt, askedAt, surplusMs });
    const asked = term.next();
    term.confirm(asked);
    expect(asked).toBeGreaterThan(acquiredAt + leaseMs + surplusMs);
    expect(term.expiresAt).toBe(asked - surplusMs);
    expect(term.leftMs).toBeLessThanOrEqual(leaseMs + 1);
  });
});

describe('the heartbeats of one process', () => {
  it('are spread, and none of them begins late, also after one that was stopped twice: lost, and given back', async () => {
    const runtime = new VirtualTime();
    const beats: number[] = [];
    const startMs = runtime.wallMs();
    const beating = {
      settings: { renewEveryMs },
      term: { dangerInMs: leaseMs },
      beat: async () => beats.push(runtime.wallMs() - startMs) > 0,
      expire: () => {},
    };
    const gone = new Heartbeat(runtime, beating);
    for (let times = 0; times < 2; times++) gone.stop();
    const two = [new Heartbeat(runtime, beating), new Heartbeat(runtime, beating)];
    for (const heartbeat of two) heartbeat.start();
    await runtime.pass(renewEveryMs);
    for (const heartbeat of two) heartbeat.stop();
    expect(beats).toHaveLength(2);
    expect(beats[0]).toBeLessThan(beats[1]!);
    expect(beats[1]).toBe(renewEveryMs);
  });
});

describe('a lease whose holder’s clock becomes narrower', () => {
  /** All that was not known is known: the time is the earliest that it could have been. */
  const narrow = ({ clock }: ReturnType<typeof scene>) => {
    const { earliest } = clock.now();
    clock.learn(clock.instant(), { earliest, latest: earliest });
  };

  it('I2 is over when its length has passed since it was asked for, though the end in the store has not come', async () => {
    const own = scene({ renew: ['none'] }, { safetyMarginMs: 0 });
    narrow(own);
    await own.runtime.pass(leaseMs - 100);
    expect(own.hold.isHeld).toBe(true);
    await own.runtime.pass(100);
    expect(own.clock.now().latest).toBeLessThan(own.hold.term.expiresAt);
    expect(own.hold.isHeld).toBe(false);
  });

  it('I2 counts a renewal from when it was asked for, not from its answer', async () => {
    const { answer, settle } = held();
    const own = scene({ renew: [answer] });
    const renewing = own.hold.renew({});
    await own.runtime.pass(5_000);
    narrow(own);
    settle(done);
    await renewing;
    expect(own.hold.remainingMs).toBeLessThanOrEqual(leaseMs - 5_000);
    expect(own.hold.remainingMs).toBeGreaterThan(leaseMs - 5_100);
  });
});

describe('a lease that is lost', () => {
  it.each([
    ['C31 because the store can’t be used', { renew: [failed(true)] }, {}, 'store-unavailable'],
    ['because renewals never end', { renew: ['none'] }, {}, 'expired'],
    ['I2 because somebody has it', { renew: [lost('taken-over')] }, {}, 'taken-over'],
    ['because it was broken', { renew: [lost('broken')] }, {}, 'broken'],
    ['at its longest hold', {}, { maxHoldMs: leaseMs, capMs: leaseMs }, 'max-hold'],
    ['at its holder’s own end', {}, { endsInMs: () => 0 }, 'max-hold'],
  ] as const)(
    '%s is told once, before its end, and is no more held',
    async (_why, answers, terms, reason) => {
      using events = new EventLog();
      const { name, hold, runtime, ends } = scene(answers, terms);
      const { signal } = hold;
      await runtime.pass(leaseMs - 1_000);
      expect(hold.isHeld).toBe(false);
      expect(signal.aborted).toBe(true);
      expect(signal.reason).toMatchObject({ name: 'LockLostError', reason, lockName: name, token: 7 });
      expect(hold.loss).toBe(signal.reason);
      expect(() => hold.checkHeld()).toThrow(hold.loss);
      expect(hold.signal.reason).toBe(hold.loss);
      expect(events.of('lost', name)).toMatchObject([{ reason, error: hold.loss }]);
      // What is under way then is given up: that is no renewal that failed.
      const failures = events.of('renewal-failed', name);
      if (reason !== 'store-unavailable') expect(failures.length).toBeLessThanOrEqual(1);
      for (const { error } of failures) expect(error).toMatchObject({ name: /Error$/ });
      expect(ends.length).toBeGreaterThan(0);
      expect(hold.remainingMs).toBe(0);
      await runtime.pass(10 * leaseMs);
      expect(events.of('lost', name)).toHaveLength(1);
      expect(runtime.timers).toBe(0);
    },
  );

  it('asks the store for nothing more', async () => {
    const { hold, runtime, times, asked } = scene({ renew: ['none'] });
    await runtime.pass(leaseMs);
    const before = [times.length, asked.length];
    await expect(hold.renew({})).rejects.toBe(hold.loss);
    expect([times.length, asked.length]).toEqual(before);
  });

  it('whose end is its holder’s own, too, has ended by itself', async () => {
    let tied: ReturnType<typeof scene> | undefined;
    const since = { monotonicMs: 0, wallMs: 0 };
    const endsInMs = () => {
      if (!tied) return leaseMs;
      const { clock, hold } = tied;
      const sinceAskedMs = elapsedBetween(since, clock.instant()).most;
      return Math.min(hold.term.expiresAt - clock.now().latest, leaseMs - sinceAskedMs);
    };
    tied = scene({ renew: ['none'] }, { endsInMs });
    Object.assign(since, tied.askedAt);
    await tied.runtime.pass(leaseMs);
    expect(tied.hold.loss).toMatchObject({ reason: 'max-hold' });
  });

  it('while it was being handed over was not handed over', async () => {
    using events = new EventLog();
    const { answer, settle } = held();
    const { name, hold, runtime } = scene({ renew: [answer] });
    const handing = leaseCalls.handOver.act(hold);
    const end = handing.catch((error) => error);
    await runtime.pass(leaseMs);
    settle(done);
    expect(await end).toBe(hold.loss);
    expect(hold.loss).toMatchObject({ name: 'LockLostError', reason: 'expired' });
    expect(events.of('handed-over', name)).toEqual([]);
  });

  it.each([
    ['is given back where it only ran out: others need not wait', [failed(true)], 1],
    ['is left alone where it is another’s', [lost('taken-over')], 0],
    ['is left alone where it was broken', [lost('broken')], 0],
  ] as const)('%s', async (_what, renew, times) => {
    const { hold, runtime, released } = scene({ renew });
    await runtime.pass(2 * leaseMs);
    expect(await hold.release()).toBe('lost');
    expect(released).toHaveLength(times);
  });

  it('and can’t be given back either is told so, and that throws nothing', async () => {
    using events = new EventLog();
    const { name, hold, runtime } = scene({ renew: [failed(true)], release: [failed(true)] });
    await runtime.pass(2 * leaseMs);
    expect(await hold.release()).toBe('lost');
    expect(events.of('release-failed', name)).toHaveLength(1);
  });

  it('is found by its release at the latest', async () => {
    using events = new EventLog();
    const { name, hold } = scene({ release: [lost('taken-over')] });
    expect(await hold.release()).toBe('lost');
    expect(hold.loss).toMatchObject({ reason: 'taken-over' });
    expect(events.of('lost', name)).toHaveLength(1);
    expect(events.of('released', name)).toEqual([]);
  });

  it('carries the last renewal’s error, and none of one before a renewal that worked', async () => {
    const error = failed(true);
    const { hold, runtime } = scene({ renew: [failed(false), done, error] });
    await runtime.pass(4 * leaseMs);
    expect(hold.loss?.cause).toBe(error);
    const again = scene({ renew: [error, done] }, { maxHoldMs: leaseMs + 5_000, capMs: leaseMs + 5_000 });
    await again.runtime.pass(3 * leaseMs);
    expect(again.hold.loss).toMatchObject({ reason: 'max-hold' });
    expect(again.hold.loss?.cause).toBeUndefined();
  });
});

describe('a completion that nobody answered', () => {
  const completed = async (answers: Partial<Record<Call, readonly Answer[]>>) => {
    const all = scene({
      complete: [failed(true), ...(answers.complete ?? [])],
      renew: answers.renew ?? [done],
    });
    await expect(completeHold(all.hold, { result: 'r' })).rejects.toMatchObject({ mayHaveApplied: true });
    return all;
  };

  it('D01 is asked for again by the renewal that finds the lease gone, and is no loss', async () => {
    using events = new EventLog();
    const { name, hold, asked, runtime } = await completed({ complete: [done], renew: [lost('taken-over')] });
    await expect(hold.renew({})).rejects.toMatchObject({ name: 'UsageError' });
    expect(asked).toEqual(['complete', 'renew', 'complete']);
    expect(hold.loss).toBeUndefined();
    expect(events.of('completed', name)).toHaveLength(1);
    expect(await completeHold(hold, { result: 'r' })).toEqual({ applied: true });
    expect(asked).toHaveLength(3);
    expect(runtime.timers).toBe(0);
  });

  it('D01 of which nobody can know ends the lease, and is told as no loss', async () => {
    using events = new EventLog();
    const { name, hold, runtime } = await completed({
      complete: [failed(true, false)],
      renew: [lost('taken-over')],
    });
    await expect(hold.renew({})).rejects.toMatchObject({ name: 'StoreError' });
    expect(hold.isHeld).toBe(false);
    expect(hold.loss).toBeUndefined();
    expect(events.of('lost', name)).toEqual([]);
    expect(events.of('completed', name)).toEqual([]);
    expect(events.of('renewal-failed', name)).toMatchObject([{ name, error: { name: 'StoreError' } }]);
    expect(runtime.timers).toBe(0);
  });

  it('D01 that was not applied after all is a loss like any other', async () => {
    const { hold } = await completed({ complete: [lost('broken')], renew: [lost('broken')] });
    await expect(hold.renew({})).rejects.toMatchObject({ name: 'LockLostError', reason: 'broken' });
  });

  it('that was not applied for certain is not asked for again: the lease is lost as any', async () => {
    const { hold, asked } = scene({
      complete: [failed(false), failed(true, false)],
      renew: [lost('taken-over')],
    });
    await expect(completeHold(hold, { result: 'r' })).rejects.toMatchObject({ mayHaveApplied: false });
    await expect(hold.renew({})).rejects.toMatchObject({ name: 'LockLostError', reason: 'taken-over' });
    expect(asked).toEqual(['complete', 'renew']);
  });

  it('is over once it was answered: the lease goes on, and is lost as any', async () => {
    const refused: HolderOutcome = { kind: 'refused', item: { name: 'jobs' } as never };
    const { hold, asked } = await completed({ complete: [refused], renew: [lost('broken')] });
    expect(await completeHold(hold, { result: 'r' })).toMatchObject({ applied: false });
    await expect(hold.renew({})).rejects.toMatchObject({ name: 'LockLostError', reason: 'broken' });
    expect(asked).toEqual(['complete', 'complete', 'renew']);
  });

  it('C42 leaves the lease held, and renewed', async () => {
    const { hold, asked, runtime } = await completed({});
    await runtime.pass(2 * leaseMs);
    expect(hold.isHeld).toBe(true);
    expect(asked.filter((call) => call === 'renew').length).toBeGreaterThan(3);
    await hold.release();
  });
});

describe('a checkpoint', () => {
  it('reads as saved once it is stored: not while that is under way, nor when it has failed', async () => {
    const scene = kitScene();
    const lease = await scene.world.until(scene.locks('own').acquire('jobs'));
    await scene.world.until(lease.save('first'));
    const shown: unknown[] = [];
    scene.before = async () => void shown.push(lease.checkpoint);
    await scene.world.until(lease.save('second'));
    expect([...shown, lease.checkpoint]).toEqual(['first', 'second']);
    scene.before = async () => {
      throw denial();
    };
    expect(await scene.failure(lease.save('third'))).toMatchObject({ name: 'StoreError' });
    expect(lease.checkpoint).toBe('second');
  });
});
