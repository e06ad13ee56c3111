import { describe, expect, it } from 'vitest';
import { StoreClock } from '../../../lib/clock/store-clock.js';
import { leaseFormat } from '../../../lib/lease/index.js';
import { ServiceStore } from '../../../lib/service-client/service-store.js';
import { VirtualTime } from '../../support/virtual-time.js';

const at = 1_800_000_000_000;
const now = { earliest: at, latest: at + 10 };
const lease = { name: 'x', leaseId: 'mine', token: 7 };
const granted = {
  name: 'x',
  leaseId: 'mine',
  token: 7,
  owner: 'o',
  acquiredAt: at,
  expiresAt: at + 30_000,
  adopted: false,
};

interface Reply {
  readonly payload?: string;
  readonly failed?: boolean;
  readonly attempts?: number;
}

/** A service that answers so, one request after the other; the last answer stays. A function is called. */
function scene(...replies: readonly (object | (() => unknown))[]) {
  const runtime = new VirtualTime();
  const clock = new StoreClock(runtime);
  const asked: Record<string, unknown>[] = [];
  const signals: AbortSignal[] = [];
  const send = async (request: string, signal: AbortSignal) => {
    asked.push(JSON.parse(request));
    signals.push(signal);
    const reply = replies[Math.min(asked.length, replies.length) - 1]!;
    const answer = (typeof reply === 'function' ? await reply() : reply) as object;
    const { payload, failed = false, attempts = 1, ...body } = answer as Reply;
    return { payload: payload ?? JSON.stringify({ ok: true, now, ...body }), failed, attempts };
  };
  const transport = { service: 'leasehold', send, close: () => {} };
  const store = new ServiceStore({ transport, clock, runtime, callTimeoutMs: 3_000, ownerKey: 'key' });
  return { store, asked, signals, clock, runtime };
}

const failure = (error: object, more: object = {}) => ({
  ok: false,
  error: { message: 'm', ...error },
  ...more,
});
const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(() => undefined).catch((error) => error);

