import { describe, expect, it } from 'vitest';
import {
  type GrantRequest,
  type LeaseIdentity,
  type LeaseItem,
  leaseFormat,
  parseLeaseItem,
  requestBreak,
  requestCompletion,
  requestGrant,
  requestRelease,
  requestRenewal,
  requestReopening,
  takeoverBefore,
} from '../../../lib/lease/index.js';
import { isExactly } from '../../../lib/lease/later-conditions.js';
import { requestResumption } from '../../../lib/lease/resume-request.js';
import { simulatedNow, simulatedTable } from '../../support/simulated-table.js';

/** The latest that store time can be. */
const now = simulatedNow + 1_000;
/** The first token: the earliest that it can be. */
const first = simulatedNow;
const format = leaseFormat;
const day = 86_400_000;
const ttlAt = (ms: number) => Math.ceil((ms + day) / 1_000);
const later = now + 60_000;
const extra = { set: { checkpoint: 'stale' } };

function scene() {
  const { context, runtime } = simulatedTable();
  const grant = (leaseId: string, more: Partial<GrantRequest> = {}) =>
    requestGrant(context, { name: 'n', leaseId, owner: 'o', leaseMs: 3_000, ...more });
  const item = async () => (await context.table.get('n')) as LeaseItem;
  /** The refusal that a retry gets whose first attempt was lost. */
  const retrying = {
    ...context,
    table: Object.assign(Object.create(context.table), {
      update: async (...args: Parameters<typeof context.table.update>) => {
        const answer = await context.table.update(...args);
        return answer.applied ? answer : { ...answer, retried: true };
      },
    }),
  };
  return { context, runtime, retrying, grant, item, table: context.table };
}

const lease = { name: 'n', leaseId: 'mine' };
type Context = ReturnType<typeof scene>['context'];

