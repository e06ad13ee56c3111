import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../lib/errors/index.js';
import { leaseFormat } from '../../../lib/lease/index.js';
import { failure, successes } from '../../../lib/service/answers.js';
import {
  createLockService,
  type ExecutionState,
  endExecution,
  isStatusChange,
  type LockServiceOptions,
} from '../../../lib/service/index.js';
import { VirtualWorld } from '../../bench/virtual-world.js';
import '../../simulation/run/loaded.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';
import { rightRequests } from '../../support/service/in-process.js';

usePlainAbort();

/** An answer, looked at loosely. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Answer = any;
type Attributes = Readonly<Record<string, number | string>>;

const dayMs = 86_400_000;
const execution = 'arn:aws:states:eu-central-1:123456789012:execution:settle:run-1';
const key = 'a-secret-of-sixteen';

/** An answer has what the JSON interface says of it, and nothing else. */
function checkDocumented(request: object, answer: Answer): void {
  const { operation } = (request ?? {}) as { readonly operation?: keyof typeof successes };
  const schema = answer.ok ? successes[operation!] : failure;
  // What a schema does not know is left out.
  expect(v.parse(schema, answer)).toEqual(answer);
}

/** The service over a table in memory, asked directly. */
function scene(options: Partial<LockServiceOptions> & { readonly state?: ExecutionState } = {}) {
  const world = new VirtualWorld(1);
  const { context } = world.locks(world.process('service'));
  const asked: string[] = [];
  const { state, ...own } = options;
  const executions = {
    findState: async (arn: string) => {
      asked.push(arn);
      return state!;
    },
  };
  const service = createLockService({ context, ...(state && { executions }), ...own });
  const { signal } = new AbortController();
  const ask = async (request: object): Promise<Answer> => {
    const answer = await world.until(service.answer(request, signal));
    checkDocumented(request, answer);
    return answer;
  };
  const put = (name: string, item: Attributes) => {
    const values = Object.entries({ format: leaseFormat, version: 7, ...item }).map(([attribute, value]) => [
      attribute,
      typeof value === 'number' ? { N: String(value) } : { S: value },
    ]);
    world.items.set(name, { name: { S: name }, ...Object.fromEntries(values) });
  };
  const acquire = (more: object = {}) =>
    ask({
      operation: 'acquire',
      name: 'x',
      leaseId: 'lease-id-1',
      owner: 'worker',
      leaseMs: 30_000,
      ...more,
    });
  return { world, service, ask, put, acquire, asked };
}

const now = { earliest: expect.any(Number), latest: expect.any(Number) };
const refused = (message: RegExp, code = 'USAGE') => ({
  ok: false,
  error: { name: 'UsageError', code, message: expect.stringMatching(message) },
});

/** All events of these channels while the work goes on. */
async function eventsOf(channels: readonly string[], work: () => Promise<unknown>): Promise<object[]> {
  const told: object[] = [];
  const listeners = channels.map((channel) => {
    const listener = (event: unknown) => told.push({ channel, ...(event as object) });
    subscribe(`leasehold:${channel}`, listener);
    return () => unsubscribe(`leasehold:${channel}`, listener);
  });
  await work();
  for (const leave of listeners) leave();
  return told;
}