describe('what the service is asked for', () => {
  const grant = { name: 'x', leaseId: 'mine', owner: 'o', leaseMs: 30_000, spareMs: 0 };

  it('an acquire, with what was given and no more', async () => {
    const { store, asked } = scene({ granted });
    await store.grant(grant);
    await store.grant({
      ...grant,
      group: 'g',
      lockDelayMs: 5,
      seenToken: 6,
      aboveToken: 9,
      seenLeaseId: 'l',
    });
    const request = {
      operation: 'acquire',
      name: 'x',
      leaseId: 'mine',
      owner: 'o',
      leaseMs: 30_000,
      ownerKey: 'key',
    };
    expect(asked).toEqual([request, { ...request, group: 'g', supersedes: 6, lockDelayMs: 5 }]);
  });

  it.each([
    [30_000, 30_000, 0],
    [29_999.5, 30_000, 0],
    [1_000, 1_000, 0],
    [400, 1_000, 600],
  ])('a lease of %d ms: of %d, of which the holder has %d less', async (leaseMs, sentMs, surplusMs) => {
    const { store, asked } = scene({ granted });
    expect(await store.grant({ ...grant, leaseMs })).toMatchObject({
      ...{ kind: 'granted', grant: { expiresAt: granted.expiresAt - surplusMs, surplusMs } },
    });
    expect(asked).toMatchObject([{ leaseMs: sentMs }]);
    const resumed = scene({ granted });
    const from = { leaseId: 'from', token: 6 };
    expect(await resumed.store.resume({ ...grant, leaseMs, from })).toMatchObject({
      grant: { expiresAt: granted.expiresAt - surplusMs, resumes: 'from' },
    });
    expect(resumed.asked).toEqual([
      {
        ...{ operation: 'resume', name: 'x', leaseId: 'mine', owner: 'o', leaseMs: sentMs },
        ...{ fromLeaseId: 'from', fromToken: 6 },
      },
    ]);
  });

  it.each<[string, (store: ServiceStore) => Promise<unknown>, object, object, unknown]>([
    [
      'a renewal',
      (store) => store.renew(lease, at + 5),
      { renewed: { expiresAt: at + 5 } },
      { operation: 'renew', ...lease, expiresAt: at + 5 },
      { kind: 'done' },
    ],
    [
      'a renewal that learns of a request to let go',
      (store) => store.renew(lease, at + 5, { set: { checkpoint: 'c' } }),
      { renewed: { expiresAt: at + 5, releaseRequested: 'deploy' } },
      { operation: 'renew', ...lease, expiresAt: at + 5, checkpoint: 'c' },
      { kind: 'done', before: { name: 'x', format: leaseFormat, version: 7, releaseRequested: 'deploy' } },
    ],
    [
      'a renewal that takes the checkpoint away',
      (store) => store.renew(lease, at + 5, { remove: ['checkpoint'] }),
      { renewed: { expiresAt: at + 5 } },
      { operation: 'renew', ...lease, expiresAt: at + 5, clearCheckpoint: true },
      { kind: 'done' },
    ],
    [
      'a release',
      (store) => store.release({ ...lease, minHoldMs: 9 }, { set: { checkpoint: 'c', nothing: undefined } }),
      { released: true },
      { operation: 'release', ...lease, checkpoint: 'c', minHoldMs: 9 },
      { kind: 'done' },
    ],
    [
      'a release by who was never told the token, again',
      (store) => store.release({ name: 'x', leaseId: 'mine', mayHaveEnded: true }),
      { released: false, reason: 'expired' },
      { operation: 'release', name: 'x', leaseId: 'mine', retries: 1 },
      { kind: 'lost', reason: 'expired' },
    ],
    [
      'a release of what is another’s',
      (store) => store.release(lease),
      { released: false },
      { operation: 'release', ...lease },
      { kind: 'lost', reason: 'taken-over' },
    ],
    [
      'a completion',
      (store) => store.complete(lease, { result: { sum: 42 }, retainMs: 9 }),
      { completed: true },
      { operation: 'complete', ...lease, result: { sum: 42 }, retainMs: 9 },
      { kind: 'done' },
    ],
    [
      'a completion without a result',
      (store) => store.complete(lease, { result: undefined }),
      { completed: true },
      { operation: 'complete', ...lease },
      { kind: 'done' },
    ],
    [
      'a break',
      (store) => store.break(lease),
      { broken: true },
      { operation: 'break', name: 'x', leaseId: 'mine' },
      { kind: 'done' },
    ],
    [
      'a break that comes too late',
      (store) => store.break(lease),
      { broken: false },
      { operation: 'break', name: 'x', leaseId: 'mine' },
      { kind: 'lost', reason: 'taken-over' },
    ],
    [
      'to ask a holder to let go',
      (store) => store.requestRelease({ name: 'x', token: 7 }, 'deploy'),
      { asked: true },
      { operation: 'requestRelease', name: 'x', token: 7, reason: 'deploy' },
      true,
    ],
    [
      'the line',
      (store) => store.readLine('x'),
      { tickets: [{ id: 'i', deadline: 5 }] },
      { operation: 'line', name: 'x' },
      [{ id: 'i', deadline: 5 }],
    ],
    [
      'a place in line',
      (store) => store.joinLine('x', { id: 'i', deadline: 5.5 }),
      { joined: true },
      { operation: 'joinLine', name: 'x', ticketId: 'i', deadline: 6 },
      undefined,
    ],
    [
      'to leave the line',
      (store) => store.leaveLine('x', { id: 'i' }),
      { left: true },
      { operation: 'leaveLine', name: 'x', ticketId: 'i' },
      undefined,
    ],
    [
      'a lock',
      (store) => store.read('x', 'mine'),
      { lock: { name: 'x', token: 7, state: 'free', remainingMs: 0 } },
      { operation: 'inspect', name: 'x', leaseId: 'mine' },
      { name: 'x', format: leaseFormat, version: 7 },
    ],
    [
      'a lock that nobody had',
      (store) => store.read('x'),
      { lock: null },
      { operation: 'inspect', name: 'x' },
      undefined,
    ],
    [
      'many locks',
      (store) => store.readMany(['x', 'y']),
      { locks: [{ name: 'x', token: 7, state: 'free', remainingMs: 0 }, null] },
      { operation: 'readMany', names: ['x', 'y'] },
      [{ name: 'x', format: leaseFormat, version: 7 }, undefined],
    ],
    [
      'to take a completion back',
      (store) => store.reopen('x', 5),
      { open: true },
      { operation: 'reopen', name: 'x', completedAt: 5 },
      true,
    ],
  ])('%s', async (_, ask, answer, request, outcome) => {
    const { store, asked } = scene(answer);
    expect(await ask(store)).toEqual(outcome);
    expect(asked).toEqual([request]);
  });

  it('nothing, for no names', async () => {
    const { store, asked } = scene({});
    expect(await store.readMany([])).toEqual([]);
    await store.ensureTime();
    expect(asked).toEqual([]);
  });

  it('D42 to take back the completion that is found, where none is named', async () => {
    const shown = { name: 'x', token: 7, state: 'completed', remainingMs: 0, completedAt: 5 };
    const found = scene({ lock: shown }, { open: true });
    expect(await found.store.reopen('x')).toBe(true);
    expect(found.asked[1]).toEqual({ operation: 'reopen', name: 'x', completedAt: 5 });
    // What is no completion of ours is for the service to find, and any other error is the caller's.
    const odd = scene(failure({ name: 'UsageError', code: 'USAGE' }), { open: false });
    expect(await odd.store.reopen('x')).toBe(false);
    expect(odd.asked[1]).toEqual({ operation: 'reopen', name: 'x' });
    const down = scene(
      failure({ name: 'StoreError', code: 'STORE_ERROR', retryable: true, mayHaveApplied: false }),
    );
    expect(await thrownBy(down.store.reopen('x'))).toMatchObject({ name: 'StoreError' });
    expect(down.asked).toHaveLength(1);
  });

  it('a list, page by page, until it ends; one that goes round in a circle is none', async () => {
    const page = (name: string, cursor?: string) => ({
      locks: [{ name, token: 7, state: 'free', remainingMs: 0 }],
      ...(cursor !== undefined && { cursor }),
    });
    const names = async (store: ServiceStore, group?: string) => {
      const all: string[] = [];
      for await (const items of store.list(group)) all.push(...items.map(({ name }) => name));
      return all;
    };
    const whole = scene(page('a', 'a'), page('b', 'b'), page('c'));
    expect(await names(whole.store, 'g')).toEqual(['a', 'b', 'c']);
    expect(whole.asked).toEqual([
      { operation: 'list', group: 'g' },
      { operation: 'list', group: 'g', cursor: 'a' },
      { operation: 'list', group: 'g', cursor: 'b' },
    ]);
    const round = scene(page('a', 'a'), page('b', 'b'));
    expect(await thrownBy(names(round.store))).toMatchObject({ name: 'StoreError', mayHaveApplied: false });
    expect(round.asked).toHaveLength(3);
  });
});