describe('the acquire write', () => {
  it('writes a whole lease, by the latest that store time can be', async () => {
    const { context, grant, item } = scene();
    const outcome = await grant('mine', { group: 'g', change: { set: { page: 7 } } });
    const token = first;
    const expiresAt = now + 3_000;
    expect(outcome).toEqual({
      kind: 'granted',
      grant: {
        ...{ leaseId: 'mine', token, expiresAt, acquiredAt: now, item: undefined, adopted: false },
        askedAt: context.clock.instant(),
      },
    });
    expect(await item()).toEqual({
      name: 'n',
      format,
      version: token,
      leaseId: 'mine',
      owner: 'o',
      expiresAt,
      leaseMs: 3_000,
      acquiredAt: now,
      renewals: 0,
      group: 'g',
      ttl: ttlAt(expiresAt),
      page: 7,
    });
  });

  it('demands the caller’s own condition along with the protocol’s', async () => {
    const { grant, item } = scene();
    const change = { set: { page: 7 }, condition: { text: 'attribute_exists(#page)' } };
    expect(await grant('mine', { change })).toEqual({ kind: 'held', item: undefined, mayArriveLate: false });
    expect(await item()).toBeUndefined();
  });

  it('says of a refusal whether an earlier attempt may still arrive', async () => {
    const { grant, retrying } = scene();
    await grant('theirs');
    expect(await grant('mine')).toMatchObject({ kind: 'held', mayArriveLate: false });
    const again = requestGrant(retrying, { ...lease, owner: 'o', leaseMs: 3_000 });
    expect(await again).toMatchObject({ kind: 'held', item: { leaseId: 'theirs' }, mayArriveLate: true });
  });

  it('inherits no wish to let go from the lease that it takes over: that was another’s to hear', async () => {
    const { table, item, grant } = scene();
    const ranOut = { leaseId: 'theirs', expiresAt: now - 60_000, releaseRequested: 'please' };
    await table.create({ name: 'n', format, version: 1, ...ranOut });
    expect(await grant('mine')).toMatchObject({ kind: 'granted' });
    expect(await item()).not.toHaveProperty('releaseRequested');
  });

  it('takes over the very lease that a superseder has seen, while it runs, and no other', async () => {
    const { grant, item } = scene();
    await grant('first');
    expect(await grant('second', { seenLeaseId: 'other' })).toMatchObject({ kind: 'held' });
    const outcome = await grant('second', { seenLeaseId: 'first' });
    expect(outcome).toMatchObject({
      kind: 'granted',
      grant: { token: first + 1, item: { leaseId: 'first' } },
    });
    expect(await grant('third', { seenLeaseId: 'first' })).toMatchObject({ kind: 'held' });
    expect(await item()).toMatchObject({ leaseId: 'second', version: first + 1 });
  });

  it('adopts the grant of an earlier attempt, also one that does not tell when it was', async () => {
    const { context, grant, table } = scene();
    await table.create({ name: 'n', format, version: 7, leaseId: 'mine', owner: 'o', expiresAt: later });
    expect(await grant('mine')).toEqual({
      kind: 'granted',
      grant: {
        ...{ leaseId: 'mine', token: 7, expiresAt: later, acquiredAt: now, adopted: true },
        askedAt: context.clock.instant(),
        item: { name: 'n', format, version: 7, leaseId: 'mine', owner: 'o', expiresAt: later },
      },
    });
    await table.update('n', { set: { acquiredAt: 5 }, condition: { text: 'attribute_exists(#name)' } });
    expect(await grant('mine')).toMatchObject({ grant: { acquiredAt: 5 } });
    const askedAt = { monotonicMs: 2, wallMs: 3 };
    expect(await grant('mine', { askedAt })).toMatchObject({ grant: { askedAt } });
  });

  it.each([
    [undefined, 0],
    [0, 0],
    [400, 400],
  ])(
    'I2 takes over a lease from the very millisecond on at which it may be: a delay of %s',
    async (lockDelayMs, delayMs) => {
      const { context, grant, table } = scene();
      const over = takeoverBefore(context) - delayMs - 1;
      const left = { name: 'n', format, version: 7, leaseId: 'before', owner: 'p' };
      const more = lockDelayMs === undefined ? {} : { lockDelayMs };
      await table.create({ ...left, expiresAt: over + 1 });
      expect(await grant('mine', more)).toMatchObject({ kind: 'held' });
      await table.update('n', { set: { expiresAt: over }, condition: { text: 'attribute_exists(#name)' } });
      expect(await grant('mine', more)).toMatchObject({ kind: 'granted' });
    },
  );

  it('I1 asks for the earliest that the time can be, or for one more than the token that it was shown', async () => {
    const { grant, runtime } = scene();
    expect(await grant('mine', { aboveToken: first - 1 })).toMatchObject({ grant: { token: first } });
    runtime.move(1_000, 1_000);
    const seen = { seenLeaseId: 'mine', aboveToken: first + 7_000 };
    expect(await grant('second', seen)).toMatchObject({ grant: { token: first + 7_001 } });
  });

  it('I1 is written once more where the lock is free and its last token lies ahead of the clock', async () => {
    const { context, grant, item, table } = scene();
    let writes = 0;
    const counted = Object.assign(Object.create(table), {
      update: (...args: Parameters<typeof table.update>) => {
        writes++;
        return table.update(...args);
      },
    });
    const take = (leaseId: string) =>
      requestGrant({ ...context, table: counted }, { name: 'n', leaseId, owner: 'o', leaseMs: 3_000 });
    await grant('before', { aboveToken: first + 20 });
    // Held: its token is no reason to ask again.
    expect(await take('mine')).toMatchObject({ kind: 'held', item: { leaseId: 'before' } });
    expect(writes).toBe(1);
    await requestRelease(context, { name: 'n', leaseId: 'before' });
    expect(await take('mine')).toMatchObject({ kind: 'granted', grant: { token: first + 22 } });
    expect(writes).toBe(3);
    expect(await item()).toMatchObject({ version: first + 22, leaseId: 'mine' });
  });

  it('I1 gives up where others have had the lock each time in between', async () => {
    const { context, grant, item, table } = scene();
    await grant('theirs', { aboveToken: first + 20 });
    await requestRelease(context, { name: 'n', leaseId: 'theirs' });
    let cycles = 0;
    const busy = Object.assign(Object.create(table), {
      update: async (...args: Parameters<typeof table.update>) => {
        const { version } = await item();
        const leaseId = `other-${++cycles}`;
        await grant(leaseId, { aboveToken: version });
        await requestRelease(context, { name: 'n', leaseId });
        return table.update(...args);
      },
    });
    const outcome = await requestGrant(
      { ...context, table: busy },
      { name: 'n', leaseId: 'mine', owner: 'o', leaseMs: 3_000 },
    );
    expect(outcome).toMatchObject({ kind: 'held', item: { lastLeaseId: 'other-3' } });
    expect(cycles).toBe(3);
  });

  it('D41 that was computed before others had the lock takes nothing when it arrives', async () => {
    const { context, grant, item, runtime, table } = scene();
    const sent: Parameters<typeof table.update>[] = [];
    const slow = Object.assign(Object.create(table), {
      update: async (...args: Parameters<typeof table.update>) => {
        sent.push(args);
        throw new Error('no answer');
      },
    });
    const request = { name: 'n', leaseId: 'mine', owner: 'o', leaseMs: 3_000 };
    await expect(requestGrant({ ...context, table: slow }, request)).rejects.toThrow('no answer');
    runtime.move(10, 10);
    await grant('other');
    await requestRelease(context, { name: 'n', leaseId: 'other' });
    const before = await item();
    expect((await table.update(...sent[0]!)).applied).toBe(false);
    expect(await item()).toEqual(before);
  });

  it('D03 is not sent by a clock that is known too vaguely', async () => {
    const { grant, item, runtime } = scene();
    runtime.move(0, 4_000 * (1 - 500e-6));
    expect(await grant('first')).toMatchObject({ kind: 'granted' });
    const before = await item();
    runtime.move(0, 1);
    await expect(grant('second', { seenLeaseId: 'first' })).rejects.toMatchObject({
      name: 'StoreError',
      retryable: true,
      mayHaveApplied: false,
      message: expect.stringMatching(
        /^Nothing was granted: the time of table "leases" is only known to 5001 ms/,
      ),
    });
    expect(await item()).toEqual(before);
  });

  it('is not granted where no token is left', async () => {
    const { grant, item, table } = scene();
    const last = Number.MAX_SAFE_INTEGER - 1;
    await table.create({ name: 'n', format, version: last });
    await expect(grant('mine')).rejects.toMatchObject({
      name: 'UsageError',
      message: `No token is left for "n": the last one is ${last}`,
    });
    expect(await item()).toEqual({ name: 'n', format, version: last });
  });

  it('is given back where its own lease was released, and completed where the work is', async () => {
    const { context, grant } = scene();
    await grant('mine');
    await requestRelease(context, lease);
    expect(await grant('mine')).toEqual({ kind: 'given-back' });
    await grant('other');
    await requestCompletion(context, { name: 'n', leaseId: 'other' }, 'r');
    expect(await grant('other')).toMatchObject({ kind: 'completed', item: { result: 'r' } });
    expect(await grant('third')).toMatchObject({ kind: 'completed' });
  });
});