describe('a field of a request may be, to the last one', () => {
  const held = { name: 'x', leaseId: 'lease-id-1' };
  const acquire = { operation: 'acquire', ...held, owner: 'worker', leaseMs: 30_000 };
  const renew = { operation: 'renew', ...held, token: 1, leaseMs: 30_000 };
  const { leaseMs: _, ...renewTo } = renew;
  const release = { operation: 'release', ...held, token: 1 };
  const complete = { operation: 'complete', ...held, token: 1, result: 1 };
  const resume = {
    ...{ operation: 'resume', ...held, owner: 'worker', leaseMs: 30_000 },
    ...{ fromLeaseId: 'l', fromToken: 1 },
  };
  const join = { operation: 'joinLine', name: 'x', ticketId: 'ticket-1', deadline: 1_900_000_000_000 };
  const ask = { operation: 'requestRelease', name: 'x', token: 1 };
  const list = { operation: 'list' };
  const visible = (length: number) => '!'.repeat(length);
  const year = 366 * dayMs;
  const safe = Number.MAX_SAFE_INTEGER;

  it.each<[object, string, readonly unknown[], readonly unknown[]]>([
    [acquire, 'name', ['n', 'ü'.repeat(512)], ['', 'ü'.repeat(513), 'a\u0000', '\ud800', 7]],
    [acquire, 'group', ['g'], ['', 7]],
    [acquire, 'leaseId', [visible(8), visible(64)], [visible(7), visible(65), 'with a blank', 7]],
    [acquire, 'owner', ['o', 'ü'.repeat(128)], ['', 'ü'.repeat(129), '\ud800', 7]],
    [acquire, 'leaseMs', [1_000, 900_000], [999, 900_001, 1_000.5, '1000']],
    [acquire, 'lockDelayMs', [0, year], [-1, year + 1, 0.5]],
    [acquire, 'ownerKey', [visible(16), visible(128)], [visible(15), visible(129), 7]],
    [{ ...acquire, ownerKey: key }, 'supersedes', [1, safe], [0, safe + 1, 1.5]],
    [acquire, 'execution', [execution], ['arn:aws:states:x', `${execution}${'x'.repeat(256)}`, 7]],
    [acquire, 'throw', [false], ['true', 1]],
    [resume, 'fromLeaseId', [visible(1), visible(64)], ['', visible(65)]],
    [resume, 'fromToken', [1], [0, safe + 1]],
    [renew, 'token', [1, safe], [0, safe + 1, '1']],
    [renew, 'leaseMs', [1_000, 900_000], [999, 900_001]],
    [renewTo, 'expiresAt', [1, 1_000_000], [0, 1.5]],
    [release, 'minHoldMs', [0, year], [-1, year + 1]],
    [release, 'retries', [0, 5], [-1, 0.5]],
    [release, 'clearCheckpoint', [true], [false, 1]],
    [complete, 'retainMs', [dayMs, 10 * year], [dayMs - 1, 10 * year + 1]],
    [list, 'limit', [1, 1_000], [0, 1_001, 1.5]],
    [list, 'cursor', ['c'], ['']],
    [
      { operation: 'readMany' },
      'names',
      [['a'], Array.from({ length: 100 }, (_, i) => `${i}`)],
      [[], Array.from({ length: 101 }, (_, i) => `${i}`), ['']],
    ],
    [ask, 'reason', ['', 'ü'.repeat(128)], ['ü'.repeat(129), '\ud800', 7]],
    [join, 'ticketId', [visible(8), visible(64)], [visible(7), visible(65)]],
    [join, 'deadline', [1, 8_640_000_000_000_000], [0, 8_640_000_000_000_001]],
    [{ operation: 'reopen', name: 'x' }, 'completedAt', [1, safe], [0, 1.5]],
  ])('%j: %s', async (request, field, right, wrong) => {
    for (const value of right) {
      const { ask: send } = scene({ operations: 'operate', state: 'running' });
      const answer = await send({ ...request, [field]: value });
      expect([field, value, answer.error?.code]).not.toContain('USAGE');
    }
    for (const value of wrong) {
      const { ask: send, world } = scene({ operations: 'operate' });
      expect(await send({ ...request, [field]: value })).toMatchObject(
        refused(new RegExp(`^${field}: must be `)),
      );
      expect(world.writes + world.reads).toBe(0);
    }
  });

  it('a text and no object, an operation that is none, a field that is not one of its own', async () => {
    const { ask: send } = scene();
    for (const request of [7, null, 'text', []])
      expect(await send(request as never)).toMatchObject(refused(/^request: must be a JSON object/));
    for (const operation of [undefined, 'steal', 'constructor', 7])
      expect(await send({ operation })).toMatchObject(
        refused(/^operation: must be one of acquire, resume, renew/),
      );
    expect(await send({ ...acquire, token: 1 })).toEqual({
      ok: false,
      error: {
        ...{ name: 'UsageError', code: 'USAGE', lockName: 'x' },
        message: expect.stringMatching(/^acquire: takes operation, name, leaseId,.*; got "token"$/),
      },
    });
    expect(await send({ ...acquire, name: '', constructor: 1 })).toMatchObject(refused(/got "constructor"$/));
  });

  it.each<[object, RegExp]>([
    [{ operation: 'acquire', ...held, leaseMs: 30_000 }, /^owner: must be given/],
    [{ ...acquire, supersedes: 7 }, /^ownerKey: /],
    [{ operation: 'requestRelease', name: 'x' }, /^token: must be given, or leaseId/],
    [renewTo, /^renew: takes either expiresAt or leaseMs/],
    [{ ...renew, expiresAt: 7 }, /^renew: takes either expiresAt or leaseMs/],
    [{ ...renew, checkpoint: 1 }, /^expiresAt: must be given with a checkpoint/],
    [{ ...renew, clearCheckpoint: true }, /^expiresAt: must be given with a checkpoint/],
    [
      { ...renewTo, expiresAt: 7, checkpoint: 1, clearCheckpoint: true },
      /^checkpoint: must not come together/,
    ],
    [{ ...release, checkpoint: 1, clearCheckpoint: true }, /^checkpoint: must not come together/],
  ])('fields that do not go together: %j', async (request, message) => {
    const { ask: send, world } = scene();
    expect(await send(request)).toMatchObject(refused(message));
    expect(world.writes + world.reads).toBe(0);
  });
});

describe('who may ask for what', () => {
  const options = { names: ['one', 'many/*'], groups: ['nightly'] };
  const lease = { leaseId: 'lease-id-1', leaseMs: 30_000, owner: 'worker' };

  it.each(['one', 'many/', 'many/x'])('the name %s is this deployment’s', async (name) => {
    expect(await scene(options).ask({ operation: 'acquire', name, ...lease })).toMatchObject({ ok: true });
  });

  it.each(['one/x', 'on', 'many', 'x', 'execution/arn:aws:states:x'])('the name %s is not', async (name) => {
    const answer = refused(
      /^name: ".*" is not among the names that this service is deployed for$/,
      'NOT_ALLOWED',
    );
    for (const request of [
      { operation: 'acquire', name, ...lease },
      { operation: 'inspect', name },
      { operation: 'readMany', names: ['one', name] },
    ]) {
      const { ask, world } = scene(options);
      expect(await ask(request)).toMatchObject(answer);
      expect(world.writes + world.reads).toBe(0);
    }
  });

  it('a group of others is not, nor one of the service’s own', async () => {
    const acquire = { operation: 'acquire', name: 'one', ...lease };
    expect(await scene(options).ask({ ...acquire, group: 'nightly' })).toMatchObject({ ok: true });
    for (const group of ['one', 'other'])
      expect(await scene(options).ask({ ...acquire, group })).toMatchObject(
        refused(/^group: /, 'NOT_ALLOWED'),
      );
    expect(await scene().ask({ ...acquire, group: 'execution/x' })).toMatchObject(
      refused(/^group: /, 'NOT_ALLOWED'),
    );
    expect(await scene({ names: ['one'] }).ask({ ...acquire, group: 'one' })).toMatchObject({ ok: true });
    expect(await scene({ names: ['one'] }).ask({ ...acquire, group: 'x' })).toMatchObject(
      refused(/^group: /, 'NOT_ALLOWED'),
    );
  });

  it.each([
    { operation: 'break', name: 'x', leaseId: 'lease-id-1' },
    { operation: 'reopen', name: 'x' },
  ])('operators alone: %j', async (request) => {
    const answer = await scene().ask(request);
    expect(answer).toMatchObject(refused(/is for the operators’ function$/, 'NOT_ALLOWED'));
    expect(answer.error.lockName).toBe('x');
    expect(await scene({ operations: 'operate' }).ask(request)).toMatchObject({ ok: true });
  });

  it.each([[''], ['*x'], ['a*b*'], ['**']])('a pattern %j is none', (pattern) => {
    expect(() => scene({ names: [pattern] })).toThrow(
      /^names: a pattern must be a name, or end in its only \*/,
    );
  });

  it('*: all names', async () => {
    expect(await scene({ names: ['*'] }).ask({ operation: 'inspect', name: 'x' })).toMatchObject({
      ok: true,
    });
  });
});