describe('what rides along with a write', () => {
  it.each<[string, object | undefined]>([
    ['nothing', undefined],
    ['nothing at all', {}],
    ['what is undefined', { set: { a: undefined }, remove: [] }],
  ])('%s goes', async (_, change) => {
    const { store, asked } = scene({ renewed: { expiresAt: at } });
    await store.renew(lease, at, change);
    expect(asked).toEqual([{ operation: 'renew', ...lease, expiresAt: at }]);
  });

  it.each<[string, object]>([
    ['an attribute', { set: { a: 1 } }],
    ['an attribute beside the checkpoint', { set: { a: 1, checkpoint: 1 } }],
    ['one that is taken away', { remove: ['a'] }],
    ['a condition', { condition: { text: 'a = b' } }],
    ['a computed one', { compute: { a: { text: 'a + b' } } }],
  ])('%s of the caller’s needs a table: nothing is sent', async (_, change) => {
    const { store, asked } = scene({ granted });
    const grant = { name: 'x', leaseId: 'mine', owner: 'o', leaseMs: 30_000, spareMs: 0 };
    for (const work of [
      store.renew(lease, at, change),
      store.release(lease, change),
      store.complete(lease, { result: 1, change }),
      store.grant({ ...grant, change }),
    ])
      expect(await thrownBy(work)).toMatchObject({
        ...{
          name: 'UsageError',
          lockName: 'x',
          message: expect.stringContaining('need a client with a table'),
        },
      });
    expect(asked).toEqual([]);
  });

  it('a value that is no JSON is refused: nothing is sent', async () => {
    const { store, asked } = scene({});
    for (const work of [
      store.renew(lease, at, { set: { checkpoint: () => {} } }),
      store.complete(lease, { result: 2 ** 60 }),
    ])
      expect(await thrownBy(work)).toMatchObject({
        ...{ name: 'UsageError', lockName: 'x', message: expect.stringContaining('no JSON, or too large') },
      });
    expect(asked).toEqual([]);
  });
});