describe('a lease that was handed over', () => {
  it('is the one seen only under the id and the token that it was seen with', async () => {
    const { table, grant } = scene();
    await grant('mine');
    const isApplied = async (leaseId: string, token: number) =>
      (await table.update('n', { set: { page: 1 }, condition: isExactly(leaseId, token) })).applied;
    expect(await isApplied('other', first)).toBe(false);
    expect(await isApplied('mine', first + 1)).toBe(false);
    expect(await isApplied('mine', first)).toBe(true);
  });
});

describe('the holder’s writes', () => {
  it('renew: lengthens, counts, and moves the time to live along', async () => {
    const { context, grant, item } = scene();
    await grant('mine');
    expect(await requestRenewal(context, lease, later, { set: { checkpoint: 1 } })).toMatchObject({
      kind: 'done',
    });
    expect(await item()).toMatchObject({ expiresAt: later, ttl: ttlAt(later), renewals: 1, checkpoint: 1 });
    expect(await requestRenewal(context, lease, later)).toMatchObject({ kind: 'done' });
    expect(await requestRenewal(context, lease, later - 1)).toMatchObject({ kind: 'done' });
    expect(await item()).toMatchObject({ renewals: 1 });
  });

  it('renew: the caller’s own condition is told apart from a loss', async () => {
    const { context, grant, item } = scene();
    await grant('mine');
    const before = await item();
    const change = { ...extra, condition: { text: 'attribute_exists(#page)' } };
    expect(await requestRenewal(context, lease, later, change)).toEqual({ kind: 'refused', item: before });
    expect(await requestRelease(context, lease, change)).toEqual({ kind: 'refused', item: before });
    expect(await requestCompletion(context, lease, 'r', change)).toEqual({ kind: 'refused', item: before });
    expect(await item()).toEqual(before);
  });

  it('release: takes the lease away, leaves token and the user’s own, and brings the item as it was where that is wanted', async () => {
    const { context, grant, item } = scene();
    await grant('mine', { change: { set: { page: 7 } } });
    const before = await item();
    const wanted = { ...lease, wantsBefore: true };
    expect(await requestRelease(context, wanted, { set: { checkpoint: 2 } })).toEqual({
      kind: 'done',
      before,
    });
    expect(await item()).toEqual({
      name: 'n',
      format,
      version: first,
      lastLeaseId: 'mine',
      checkpoint: 2,
      page: 7,
      ttl: ttlAt(now),
    });
  });

  it('complete: does the same, and keeps the result', async () => {
    const { context, grant, item } = scene();
    await grant('mine');
    const before = await item();
    const { retentionMs } = context;
    const page = { set: { page: 8 } };
    const wanted = { ...lease, wantsBefore: true };
    const outcome = await requestCompletion(context, wanted, { done: 1 }, page, undefined, retentionMs);
    expect(outcome).toEqual({ kind: 'done', before });
    expect(await item()).toEqual({
      name: 'n',
      format,
      version: first,
      lastLeaseId: 'mine',
      completedAt: now,
      result: { done: 1 },
      page: 8,
      ttl: ttlAt(now),
    });
  });

  it('C07 find their own mark: done', async () => {
    const { context, grant } = scene();
    await grant('mine');
    await requestRelease(context, lease);
    expect(await requestRelease(context, lease)).toEqual({ kind: 'done', already: true });
    expect(await requestCompletion(context, lease, 'r')).toEqual({ kind: 'lost', reason: 'broken' });
    await grant('second');
    const second = { name: 'n', leaseId: 'second' };
    await requestCompletion(context, second, 'r');
    expect(await requestCompletion(context, second, 'r')).toMatchObject({ kind: 'done' });
    expect(await requestCompletion(context, lease, 'r')).toEqual({ kind: 'lost', reason: 'taken-over' });
    expect(await requestRelease(context, second)).toEqual({ kind: 'done', already: true });
  });

  it('D01 find their own mark under a successor, too: done', async () => {
    const { context, grant, item } = scene();
    await grant('mine');
    const own = { ...lease, token: first };
    await requestRelease(context, own);
    await grant('other');
    const before = await item();
    expect(await requestRelease(context, own)).toEqual({ kind: 'done', already: true });
    expect(await requestCompletion(context, { ...own, mayHaveEnded: true }, 'r')).toEqual({ kind: 'done' });
    expect(await item()).toEqual(before);
  });

  it('D01 that come again after several successors are neither done nor lost: nobody knows', async () => {
    const { context, retrying, grant, item } = scene();
    await grant('mine');
    const own = { ...lease, token: first };
    await requestRelease(context, own);
    for (const other of ['other', 'third']) {
      await grant(other);
      if (other === 'other') await requestRelease(context, { name: 'n', leaseId: other });
    }
    const before = await item();
    const unknown = { name: 'StoreError', retryable: false, mayHaveApplied: true };
    await expect(requestRelease(retrying, own)).rejects.toMatchObject(unknown);
    await expect(requestCompletion(retrying, own, 'r')).rejects.toMatchObject(unknown);
    const again = { ...own, mayHaveEnded: true };
    await expect(requestRelease(context, again)).rejects.toMatchObject(unknown);
    await expect(requestCompletion(context, again, 'r')).rejects.toMatchObject(unknown);
    // The first attempt of a release that finds others has lost.
    expect(await requestRelease(context, own)).toEqual({ kind: 'lost', reason: 'taken-over' });
    expect(await requestBreak(retrying, lease)).toEqual({ kind: 'lost', reason: 'taken-over' });
    expect(await item()).toEqual(before);
  });

  it('D01 that come again after an operator’s break are lost, for certain', async () => {
    const { context, retrying, grant } = scene();
    await grant('mine');
    const own = { ...lease, token: first };
    await requestBreak(context, lease);
    const lost = { kind: 'lost', reason: 'broken' };
    expect(await requestRelease(retrying, own)).toEqual(lost);
    expect(await requestCompletion(retrying, own, 'r')).toEqual(lost);
    await grant('other');
    expect(await requestRelease(retrying, own)).toMatchObject({ kind: 'lost' });
  });

  it('bring the item as it stood only where that is asked for: it may be as large as an item can be', async () => {
    for (const end of [
      (context: Context, own: LeaseIdentity) => requestRelease(context, own),
      (context: Context, own: LeaseIdentity) => requestCompletion(context, own, 'r'),
    ]) {
      for (const wantsBefore of [undefined, false, true]) {
        const { context, grant } = scene();
        await grant('mine');
        const own = { ...lease, token: first, ...(wantsBefore !== undefined && { wantsBefore }) };
        const before = expect.objectContaining({ leaseId: 'mine', owner: 'o' });
        expect(await end(context, own)).toEqual({ kind: 'done', ...(wantsBefore && { before }) });
      }
    }
  });

  it('break, of a lease that was released sooner than its least hold: the lock is free at once', async () => {
    const { context, grant, item } = scene();
    await grant('mine');
    await requestRelease(context, { ...lease, token: first, minHoldMs: 60_000 });
    expect(await item()).toHaveProperty('freeFrom');
    expect(await grant('next')).toMatchObject({ kind: 'held' });
    expect(await requestBreak(context, { name: 'n', leaseId: 'another' })).toMatchObject({ kind: 'lost' });
    expect(await item()).toHaveProperty('freeFrom');
    expect(await requestBreak(context, lease)).toEqual({ kind: 'done', already: true });
    expect(await item()).not.toHaveProperty('freeFrom');
    expect(await grant('next')).toMatchObject({ kind: 'granted' });
  });

  it('break: by the lease id alone, marked, so that no release takes it for its own', async () => {
    const { context, grant, item } = scene();
    await grant('mine');
    expect(await requestBreak(context, { ...lease, token: 1 })).toEqual({ kind: 'done' });
    const broken = {
      name: 'n',
      format,
      version: first,
      lastLeaseId: 'mine',
      brokenLeaseId: 'mine',
      ttl: ttlAt(now),
    };
    expect(await item()).toEqual(broken);
    // Its own earlier attempt, or another operator's: the lease is broken either way.
    expect(await requestBreak(context, lease)).toEqual({ kind: 'done', already: true });
    expect(await requestRelease(context, lease)).toEqual({ kind: 'lost', reason: 'broken' });
    await grant('second');
    expect(await requestBreak(context, lease)).toEqual({ kind: 'done', already: true });
    // The mark of an earlier break is none of this lease's.
    const second = { name: 'n', leaseId: 'second' };
    await requestRelease(context, second);
    expect(await requestRelease(context, second)).toEqual({ kind: 'done', already: true });
  });

  it('I4 after a loss change nothing, and say who ended it', async () => {
    const { context, grant, item } = scene();
    const all = async () => [
      await requestRenewal(context, lease, later, extra),
      await requestRelease(context, lease, extra),
      await requestCompletion(context, lease, 'stale', extra),
    ];
    const lost = (reason: string) => Array.from({ length: 3 }, () => ({ kind: 'lost', reason }));
    expect(await all()).toEqual(lost('broken'));
    await grant('other');
    const before = await item();
    expect(await all()).toEqual(lost('taken-over'));
    expect(await item()).toEqual(before);
    await requestRelease(context, { name: 'n', leaseId: 'other' });
    expect(await all()).toEqual(lost('taken-over'));
  });

  it('I4 I5 of an id that a late duplicate has revived are those of a lost lease', async () => {
    const { context, table, item } = scene();
    await table.create({
      name: 'n',
      format,
      version: 9,
      leaseId: 'mine',
      expiresAt: later,
      renewals: 0,
      lastLeaseId: 'mine',
    });
    const before = await item();
    const old = { ...lease, token: 8 };
    const lost = { kind: 'lost', reason: 'taken-over' };
    expect(await requestRenewal(context, old, later + 1, extra)).toEqual(lost);
    expect(await requestRelease(context, old, extra)).toEqual(lost);
    expect(await requestCompletion(context, old, 'stale', extra)).toEqual(lost);
    expect(await item()).toEqual(before);
    const current = { ...lease, token: 9 };
    expect(await requestRenewal(context, current, later)).toMatchObject({ kind: 'done' });
    expect(await requestRenewal(context, current, later + 1)).toMatchObject({ kind: 'done' });
    const refusing = { condition: { text: 'attribute_exists(#page)' } };
    expect(await requestRelease(context, current, refusing)).toMatchObject({ kind: 'refused' });
  });

  it('I7 a release of a completed name that bears another’s mark is no success', async () => {
    const { context, table } = scene();
    await table.create({ name: 'n', format, version: 9, completedAt: 5, lastLeaseId: 'other' });
    expect(await requestCompletion(context, lease, 'r')).toEqual({ kind: 'lost', reason: 'taken-over' });
    expect(await requestRelease(context, lease)).toEqual({ kind: 'lost', reason: 'taken-over' });
  });
});