describe('an acquire', () => {
  it('is answered by what was granted, and told', async () => {
    const { acquire } = scene();
    let answer: Answer;
    const told = await eventsOf(['granted', 'held'], async () => {
      answer = await acquire();
    });
    const { token, expiresAt, acquiredAt } = answer.granted;
    expect(answer).toEqual({
      ok: true,
      granted: {
        ...{ name: 'x', token, leaseId: 'lease-id-1', owner: 'worker', acquiredAt, expiresAt },
        ...{ remainingMs: expiresAt - answer.now.latest, adopted: false },
      },
      now,
    });
    expect(answer.now.earliest).toBeLessThanOrEqual(answer.now.latest);
    expect(told).toEqual([
      {
        ...{ channel: 'granted', name: 'x', owner: 'worker', token, leaseId: 'lease-id-1' },
        ...{ waitedMs: 0, takenOverFrom: undefined, adopted: false },
      },
    ]);
  });

  it('I1 that comes again is answered by the same grant', async () => {
    const { acquire } = scene();
    const { granted } = await acquire();
    expect((await acquire()).granted).toMatchObject({ token: granted.token, adopted: true });
  });

  it('brings the checkpoint, and from whom it was taken over; the id of that lease to operators only', async () => {
    for (const operations of ['use', 'operate'] as const) {
      const { world, put, acquire } = scene({ operations });
      put('x', { leaseId: 'gone', owner: 'before', expiresAt: world.nowMs - 60_000, checkpoint: 'page 9' });
      const leaseId = operations === 'operate' ? { leaseId: 'gone' } : {};
      expect((await acquire()).granted).toMatchObject({ checkpoint: 'page 9' });
      put('y', { leaseId: 'gone', owner: 'before', expiresAt: world.nowMs - 60_000 });
      const { takenOverFrom } = (await acquire({ name: 'y' })).granted;
      expect(takenOverFrom).toEqual({ owner: 'before', token: 7, ...leaseId });
    }
  });

  it('of a lock that somebody has is refused, with what is known of them; the id of the lease to operators only', async () => {
    for (const operations of ['use', 'operate'] as const) {
      const { world, put, acquire } = scene({ operations });
      const expiresAt = Math.ceil(world.nowMs) + 60_000;
      put('x', { leaseId: 'theirs', owner: 'somebody', acquiredAt: 5, expiresAt });
      let answer: Answer;
      const told = await eventsOf(['held'], async () => {
        answer = await acquire();
      });
      const holder = {
        ...{ owner: 'somebody', token: 7, acquiredAt: 5, expiresAt, remainingMs: expect.any(Number) },
        ...(operations === 'operate' && { leaseId: 'theirs' }),
      };
      expect(answer).toEqual({
        ok: false,
        error: {
          ...{ name: 'LockHeldError', code: 'LOCK_HELD', lockName: 'x', holder },
          message: expect.stringMatching(/^Lock "x" is held by somebody \(token 7, \d+ ms left\)$/),
        },
        now,
      });
      expect(told).toEqual([
        { channel: 'held', name: 'x', owner: 'worker', holder: { ...holder, leaseId: 'theirs' } },
      ]);
    }
  });

  it('of a lock that somebody has who did not say who, or since when, is refused so', async () => {
    const { world, put, acquire } = scene();
    put('x', { leaseId: 'theirs', expiresAt: Math.ceil(world.nowMs) + 60_000 });
    expect((await acquire()).error).toMatchObject({
      ...{ name: 'LockHeldError', holder: { owner: 'unknown', token: 7, acquiredAt: 0 } },
    });
  });

  it('of a lock that is free, but not yet, is told from when on', async () => {
    const { world, put, acquire } = scene();
    const freeFrom = world.nowMs + 60_000;
    put('x', { lastLeaseId: 'theirs', freeFrom });
    const { error } = await acquire();
    expect(error).toEqual({
      ...{ name: 'LockHeldError', code: 'LOCK_HELD', lockName: 'x', freeFrom },
      message: `Lock "x" is free, but not before ${new Date(freeFrom).toISOString()}`,
    });
  });

  it('I7 of finished work is answered by its result', async () => {
    const { put, acquire } = scene();
    put('x', { completedAt: 1_900_000_000_000, result: 'all' });
    expect((await acquire()).error).toEqual({
      ...{ name: 'AlreadyCompletedError', code: 'ALREADY_COMPLETED', lockName: 'x', token: 7 },
      ...{ completedAt: 1_900_000_000_000, result: 'all', message: expect.stringContaining('"x"') },
    });
    put('x', { completedAt: 1_900_000_000_000 });
    expect((await acquire()).error).not.toHaveProperty('result');
  });

  it('I2 C09 whose lease is over is granted no more under its id', async () => {
    const { world, ask, acquire } = scene();
    const { granted } = await acquire();
    await world.until(world.loop.sleep(30_000));
    expect((await acquire()).error).toEqual({
      ...{ name: 'LockLostError', code: 'LOCK_LOST', lockName: 'x', reason: 'expired' },
      message: 'The lease of this acquire of "x" has run out: a new leaseId is needed',
    });
    await ask({ operation: 'release', name: 'x', leaseId: 'lease-id-1', token: granted.token });
    expect((await acquire()).error).toEqual({
      ...{ name: 'LockLostError', code: 'LOCK_LOST', lockName: 'x', reason: 'broken' },
      message: 'The lease of this acquire of "x" was already released or broken: a new leaseId is needed',
    });
  });

  it('D39 takes over an earlier lease of the same owner: by its token and its key, and by nothing else', async () => {
    const { acquire } = scene();
    const { granted } = await acquire({ ownerKey: key });
    const again = { leaseId: 'lease-id-2', ownerKey: key, supersedes: granted.token };
    for (const wrong of [
      { owner: 'another' },
      { supersedes: granted.token - 1 },
      { ownerKey: 'another-secret-of-sixteen' },
    ])
      expect(await acquire({ ...again, ...wrong })).toMatchObject({ error: { name: 'LockHeldError' } });
    const taken = (await acquire(again)).granted;
    expect(taken.token).toBeGreaterThan(granted.token);
    expect(taken.takenOverFrom).toMatchObject({ owner: 'worker', token: granted.token });
  });

  it('of an execution is held in its name, in its group, and longer than others may', async () => {
    const { world, acquire, ask, asked } = scene({ state: 'running' });
    const own = { owner: undefined, execution };
    const { granted } = await acquire({ ...own, leaseMs: 7 * dayMs });
    expect(granted).toMatchObject({ owner: execution });
    expect(asked).toEqual([execution]);
    expect(world.items.get('x')).toMatchObject({ group: { S: `execution/${execution}` } });
    expect((await ask({ operation: 'inspect', name: 'x' })).lock).toMatchObject({ execution });
    const { error } = await acquire({ leaseId: 'lease-id-2' });
    expect(error.holder).toMatchObject({ execution });
    expect(await scene().acquire({ leaseMs: 900_001 })).toMatchObject(
      refused(/^leaseMs: must be at most 900000 in this deployment; got 900001/),
    );
  });

  it.each<[ExecutionState, object]>([
    ['ended', { name: 'UsageError', message: expect.stringContaining(`since ${execution} has ended`) }],
    [
      'unknown',
      { name: 'UsageError', message: expect.stringContaining(`can't ask Step Functions about ${execution}`) },
    ],
    [
      'missing',
      {
        name: 'StoreError',
        retryable: true,
        mayHaveApplied: false,
        message: expect.stringContaining('does not know it, or not yet'),
      },
    ],
    [
      'unreachable',
      {
        name: 'StoreError',
        retryable: true,
        mayHaveApplied: false,
        message: expect.stringContaining('could not be asked'),
      },
    ],
  ])('D40 of an execution that is %s is not longer than others’', async (state, error) => {
    const { acquire, world } = scene({ state });
    expect((await acquire({ execution, leaseMs: 900_001 })).error).toMatchObject({ ...error, lockName: 'x' });
    expect(world.writes).toBe(0);
    expect(await acquire({ execution, leaseMs: 900_000 })).toMatchObject({ ok: true });
  });

  it.each<[ExecutionState, boolean]>([
    ['ended', true],
    ['running', false],
    ['unknown', false],
    ['unreachable', false],
    ['missing', false],
  ])('of what an execution holds that is %s, granted just now: taken at once is %j', async (state, taken) => {
    const { world, put, acquire } = scene({ state });
    const lease = {
      leaseId: 'theirs',
      owner: 'o',
      expiresAt: world.nowMs + 600_000,
      acquiredAt: world.nowMs,
    };
    put('x', { ...lease, execution, executionLease: 'theirs' });
    expect((await acquire()).ok).toBe(taken);
    // The mark of an earlier lease says nothing of this one.
    put('y', { ...lease, execution, executionLease: 'earlier' });
    expect((await acquire({ name: 'y' })).ok).toBe(false);
  });

  it('C30 may yet be granted where its first request may arrive late, whatever becomes of its second', async () => {
    const answerTo = async (second: 'refused' | 'failed') => {
      const { world, put, acquire, service } = scene({ state: 'ended' });
      const theirs = { owner: 'o', expiresAt: world.nowMs + 600_000, acquiredAt: world.nowMs };
      put('x', { ...theirs, leaseId: 'theirs', execution, executionLease: 'theirs' });
      const { store } = service.host.context;
      const { grant } = store;
      let writes = 0;
      const moving: typeof grant = async (...asked) => {
        if (++writes > 1 && second === 'failed')
          throw new StoreError('no', 'x', { retryable: true, mayHaveApplied: false });
        const outcome = await grant(...asked);
        // Somebody else is quicker than the second one.
        put('x', { ...theirs, leaseId: 'quicker', version: 8 });
        return writes === 1 ? ({ ...outcome, mayArriveLate: true } as typeof outcome) : outcome;
      };
      Object.assign(store, { grant: moving });
      const { error } = await acquire();
      expect(writes).toBe(2);
      return error;
    };
    expect(await answerTo('refused')).toMatchObject({ name: 'LockHeldError', mayArriveLate: true });
    expect(await answerTo('failed')).toMatchObject({ name: 'StoreError', mayHaveApplied: true });
  });

  it('of what an execution holds that Step Functions has forgotten: taken once five minutes old', async () => {
    const { world, put, acquire } = scene({ state: 'missing' });
    const lease = {
      leaseId: 'theirs',
      owner: 'o',
      expiresAt: world.nowMs + 900_000,
      execution,
      executionLease: 'theirs',
    };
    put('x', { ...lease, acquiredAt: world.nowMs - 300_000 });
    expect((await acquire()).ok).toBe(false);
    put('x', { ...lease, acquiredAt: world.nowMs - 302_000 });
    expect((await acquire()).ok).toBe(true);
  });

  it('waits for a lease that ran out as much longer as it says', async () => {
    const { world, put, acquire } = scene();
    put('x', { leaseId: 'theirs', owner: 'o', expiresAt: world.nowMs - 30_000 });
    expect((await acquire({ lockDelayMs: 60_000 })).error).toMatchObject({ name: 'LockHeldError' });
    expect((await acquire({ lockDelayMs: 20_000 })).ok).toBe(true);
  });
});