describe('what the service refuses', () => {
  const grant = { name: 'x', leaseId: 'mine', owner: 'o', leaseMs: 30_000, spareMs: 0 };
  const lost = failure({ name: 'LockLostError', code: 'LOCK_LOST', reason: 'taken-over' });
  const done = failure({
    name: 'AlreadyCompletedError',
    code: 'ALREADY_COMPLETED',
    token: 7,
    completedAt: 5,
  });
  const held = failure({ name: 'LockHeldError', code: 'LOCK_HELD' });
  const full = failure({ name: 'LineFullError', code: 'LINE_FULL' });

  it('is an outcome of what can end so', async () => {
    expect(await scene(held).store.grant(grant)).toEqual({
      kind: 'held',
      item: undefined,
      mayArriveLate: false,
    });
    expect(await scene({ ...held, attempts: 2 }).store.grant(grant)).toMatchObject({ mayArriveLate: true });
    expect(await scene(done).store.grant(grant)).toMatchObject({
      kind: 'completed',
      item: { completedAt: 5 },
    });
    const from = { leaseId: 'from', token: 6 };
    expect(await scene(lost).store.resume({ ...grant, from })).toEqual({
      kind: 'lost',
      reason: 'taken-over',
    });
    expect(await scene(done).store.resume({ ...grant, from })).toMatchObject({ kind: 'completed' });
    expect(await scene(lost).store.renew(lease, at)).toEqual({ kind: 'lost', reason: 'taken-over' });
    expect(await scene(lost).store.complete(lease, { result: 1 })).toEqual({
      kind: 'lost',
      reason: 'taken-over',
    });
    expect(await thrownBy(scene(full).store.joinLine('x', { id: 'i', deadline: 5 }))).toMatchObject({
      ...{ name: 'LineFullError', lockName: 'x' },
    });
  });

  it('C09 is unknown where an earlier attempt of it may have done it', async () => {
    const unknown = { name: 'StoreError', retryable: false, mayHaveApplied: true, lockName: 'x' };
    const twice = { ...lost, attempts: 2 };
    expect(await thrownBy(scene(twice).store.complete(lease, { result: 1 }))).toMatchObject(unknown);
    expect(await thrownBy(scene({ released: false, attempts: 2 }).store.release(lease))).toMatchObject(
      unknown,
    );
    // A renewal ends nothing, and a lease that was broken was not ended by an attempt.
    expect(await scene(twice).store.renew(lease, at)).toMatchObject({ kind: 'lost' });
    expect(
      await scene({ released: false, reason: 'broken', attempts: 2 }).store.release(lease),
    ).toMatchObject({
      reason: 'broken',
    });
  });

  it.each<[string, (store: ServiceStore) => Promise<unknown>, object, boolean]>([
    ['a grant', (store) => store.grant(grant), full, true],
    ['going on', (store) => store.resume({ ...grant, from: { leaseId: 'l', token: 6 } }), held, true],
    ['a renewal', (store) => store.renew(lease, at), held, true],
    ['a release', (store) => store.release(lease), held, true],
    ['a completion', (store) => store.complete(lease, { result: 1 }), done, true],
    ['a break', (store) => store.break(lease), held, true],
    ['a place in line', (store) => store.joinLine('x', { id: 'i', deadline: 5 }), held, true],
    ['to leave the line', (store) => store.leaveLine('x', { id: 'i' }), held, true],
    ['a read', (store) => store.read('x'), held, false],
    ['the line', (store) => store.readLine('x'), held, false],
  ])('is no answer of what can’t end so: %s', async (_, ask, answer, mayHaveApplied) => {
    expect(await thrownBy(ask(scene(answer).store))).toMatchObject({
      ...{ name: 'StoreError', retryable: false, mayHaveApplied, lockName: 'x' },
      message: 'What "leasehold" answered is no answer of a lock service',
    });
  });

  it('C07 the table’s own failure: whether a write may have been done is told as the service tells it', async () => {
    const down = (error: object, attempts = 1) =>
      scene({ ...failure({ name: 'StoreError', code: 'STORE_ERROR', ...error }), attempts }).store;
    const told = async (store: ServiceStore, isRead = false) => {
      const work = isRead ? store.read('x') : store.renew(lease, at);
      const { retryable, mayHaveApplied, message } = (await thrownBy(work)) as Record<string, unknown>;
      expect(message).toBe('m');
      return { retryable, mayHaveApplied };
    };
    expect(await told(down({ retryable: true, mayHaveApplied: false }))).toEqual({
      retryable: true,
      mayHaveApplied: false,
    });
    expect(await told(down({ retryable: false, mayHaveApplied: true }))).toEqual({
      retryable: false,
      mayHaveApplied: true,
    });
    expect(await told(down({}))).toEqual({ retryable: false, mayHaveApplied: true });
    expect(await told(down({ mayHaveApplied: false }, 2))).toEqual({
      retryable: false,
      mayHaveApplied: true,
    });
    expect(await told(down({ mayHaveApplied: true }, 2), true)).toEqual({
      retryable: false,
      mayHaveApplied: false,
    });
  });

  it('what can’t be right is the caller’s, with its code and its lock', async () => {
    const error = failure({ name: 'UsageError', code: 'NOT_ALLOWED', lockName: 'x' });
    expect(await thrownBy(scene(error).store.read('x'))).toMatchObject({
      ...{ name: 'UsageError', code: 'NOT_ALLOWED', lockName: 'x', message: 'm' },
    });
  });
});