describe('a lock delay', () => {
  it('keeps a lease that ran out for so much longer, to the millisecond', async () => {
    for (const [agoMs, lockDelayMs, kind] of [
      [1, 0, 'granted'],
      [1, 1, 'held'],
      [2, 1, 'granted'],
      [5_000, 5_000, 'held'],
      [5_001, 5_000, 'granted'],
    ] as const) {
      const { context, table, grant } = scene();
      const expiresAt = takeoverBefore(context) - agoMs;
      await table.create({ name: 'n', format, version: 9, leaseId: 'theirs', expiresAt });
      expect(await grant('mine', { lockDelayMs })).toMatchObject({ kind });
    }
  });
});

describe('what goes on with a lease that was handed over', () => {
  const resume = (context: Context, leaseId: string, from = { leaseId: 'mine', token: first }) =>
    requestResumption(context, { name: 'n', leaseId, owner: 'next', leaseMs: 3_000, from });

  it('is granted under a higher token, and again to a repeat of its call', async () => {
    const { context, grant, item, table } = scene();
    await grant('mine');
    let writes = 0;
    const update: typeof table.update = (...args) => {
      writes += 1;
      return table.update(...args);
    };
    const counting = { ...context, table: Object.assign(Object.create(table), { update }) };
    const resumed = await resume(counting, 'next');
    // Its token lies above that of the lease, whatever the clock says.
    expect(writes).toBe(1);
    expect(resumed).toMatchObject({
      ...{ kind: 'granted', grant: { leaseId: 'next', token: first + 1, adopted: false, resumes: 'mine' } },
    });
    expect(await item()).toMatchObject({
      leaseId: 'next',
      owner: 'next',
      resumes: 'mine',
      resumingLease: 'next',
    });
    expect(await resume(context, 'next')).toMatchObject({ kind: 'granted', grant: { adopted: true } });
    // A state that is retried: it takes over from the earlier attempt.
    expect(await resume(context, 'retried')).toMatchObject({ kind: 'granted', grant: { token: first + 2 } });
    expect(await resume(context, 'next')).toMatchObject({ kind: 'granted' });
  });

  it('has lost where the line was broken, and changes nothing', async () => {
    const { context, grant, item } = scene();
    expect(await resume(context, 'next')).toEqual({ kind: 'lost', reason: 'broken' });
    await grant('mine');
    const wrong = { leaseId: 'mine', token: first - 1 };
    expect(await resume(context, 'next', wrong)).toMatchObject({ kind: 'lost', reason: 'taken-over' });
    await resume(context, 'next');
    await requestBreak(context, { name: 'n', leaseId: 'next' });
    // Of this very call: it was granted, and ended.
    expect(await resume(context, 'next')).toEqual({ kind: 'lost', reason: 'broken' });
    expect(await resume(context, 'another')).toMatchObject({ kind: 'lost' });
    await grant('other');
    const before = await item();
    expect(await resume(context, 'another')).toEqual({ kind: 'lost', reason: 'taken-over' });
    // Its mark says nothing of a lease that did not go on with it.
    expect(await item()).toEqual(before);
  });

  it('finds work that is done', async () => {
    const { context, grant } = scene();
    await grant('mine');
    await requestCompletion(context, { ...lease, token: first }, 'r');
    expect(await resume(context, 'next')).toMatchObject({ kind: 'completed', item: { result: 'r' } });
  });
});