describe('a holder', () => {
  async function held(options: Parameters<typeof scene>[0] = {}, more: object = {}) {
    const own = scene(options);
    const { granted } = await own.acquire(more);
    const lease = { name: 'x', leaseId: 'lease-id-1', token: granted.token };
    return { ...own, granted, lease };
  }
  const event = (channel: string, lease: object) => ({ channel, owner: 'unknown', ...lease });

  it('I2 says no length in what it grants, goes on with or renews: who asked counts by what it likes, and nobody watches it', async () => {
    const { world, put, ask } = await held();
    expect(world.items.get('x')).toMatchObject({ leaseMs: { N: '0' } });
    // Granted by a client with a table, which counts it itself.
    const leaseId = 'lease-id-2';
    put('own', { leaseId, owner: 'o', expiresAt: world.nowMs + 20_000, leaseMs: 20_000, renewals: 0 });
    const token = Number(world.items.get('own')!.version!.N);
    await ask({ operation: 'renew', name: 'own', leaseId, token, leaseMs: 600_000 });
    expect(world.items.get('own')).toMatchObject({ leaseMs: { N: '0' } });
    const from = { fromLeaseId: leaseId, fromToken: token };
    await ask({
      operation: 'resume',
      name: 'own',
      leaseId: 'the-next-one',
      leaseMs: 30_000,
      owner: 'o',
      ...from,
    });
    expect(world.items.get('own')).toMatchObject({ leaseId: { S: 'the-next-one' }, leaseMs: { N: '0' } });
  });

  it('renews by a length or to an end, is told what was asked of it, and that is an event', async () => {
    const { world, ask, lease, granted } = await held();
    await world.until(world.loop.sleep(5_000));
    let answer: Answer;
    const told = await eventsOf(['renewed'], async () => {
      answer = await ask({ operation: 'renew', ...lease, leaseMs: 30_000 });
    });
    const { expiresAt } = answer.renewed;
    expect(expiresAt).toBeGreaterThan(granted.expiresAt);
    expect(answer).toEqual({
      ok: true,
      renewed: { expiresAt, remainingMs: expiresAt - answer.now.latest },
      now,
    });
    expect(told).toEqual([{ ...event('renewed', lease), expiresAt }]);
    await ask({ operation: 'requestRelease', name: 'x', token: lease.token, reason: 'deploy' });
    const later = await ask({
      operation: 'renew',
      ...lease,
      expiresAt: expiresAt + 1_000,
      checkpoint: { page: 9 },
    });
    expect(later.renewed).toMatchObject({ expiresAt: expiresAt + 1_000, releaseRequested: 'deploy' });
    expect((await ask({ operation: 'inspect', name: 'x' })).lock).toMatchObject({ checkpoint: { page: 9 } });
    await ask({ operation: 'renew', ...lease, expiresAt: expiresAt + 2_000, clearCheckpoint: true });
    expect((await ask({ operation: 'inspect', name: 'x' })).lock).not.toHaveProperty('checkpoint');
  });

  it('renews no further than the deployment allows, an end a minute ahead of its time aside', async () => {
    const { ask, lease } = await held();
    const { now: at } = await ask({ operation: 'inspect', name: 'x' });
    const renew = (expiresAt: number) => ask({ operation: 'renew', ...lease, expiresAt });
    expect(await renew(at.latest + 900_000 + 55_000)).toMatchObject({ ok: true });
    const answer = await renew(at.latest + 900_000 + 65_000);
    expect(answer).toMatchObject(
      refused(/^expiresAt: must be at most \d+, 900000 ms from now, in this deployment; got \d+/),
    );
    expect(answer.error.lockName).toBe('x');
    expect(await ask({ operation: 'renew', ...lease, leaseMs: 900_001 })).toMatchObject(
      refused(/^leaseMs: must be at most 900000 in this deployment; got 900001/),
    );
  });

  it('D40 renews further where an execution holds it that runs, to what a date can hold', async () => {
    const { ask, lease, asked } = await held({ state: 'running' }, { execution });
    const { now: at } = await ask({ operation: 'inspect', name: 'x' });
    expect(await ask({ operation: 'renew', ...lease, expiresAt: at.latest + dayMs })).toMatchObject({
      ok: true,
    });
    expect(asked).toEqual([execution]);
    const answer = await ask({ operation: 'renew', ...lease, expiresAt: at.latest + 367 * dayMs });
    expect(answer).toMatchObject(refused(/^expiresAt: must be at most/));
    const other = await ask({
      operation: 'renew',
      ...lease,
      leaseId: 'lease-id-9',
      expiresAt: at.latest + 2 * dayMs,
    });
    expect(other.error).toMatchObject({ name: 'LockLostError' });
  });

  it('gives back, once, and that is an event', async () => {
    const { world, ask, lease } = await held();
    await world.until(world.loop.sleep(5_000));
    const release = () => ask({ operation: 'release', ...lease, checkpoint: 'page 9' });
    let answer: Answer;
    const told = await eventsOf(['released', 'lost'], async () => {
      answer = await release();
    });
    expect(answer).toEqual({ ok: true, released: true, now });
    expect(told).toEqual([{ ...event('released', lease), owner: 'worker', heldMs: expect.any(Number) }]);
    const [{ heldMs }] = told as [{ heldMs: number }];
    expect(heldMs).toBeGreaterThan(3_000);
    expect(heldMs).toBeLessThan(7_000);
    expect(await release()).toEqual({ ok: true, released: true, already: true, now });
    expect((await ask({ operation: 'inspect', name: 'x' })).lock).toMatchObject({
      state: 'free',
      checkpoint: 'page 9',
    });
  });

  it('gives back and takes its checkpoint away', async () => {
    const { ask, lease } = await held();
    await ask({ operation: 'release', ...lease, clearCheckpoint: true });
    expect((await ask({ operation: 'inspect', name: 'x' })).lock).not.toHaveProperty('checkpoint');
  });

  it('keeps the lock from others for its least hold, and no longer than a lease may be', async () => {
    for (const [minHoldMs, most] of [
      [60_000, 60_000],
      [10 * dayMs, 900_000],
    ] as const) {
      const { ask, lease, granted } = await held();
      await ask({ operation: 'release', ...lease, minHoldMs });
      const { freeFrom } = (await ask({ operation: 'inspect', name: 'x' })).lock;
      expect(freeFrom - granted.acquiredAt).toBeGreaterThanOrEqual(most);
      expect(freeFrom - granted.acquiredAt).toBeLessThan(most + 3_000);
    }
    const { ask, lease } = await held();
    await ask({ operation: 'release', ...lease, minHoldMs: 0 });
    expect((await ask({ operation: 'inspect', name: 'x' })).lock).not.toHaveProperty('freeFrom');
  });

  it('I4 whose lease is another’s by now is told so: of a release in its answer, of all else as an error', async () => {
    const { world, put, ask, lease } = await held();
    put('x', { leaseId: 'theirs', owner: 'o', version: lease.token + 1, expiresAt: world.nowMs + 60_000 });
    let answers: Answer[] = [];
    const told = await eventsOf(['lost', 'released', 'renewed', 'completed'], async () => {
      answers = [
        await ask({ operation: 'release', ...lease }),
        await ask({ operation: 'release', name: 'x', leaseId: 'lease-id-1' }),
        await ask({ operation: 'renew', ...lease, leaseMs: 30_000 }),
        await ask({ operation: 'complete', ...lease, result: 1 }),
      ];
    });
    const error = {
      ...{
        name: 'LockLostError',
        code: 'LOCK_LOST',
        lockName: 'x',
        reason: 'taken-over',
        token: lease.token,
      },
      message: `Lost lock "x" (token ${lease.token}): taken-over`,
    };
    expect(answers).toEqual([
      { ok: true, released: false, reason: 'taken-over', now },
      { ok: true, released: false, reason: 'taken-over', now },
      { ok: false, error, now },
      { ok: false, error, now },
    ]);
    // Who names no token gives up a grant that it never heard of.
    const lost = {
      ...event('lost', lease),
      heldMs: 0,
      reason: 'taken-over',
      error: expect.objectContaining({ code: 'LOCK_LOST' }),
    };
    expect(told).toEqual([lost, lost, lost]);
  });

  it('whose end was asked for before finds others there: unknown, and no loss', async () => {
    const { world, put, ask, lease } = await held();
    put('x', { leaseId: 'theirs', owner: 'o', version: lease.token + 1, expiresAt: world.nowMs + 60_000 });
    const told = await eventsOf(['lost'], async () => {
      for (const request of [
        { operation: 'release', ...lease, retries: 1 },
        { operation: 'complete', ...lease, result: 1, retries: 1 },
      ])
        expect((await ask(request)).error).toMatchObject({ name: 'StoreError', mayHaveApplied: true });
      await ask({ operation: 'renew', ...lease, leaseMs: 30_000, retries: 1 });
    });
    expect(told).toEqual([]);
  });

  it('completes, once, keeps the result for as long as it says, and that is an event', async () => {
    const { world, ask, lease } = await held();
    const complete = () => ask({ operation: 'complete', ...lease, result: { sum: 42 }, retainMs: 2 * dayMs });
    let answer: Answer;
    const told = await eventsOf(['completed'], async () => {
      answer = await complete();
    });
    expect(answer).toEqual({ ok: true, completed: true, now });
    expect(told).toEqual([{ ...event('completed', lease), owner: 'worker', heldMs: expect.any(Number) }]);
    expect(await complete()).toEqual({ ok: true, completed: true, now });
    const ttl = Number(world.items.get('x')!.ttl!.N);
    expect(Math.abs(ttl - world.nowMs / 1_000 - 172_800)).toBeLessThan(5);
    expect((await ask({ operation: 'inspect', name: 'x' })).lock).toMatchObject({
      ...{ state: 'completed', result: { sum: 42 }, completedAt: expect.any(Number), remainingMs: 0 },
    });
  });

  it.each(['release', 'complete'])(
    'leaves no mark of its execution or its key behind: %s',
    async (operation) => {
      const { world, ask, lease } = await held({ state: 'running' }, { execution, ownerKey: key });
      expect(world.items.get('x')).toHaveProperty('ownerProof');
      await ask({ operation, ...lease });
      for (const mark of ['execution', 'executionLease', 'ownerProof'])
        expect(world.items.get('x')).not.toHaveProperty(mark);
    },
  );

  it('goes on with a lease that was handed over, once', async () => {
    const { ask, lease } = await held();
    const resume = (more: object = {}) =>
      ask({
        ...{ operation: 'resume', name: 'x', leaseId: 'lease-id-2', leaseMs: 30_000, owner: 'next' },
        ...{ fromLeaseId: lease.leaseId, fromToken: lease.token, ...more },
      });
    expect(await resume({ fromToken: lease.token + 1 })).toMatchObject({ error: { name: 'LockLostError' } });
    const { granted } = await resume();
    expect(granted).toMatchObject({ owner: 'next', leaseId: 'lease-id-2' });
    expect(granted.token).toBeGreaterThan(lease.token);
    await ask({ operation: 'release', name: 'x', leaseId: 'lease-id-2', token: granted.token });
    const late = await resume({ leaseId: 'lease-id-3' });
    expect(late.error).toMatchObject({
      name: 'LockLostError',
      code: 'LOCK_LOST',
      lockName: 'x',
      token: lease.token,
    });
    expect(late.error.message).toContain(`(token ${lease.token})`);
    expect(await resume({ leaseMs: 900_001 })).toMatchObject(refused(/^leaseMs: must be at most 900000/));
  });
});