describe('a request', () => {
  it.each([
    { payload: 'no JSON' },
    { ok: true, lock: null, now: undefined },
    { ok: 'yes', lock: null },
    { ok: false, error: { name: 'TypeError', message: 'm' } },
    { ok: undefined, error: { name: 'UsageError', code: 'USAGE', message: 'm' } },
  ])('that is answered by what is no answer fails for good: %j', async (answer) => {
    expect(await thrownBy(scene(answer).store.read('x'))).toMatchObject({
      name: 'StoreError',
      retryable: false,
    });
  });

  it('whose function failed may have been carried out', async () => {
    const { store } = scene({
      failed: true,
      payload: '{"errorType":"Runtime.ExitError","errorMessage":"oops"}',
    });
    expect(await thrownBy(store.renew(lease, at))).toMatchObject({
      ...{ name: 'StoreError', retryable: true, mayHaveApplied: true, lockName: 'x' },
      message: expect.stringContaining('Runtime.ExitError: oops'),
    });
    expect(await thrownBy(store.read('x'))).toMatchObject({ mayHaveApplied: false });
  });

  it('teaches the clock what time it was when it was sent, also where it is refused', async () => {
    for (const answer of [{ lock: null }, failure({ name: 'UsageError', code: 'USAGE' })]) {
      const { store, clock } = scene({ ...answer, now });
      expect(clock.isSet).toBe(false);
      await thrownBy(store.read('x'));
      const { earliest, latest } = clock.now();
      expect(earliest).toBeGreaterThanOrEqual(at - 1);
      expect(latest).toBeLessThanOrEqual(at + 20);
    }
    const untold = scene({ ...failure({ name: 'UsageError', code: 'USAGE' }), now: undefined });
    await thrownBy(untold.store.read('x'));
    expect(untold.clock.isSet).toBe(false);
  });

  it('whose answer is slow proves the less: the time that it took may have passed since', async () => {
    let answer!: (reply: object) => void;
    const slow = new Promise<object>((resolve) => {
      answer = resolve;
    });
    const { store, clock, runtime } = scene(() => slow);
    const read = store.read('x');
    await runtime.pass(700);
    answer({ lock: null });
    await read;
    expect(clock.now().earliest).toBe(now.earliest);
    expect(clock.now().latest).toBeGreaterThanOrEqual(now.latest + 700);
  });

  it('C20 that is not answered ends by itself', async () => {
    const { store, runtime, signals } = scene(() => new Promise(() => {}));
    const renewal = thrownBy(store.renew(lease, at));
    await runtime.pass(2_999);
    expect(signals[0]!.aborted).toBe(false);
    await runtime.pass(2);
    expect(await renewal).toMatchObject({
      name: 'StoreError',
      retryable: true,
      mayHaveApplied: true,
      lockName: 'x',
    });
    expect(signals[0]!.aborted).toBe(true);
  });

  const grant = { name: 'x', leaseId: 'mine', owner: 'o', leaseMs: 30_000, spareMs: 0 };
  it.each<[string, (store: ServiceStore, signal: AbortSignal) => Promise<unknown>]>([
    ['a grant', (store, signal) => store.grant(grant, signal)],
    ['going on', (store, signal) => store.resume({ ...grant, from: { leaseId: 'l', token: 6 } }, signal)],
    ['a renewal', (store, signal) => store.renew(lease, at, undefined, signal)],
    ['a release', (store, signal) => store.release(lease, undefined, signal)],
    ['a completion', (store, signal) => store.complete(lease, { result: 1 }, signal)],
    ['a break', (store, signal) => store.break(lease, signal)],
    ['to ask to let go', (store, signal) => store.requestRelease({ name: 'x', token: 7 }, '', signal)],
    ['the line', (store, signal) => store.readLine('x', signal)],
    ['a place in line', (store, signal) => store.joinLine('x', { id: 'i', deadline: 5 }, signal)],
    ['to leave the line', (store, signal) => store.leaveLine('x', { id: 'i' }, signal)],
    ['to take a completion back', (store, signal) => store.reopen('x', 5, signal)],
    ['to take back what is found', (store, signal) => store.reopen('x', undefined, signal)],
    ['a read', (store, signal) => store.read('x', undefined, signal)],
    ['many reads', (store, signal) => store.readMany(['x'], signal)],
    ['a list', (store, signal) => store.list(undefined, signal)[Symbol.asyncIterator]().next()],
  ])('C17 is given up with its caller’s signal: %s', async (_, ask) => {
    const stop = new AbortController();
    const { store, signals } = scene(() => new Promise(() => {}));
    const asked = thrownBy(ask(store, stop.signal));
    await new Promise(setImmediate);
    stop.abort(new Error('enough'));
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await asked).toMatchObject({ name: 'StoreError' });
  });

  it('C17 that its caller gives up is unknown, whatever the reason: one of our own says nothing of this request', async () => {
    const { StoreError } = await import('../../../lib/errors/index.js');
    const reason = new StoreError('of another lease', 'y', { retryable: false, mayHaveApplied: false });
    const stop = new AbortController();
    const { store } = scene(() => new Promise(() => {}));
    const renewal = thrownBy(store.renew(lease, at, undefined, stop.signal));
    await new Promise(setImmediate);
    stop.abort(reason);
    expect(await renewal).toMatchObject({ name: 'StoreError', lockName: 'x', mayHaveApplied: true });
  });

  it('whose way is broken fails as the way says', async () => {
    const error = Object.assign(new Error('nobody there'), { name: 'ResourceNotFoundException' });
    const { store } = scene(() => Promise.reject(error));
    expect(await thrownBy(store.renew(lease, at))).toMatchObject({
      ...{ name: 'StoreError', retryable: false, mayHaveApplied: false, cause: error },
      message: expect.stringContaining('Lock service "leasehold"'),
    });
  });
});