describe('reopening', () => {
  it('takes the completion back, and says whether the name exists and is open', async () => {
    const { context, runtime, table, item, grant } = scene();
    expect(await requestReopening(context, 'n')).toBe(false);
    await grant('mine');
    expect(await requestReopening(context, 'n')).toBe(true);
    await requestCompletion(context, lease, 'r');
    runtime.move(10_000, 10_000);
    expect(await requestReopening(context, 'n')).toBe(true);
    const ttl = ttlAt(now + 10_006);
    expect(await item()).toEqual({ name: 'n', format, version: first, lastLeaseId: 'mine', ttl });
    await table.create({ name: 'odd', format, version: 1, completedAt: 5, leaseId: 'x', expiresAt: later });
    expect(await requestReopening(context, 'odd')).toBe(false);
    expect(await requestReopening(context, 'odd', 4)).toBe(false);
    expect(await grant('next')).toMatchObject({ kind: 'granted' });
  });

  it('takes back the very completion that it has read, not one that came since at the same time', async () => {
    const { context, table, item, grant } = scene();
    await grant('mine');
    await requestCompletion(context, lease, 'first');
    const get: typeof table.get = async (name) => {
      const read = await table.get(name);
      await requestReopening(context, 'n', Number(read!.completedAt));
      await grant('next');
      await requestCompletion(context, { name: 'n', leaseId: 'next' }, 'second');
      return read;
    };
    const moving = { ...context, table: Object.assign(Object.create(table), { get }) };
    expect(await requestReopening(moving, 'n')).toBe(false);
    expect(await item()).toMatchObject({ completedAt: now, lastLeaseId: 'next', result: 'second' });
  });
});