describe('who looks', () => {
  it('sees a lock, and the id of its lease if it named it, or operates', async () => {
    const item = {
      leaseId: 'lease-id-1',
      owner: 'o',
      acquiredAt: 5,
      group: 'g',
      renewals: 3,
      checkpoint: 'c',
      releaseRequested: 'deploy',
    };
    for (const [options, request, showsId] of [
      [{}, {}, false],
      [{}, { leaseId: 'lease-id-2' }, false],
      [{}, { leaseId: 'lease-id-1' }, true],
      [{ operations: 'operate' }, {}, true],
    ] as const) {
      const { world, put, ask } = scene(options);
      const expiresAt = world.nowMs + 60_000;
      put('x', { ...item, expiresAt });
      const answer = await ask({ operation: 'inspect', name: 'x', ...request });
      const { leaseId, ...shown } = item;
      expect(answer).toEqual({
        ok: true,
        lock: {
          ...{ name: 'x', state: 'held', token: 7, expiresAt, ...shown },
          ...(showsId && { leaseId }),
          remainingMs: expiresAt - answer.now.latest,
        },
        now,
      });
    }
  });

  it('sees that nobody ever had it, and when a lock comes free', async () => {
    const { world, put, ask } = scene();
    expect(await ask({ operation: 'inspect', name: 'x' })).toEqual({ ok: true, lock: null, now });
    const freeFrom = Math.ceil(world.nowMs) + 60_000;
    put('x', { lastLeaseId: 'l', freeFrom });
    const { lock, now: at } = await ask({ operation: 'inspect', name: 'x' });
    expect(lock).toMatchObject({ state: 'free', freeFrom });
    expect(lock.remainingMs).toBe(freeFrom - at.latest);
  });

  it('sees many in the order of their names, without what was written under them', async () => {
    const { put, ask } = scene();
    put('b', { checkpoint: 'c', completedAt: 5, result: 'r' });
    put('a', {});
    const { locks } = await ask({ operation: 'readMany', names: ['b', 'none', 'a'] });
    expect(locks).toEqual([
      { name: 'b', state: 'completed', token: 7, remainingMs: 0, completedAt: 5 },
      null,
      { name: 'a', state: 'free', token: 7, remainingMs: 0 },
    ]);
  });

  it('lists what is this deployment’s and ours, page by page, a hundred a page', async () => {
    const { put, ask } = scene({ names: ['n/*'] });
    const names = Array.from({ length: 130 }, (_, i) => `n/${String(i).padStart(3, '0')}`);
    for (const name of names) put(name, {});
    put('other', {});
    put('n/theirs', { format: 'another' });
    put(`execution/${execution}`, {});
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const answer = await ask({ operation: 'list', ...(cursor !== undefined && { cursor }) });
      expect(answer).toMatchObject({ ok: true, now });
      pages.push(answer.locks.map(({ name }: { name: string }) => name));
      cursor = answer.cursor;
    } while (cursor !== undefined);
    expect(pages.flat().sort()).toEqual(names);
    expect(pages.map(({ length }) => length)).toEqual([100, 30]);
  });

  it('lists no more than a page may have, and none of a group that has none', async () => {
    const { put, ask } = scene();
    for (const name of ['a', 'b', 'c']) put(name, {});
    expect(await ask({ operation: 'list', limit: 2 })).toMatchObject({
      locks: [{}, {}],
      cursor: expect.any(String),
    });
    const whole = await ask({ operation: 'list', limit: 3 });
    expect(whole.locks).toHaveLength(3);
    expect(whole).not.toHaveProperty('cursor');
    expect(await ask({ operation: 'list', group: 'none' })).toEqual({ ok: true, locks: [], now });
  });

  it('asks a holder to let go, tells whether that lease was current, and that is an event', async () => {
    const { ask, acquire } = scene();
    const { granted } = await acquire();
    const request = { operation: 'requestRelease', name: 'x', token: granted.token };
    const told = await eventsOf(['release-asked'], async () => {
      expect(await ask({ ...request, token: granted.token + 1 })).toEqual({ ok: true, asked: false, now });
      expect(await ask({ ...request, leaseId: 'another' })).toEqual({ ok: true, asked: false, now });
      expect(await ask({ ...request, reason: 'deploy' })).toEqual({ ok: true, asked: true, now });
    });
    expect(told).toEqual([
      { channel: 'release-asked', name: 'x', leaseId: undefined, token: granted.token, reason: 'deploy' },
    ]);
    const { leaseId } = granted;
    const byId = await eventsOf(['release-asked'], () =>
      ask({ operation: 'requestRelease', name: 'x', leaseId }),
    );
    expect(byId).toEqual([{ channel: 'release-asked', name: 'x', leaseId, token: undefined, reason: '' }]);
    await ask({ ...request, reason: 'deploy' });
    expect((await ask({ operation: 'inspect', name: 'x' })).lock.releaseRequested).toBe('deploy');
    await ask(request);
    expect((await ask({ operation: 'inspect', name: 'x' })).lock.releaseRequested).toBe('');
  });

  it('stands in line, first come first, until it leaves', async () => {
    const { world, ask } = scene();
    const deadline = Math.ceil(world.nowMs) + 60_000;
    const ticket = (id: string) => ({ name: 'x', ticketId: id });
    for (const id of ['ticket-1', 'ticket-2', 'ticket-1'])
      expect(await ask({ operation: 'joinLine', ...ticket(id), deadline })).toEqual({
        ok: true,
        joined: true,
        now,
      });
    const line = () => ask({ operation: 'line', name: 'x' });
    expect(await line()).toEqual({
      ok: true,
      tickets: [
        { id: 'ticket-1', deadline },
        { id: 'ticket-2', deadline },
      ],
      now,
    });
    expect(await ask({ operation: 'leaveLine', ...ticket('ticket-1') })).toEqual({
      ok: true,
      left: true,
      now,
    });
    expect((await line()).tickets).toEqual([{ id: 'ticket-2', deadline }]);
  });

  it('I4 D42 an operator breaks and reopens exactly what was shown', async () => {
    const { put, ask, acquire } = scene({ operations: 'operate' });
    await acquire();
    const broken = (leaseId: string) => ask({ operation: 'break', name: 'x', leaseId });
    expect(await broken('lease-id-2')).toEqual({ ok: true, broken: false, now });
    expect(await broken('lease-id-1')).toEqual({ ok: true, broken: true, now });
    put('x', { completedAt: 5 });
    const reopen = (completedAt: number) => ask({ operation: 'reopen', name: 'x', completedAt });
    expect(await reopen(4)).toEqual({ ok: true, open: false, now });
    expect(await reopen(5)).toEqual({ ok: true, open: true, now });
  });
});

/** Locks that an execution holds, and a Step Functions that says what became of it. */
async function executionScene(state: ExecutionState, options: Partial<LockServiceOptions> = {}) {
  const all = scene({ state, ...options });
  for (const name of ['a', 'b'])
    await all.acquire({ name, leaseId: `lease-of-${name}`, execution, owner: undefined });
  await all.acquire({ name: 'c', leaseId: 'lease-of-c', execution, group: 'g' });
  await all.acquire({ name: 'd', leaseId: 'lease-of-d' });
  // The index lags.
  await all.world.until(new Promise<void>((resolve) => all.world.loop.after(1_000, resolve)));
  const event = (executionArn: string) => ({ source: 'aws.states' as const, detail: { executionArn } });
  const end = (host = all.service.host) =>
    all.world.until(endExecution(host, event(execution), new AbortController().signal));
  return { ...all, end, event };
}

describe('the end of an execution', () => {
  it('D46 frees all that it held, also in groups of their own, and nothing else', async () => {
    const { end, ask, asked } = await executionScene('ended');
    const { ok, released } = await end();
    expect([ok, [...released].sort()]).toEqual([true, ['a', 'b', 'c']]);
    expect(asked).toEqual([execution, execution, execution]);
    const stateOf = async (name: string) => (await ask({ operation: 'inspect', name })).lock.state;
    for (const name of ['a', 'b', 'c']) expect(await stateOf(name)).toBe('free');
    expect(await stateOf('d')).toBe('held');
    expect(await end()).toEqual({ ok: true, released: [] });
  });

  it('is told to states that go on after a redrive: their lease was broken', async () => {
    const { end, ask } = await executionScene('ended');
    await end();
    const renew = { operation: 'renew', name: 'a', leaseId: 'lease-of-a', token: 1, leaseMs: 30_000 };
    expect(await ask(renew)).toMatchObject({ error: { name: 'LockLostError', reason: 'broken' } });
  });

  it.each<ExecutionState>(['running', 'unknown', 'unreachable'])(
    'is delivered again as long as Step Functions says %s: all stays held',
    async (state) => {
      const { end, ask } = await executionScene(state);
      await expect(end()).rejects.toMatchObject({
        ...{ name: 'StoreError', retryable: true, mayHaveApplied: false },
        message: expect.stringMatching(/holds 3 locks$/),
      });
      expect((await ask({ operation: 'inspect', name: 'a' })).lock.state).toBe('held');
    },
  );

  it('frees what is this deployment’s alone', async () => {
    const { end, service, ask } = await executionScene('ended');
    const isAllowed = (name: string) => name === 'b';
    expect(await end({ ...service.host, isAllowed })).toEqual({ ok: true, released: ['b'] });
    expect((await ask({ operation: 'inspect', name: 'c' })).lock.state).toBe('held');
  });

  it('passes over what has another holder by then, or nobody', async () => {
    const { end, put, world } = await executionScene('ended');
    put('a', {
      leaseId: 'other-lease',
      execution,
      executionLease: 'lease-of-a',
      group: `execution/${execution}`,
      expiresAt: Math.ceil(world.nowMs) + 60_000,
    });
    world.items.delete('c');
    expect(await end()).toEqual({ ok: true, released: ['b'] });
  });

  it('is an event of EventBridge’s about an execution, and no other', async () => {
    const { event } = await executionScene('ended');
    expect(isStatusChange(event(execution))).toBe(true);
    for (const other of [
      ...[undefined, null, 7, {}, { source: 'aws.states' }, { source: 'aws.states', detail: null }],
      ...[event('x'), { ...event(execution), source: 'mine' }, { operation: 'acquire' }],
    ])
      expect(isStatusChange(other)).toBe(false);
  });
});