describe('an item that is not ours', () => {
  const ours = {
    name: 'n',
    format,
    version: 1,
    leaseId: 'x',
    owner: 'o',
    expiresAt: 1,
    acquiredAt: 1,
    lastLeaseId: 'y',
    completedAt: 1,
  };

  it('is one with a type that is not ours; the message names it', () => {
    expect(parseLeaseItem('n', ours)).toBe(ours);
    expect(parseLeaseItem('n', { name: 'n', format, version: 0 })).toEqual({ name: 'n', format, version: 0 });
    const refusal = (item: Record<string, unknown>, why: string) =>
      expect(() => parseLeaseItem('n', { ...ours, ...item })).toThrow(
        expect.objectContaining({
          name: 'UsageError',
          lockName: 'n',
          message: `The item "n" was not written by Leasehold: ${why}. It was left alone.`,
        }),
      );
    refusal({ format: undefined }, 'it does not bear the mark "leasehold/1"');
    refusal({ format: 'leasehold/2' }, 'it does not bear the mark "leasehold/1"');
    refusal({ version: undefined }, 'version is missing');
    refusal({ version: 7.5 }, 'version is 7.5, not a whole number');
    refusal({ version: '1' }, 'version is a string, not a number');
    refusal({ leaseId: 1 }, 'leaseId is a number, not a string');
    refusal({ owner: null }, 'owner is a object, not a string');
    refusal({ expiresAt: true }, 'expiresAt is a boolean, not a number');
    refusal({ acquiredAt: 'x' }, 'acquiredAt is a string, not a number');
    refusal({ lastLeaseId: 2n }, 'lastLeaseId is a bigint, not a string');
    refusal({ completedAt: [] }, 'completedAt is a object, not a number');
    refusal({ freeFrom: '5' }, 'freeFrom is a string, not a number');
    refusal({ expiresAt: undefined }, 'leaseId and expiresAt stand only together');
    refusal({ leaseId: undefined }, 'leaseId and expiresAt stand only together');
  });

  it('D06 is one with a number that we would never write', () => {
    const limit = Number.MAX_SAFE_INTEGER;
    const withVersion = (version: unknown) => () => parseLeaseItem('n', { name: 'n', format, version });
    for (const version of [limit - 1, -limit + 1]) expect(withVersion(version)).not.toThrow();
    for (const version of [limit, -limit, 1e100, -1e100, 10n ** 20n, -(10n ** 20n), Number.NaN]) {
      expect(withVersion(version)).toThrow('version is out of range');
    }
  });

  it('D06 is one with a time that no date can hold', () => {
    const limit = 8.64e15;
    const withTime = (time: number) => () => parseLeaseItem('n', { ...ours, acquiredAt: time });
    for (const time of [limit - 1, -limit + 1, 1.5]) expect(withTime(time)).not.toThrow();
    for (const time of [limit + 1, -limit - 1]) {
      expect(withTime(time)).toThrow('acquiredAt is out of range');
    }
  });
});