describe('an error', () => {
  it('is thrown under its name where the request says so, also by one that can’t be read', async () => {
    const { ask, put, world } = scene();
    put('x', { leaseId: 'l', expiresAt: world.nowMs + 60_000 });
    const acquire = {
      operation: 'acquire',
      name: 'x',
      leaseId: 'lease-id-1',
      owner: 'o',
      leaseMs: 30_000,
      throw: true,
    };
    await expect(ask(acquire)).rejects.toMatchObject({ name: 'LockHeldError', body: { code: 'LOCK_HELD' } });
    await expect(ask({ throw: true })).rejects.toMatchObject({
      ...{ name: 'UsageError', body: { code: 'USAGE' }, cause: { name: 'UsageError' } },
    });
    expect(await ask(Object.create({ throw: true }))).toMatchObject({ ok: false });
  });

  it('of the time that is up says that what was asked may have been done', async () => {
    const { service, world } = scene();
    const stop = new AbortController();
    stop.abort(new Error('time is up'));
    const answer = await world.until(service.answer({ operation: 'inspect', name: 'x' }, stop.signal));
    expect(answer).toMatchObject({
      error: {
        ...{ name: 'StoreError', code: 'STORE_ERROR', retryable: true, mayHaveApplied: true },
        message: expect.stringContaining('within the time of this invocation'),
      },
    });
  });

  it('is thrown as it is where it has the name already, and keeps what it came from where not', async () => {
    const { ask, acquire, put } = scene();
    await acquire();
    const wrong = ask({
      operation: 'renew',
      name: 'x',
      leaseId: 'lease-id-2',
      token: 1,
      leaseMs: 1_000,
      throw: true,
    });
    const lost = await wrong.catch((error) => error);
    expect(lost).toMatchObject({ name: 'LockLostError', body: { code: 'LOCK_LOST' } });
    expect(lost.cause).toBeUndefined();
    put('y', { completedAt: 5 });
    const done = {
      operation: 'acquire',
      name: 'y',
      leaseId: 'l-lease-id',
      owner: 'o',
      leaseMs: 30_000,
      throw: true,
    };
    const completed = await ask(done).catch((error) => error);
    expect(completed).toMatchObject({ name: 'AlreadyCompletedError' });
    expect(completed.cause).toBeUndefined();
  });

  it.each(Object.values(rightRequests('x')))(
    '$operation does nothing as long as there is no store time',
    async (request) => {
      const { service, world } = scene();
      const { context } = service.host;
      const unknown = new StoreError('no time', 'x', { retryable: true, mayHaveApplied: false });
      const store = { ...context.store, ensureTime: () => Promise.reject(unknown) };
      const timeless = createLockService({ context: { ...context, store }, operations: 'operate' });
      const answer = await world.until(timeless.answer(request, new AbortController().signal));
      expect(answer).toMatchObject({ ok: false, error: { name: 'StoreError', message: 'no time' } });
      expect(answer).not.toHaveProperty('now');
      expect(world.writes + world.reads).toBe(0);
    },
  );

  it('of a write whose item moved before it could be looked at is worth another try: nothing was done', async () => {
    const { service, world, ask } = scene();
    const refusal = async () => ({ kind: 'refused' as const, item: { name: 'x', version: 7 } as never });
    const { context } = service.host;
    const store = { ...context.store, renew: refusal, release: refusal, complete: refusal };
    const moving = createLockService({ context: { ...context, store } });
    await ask({ operation: 'inspect', name: 'x' });
    const { renew, release, complete } = rightRequests('x');
    for (const request of [renew, release, complete]) {
      const answer = await world.until(moving.answer(request, new AbortController().signal));
      expect(answer).toMatchObject({
        ok: false,
        error: { name: 'StoreError', lockName: 'x', retryable: true, mayHaveApplied: false },
      });
    }
  });

  it('of a lease that is to be longer than its execution is known to run names the field', async () => {
    const { ask, world } = scene({ state: 'running' });
    const lease = { name: 'x', leaseId: 'lease-id-1' };
    const { granted } = await ask({ operation: 'acquire', ...lease, leaseMs: 30_000, execution });
    const { service } = scene({ state: 'ended' });
    const executions = service.host.executions!;
    const { context } = world.locks(world.process('other'));
    const other = createLockService({ context, executions });
    const expiresAt = Math.ceil(world.nowMs) + dayMs;
    const renew = { operation: 'renew', ...lease, token: granted.token, expiresAt };
    const answer = await world.until(other.answer(renew, new AbortController().signal));
    expect(answer).toMatchObject(refused(/^expiresAt: must be at most .*, since .* has ended; got \d+$/));
  });

  it('that is a mistake of the service’s own is no answer', async () => {
    const { service } = scene();
    const broken = createLockService({ context: { ...service.host.context, store: undefined as never } });
    const { signal } = new AbortController();
    await expect(broken.answer({ operation: 'inspect', name: 'x' }, signal)).rejects.toThrow(TypeError);
  });
});
