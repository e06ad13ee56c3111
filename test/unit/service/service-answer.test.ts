import { describe, expect, it } from 'vitest';
import { StoreError, UsageError } from '../../../lib/errors/index.js';
import { leaseFormat } from '../../../lib/lease/index.js';
import type { Operation } from '../../../lib/service/requests.js';
import {
  holdsAnswer,
  holdsError,
  parsed,
  toFunctionFailure,
  toGrant,
  toItem,
  toRefusedOutcome,
} from '../../../lib/service-client/service-answer.js';

const at = 1_800_000_000_000;
const now = { earliest: at, latest: at + 1_000 };
const lock = { name: 'n', token: 7 };
const granted = {
  ...{ name: 'n', leaseId: 'mine', token: 7, acquiredAt: at, expiresAt: at + 10_000, adopted: false },
  takenOverFrom: { token: 6, owner: 'another' },
};

/** Right answers, and where in them stands what the client goes on with: of which type. */
const answers: Readonly<Record<Operation, readonly [object, Readonly<Record<string, keyof typeof wrong>>]>> =
  {
    acquire: [{ granted }, grantFields()],
    resume: [{ granted }, grantFields()],
    renew: [{ renewed: { expiresAt: at } }, { renewed: 'object', 'renewed.expiresAt': 'number' }],
    release: [{ released: false }, { released: 'boolean' }],
    complete: [{ completed: true }, { completed: 'true' }],
    inspect: [{ lock }, { lock: 'lock', 'lock.name': 'text', 'lock.token': 'number' }],
    list: [
      { locks: [lock], cursor: 'c' },
      { locks: 'array', 'locks.0': 'object', cursor: 'optional text' },
    ],
    readMany: [{ locks: [lock, null] }, { locks: 'array', 'locks.0': 'lock', 'locks.0.name': 'text' }],
    requestRelease: [{ asked: true }, { asked: 'boolean' }],
    line: [
      { tickets: [{ id: 'i', deadline: at }] },
      { tickets: 'array', 'tickets.0': 'object', 'tickets.0.id': 'text', 'tickets.0.deadline': 'number' },
    ],
    joinLine: [{ joined: true }, { joined: 'true' }],
    leaveLine: [{ left: true }, { left: 'true' }],
    break: [{ broken: true }, { broken: 'boolean' }],
    reopen: [{ open: false }, { open: 'boolean' }],
  };

function grantFields(): Readonly<Record<string, keyof typeof wrong>> {
  return {
    ...{ granted: 'object', 'granted.token': 'whole number', 'granted.leaseId': 'text' },
    ...{ 'granted.acquiredAt': 'number', 'granted.expiresAt': 'number' },
    'granted.takenOverFrom.token': 'number',
  };
}

/** What is not of a type. Past 8.64e15 there is no date. */
const wrong = {
  number: [undefined, null, '7', true, Number.NaN, 8.65e15, -8.65e15, {}],
  'whole number': [undefined, null, '7', 7.5, 2 ** 53],
  boolean: [undefined, null, 'true', 0],
  true: [undefined, null, false, 'true', 1],
  text: [undefined, null, 7, {}],
  'optional text': [null, 7, {}],
  object: [undefined, null, 'text', 7, {}],
  // Where nothing is known of a name the answer says so.
  lock: [undefined, 'text', 7, {}],
  array: [undefined, null, {}, 'text'],
} as const;

const request = { leaseId: 'mine', names: ['n', 'm'] };

/** A copy in which something else stands at a place. */
function changed(answer: object, path: string, value: unknown): Record<string, unknown> {
  const copy = structuredClone(answer) as Record<string, unknown>;
  const steps = path.split('.');
  const last = steps.pop()!;
  let place = copy;
  for (const step of steps) place = place[step] as Record<string, unknown>;
  if (value === undefined && !Array.isArray(place)) delete place[last];
  else place[last] = value;
  return copy;
}

const rows = Object.entries(answers).map(([operation, [body, fields]]) => ({
  ...{ operation: operation as Operation, fields },
  answer: { ok: true, now, ...body },
}));

describe('an answer of the lock service', () => {
  it.each(rows)('to $operation is one with all that the client goes on with', ({ operation, answer }) => {
    expect(holdsAnswer(operation, answer, request)).toBe(true);
  });

  it.each(rows)('to $operation is none where any of it is missing, or of another type', (row) => {
    const { operation, answer, fields } = row;
    const all = { ...fields, now: 'object', 'now.earliest': 'number', 'now.latest': 'number', ok: 'true' };
    for (const [path, type] of Object.entries(all)) {
      for (const value of wrong[type as keyof typeof wrong]) {
        const answered = changed(answer, path, value);
        expect([path, value, holdsAnswer(operation, answered, request)]).toEqual([path, value, false]);
      }
    }
  });

  it('is of the lease that was asked for, and of as many names', () => {
    const grant = { ok: true, now, granted };
    expect(holdsAnswer('acquire', grant, { leaseId: 'of another' })).toBe(false);
    expect(holdsAnswer('readMany', { ok: true, now, locks: [lock] }, request)).toBe(false);
  });

  it('says so where a name was never used, nobody held before, a list ends', () => {
    const { takenOverFrom: _, ...first } = granted;
    expect(holdsAnswer('acquire', { ok: true, now, granted: first }, request)).toBe(true);
    expect(holdsAnswer('inspect', { ok: true, now, lock: null }, request)).toBe(true);
    expect(holdsAnswer('list', { ok: true, now, locks: [] }, request)).toBe(true);
  });

  it('I2 as a grant has what stood there before, and ends so much earlier as more was asked for', () => {
    const askedAt = { monotonicMs: 5, wallMs: at };
    const grant = toGrant({ granted } as never, askedAt, 400);
    expect(grant).toMatchObject({ leaseId: 'mine', token: 7, acquiredAt: at, adopted: false });
    expect(grant).toMatchObject({ expiresAt: at + 9_600, surplusMs: 400, askedAt });
    expect(grant.item).toMatchObject({ name: 'n', version: 6, owner: 'another', leaseId: '' });
    const { takenOverFrom: _, ...first } = granted;
    const { item } = toGrant({ granted: { ...first, checkpoint: { page: 3 } } } as never, askedAt, 0);
    expect(item).toMatchObject({ version: 6, checkpoint: { page: 3 } });
    expect(item).not.toHaveProperty('leaseId');
  });

  it('as a lock is what a table has: held by somebody, by an id or without, or by nobody', () => {
    const shown = {
      ...lock,
      state: 'held',
      remainingMs: 5,
      execution: 'e',
      owner: 'o',
      expiresAt: at,
    } as const;
    expect(toItem(shown as never)).toEqual({
      ...{ name: 'n', format: leaseFormat, version: 7, owner: 'o', expiresAt: at, leaseId: '' },
    });
    expect(toItem({ ...shown, leaseId: 'l' } as never)).toMatchObject({ leaseId: 'l' });
    const { expiresAt: _, ...free } = shown;
    expect(toItem({ ...free, state: 'free' } as never)).not.toHaveProperty('leaseId');
  });
});

const holder = { owner: 'o', token: 7, acquiredAt: at, expiresAt: at + 1 };
const errors = [
  [
    { name: 'LockHeldError', holder },
    { holder: 'optional', 'holder.owner': 'text' },
  ],
  [
    { name: 'LockHeldError', holder },
    { 'holder.token': 'number', 'holder.acquiredAt': 'number', 'holder.expiresAt': 'number' },
  ],
  [{ name: 'LockLostError', reason: 'expired' }, { reason: 'text' }],
  [
    { name: 'AlreadyCompletedError', completedAt: at, token: 7 },
    { completedAt: 'number', token: 'number' },
  ],
  [{ name: 'LineFullError' }, {}],
  [{ name: 'StoreError' }, {}],
  [{ name: 'UsageError' }, {}],
] as const;

describe('an error of the lock service', () => {
  it.each(errors)(
    'is one with all that the client goes on with, and none without any of it: %j',
    (body, fields) => {
      const error = { message: 'm', ...body };
      expect(holdsError(error)).toBe(true);
      for (const [path, type] of Object.entries({ ...fields, message: 'text', name: 'text' })) {
        const values = type === 'optional' ? [null, 7, {}] : wrong[type as keyof typeof wrong];
        for (const value of values) {
          expect([path, value, holdsError(changed(error, path, value))]).toEqual([path, value, false]);
        }
      }
    },
  );

  it.each([null, 'text', 7, {}, { name: 'TypeError', message: 'm' }, { name: 'toString', message: 'm' }])(
    'is not %j',
    (value) => expect(holdsError(value)).toBe(false),
  );

  it('LockHeldError is the holder that stands there, or since when nobody does', () => {
    const error = { name: 'LockHeldError', message: 'm', lockName: 'n' } as const;
    expect(toRefusedOutcome('n', { ...error, holder } as never, false)).toEqual({
      kind: 'held',
      item: {
        name: 'n',
        format: leaseFormat,
        version: 7,
        leaseId: '',
        owner: 'o',
        acquiredAt: at,
        expiresAt: at + 1,
      },
      mayArriveLate: false,
    });
    expect(toRefusedOutcome('n', { ...error, freeFrom: at } as never, false)).toMatchObject({
      kind: 'held',
      item: { name: 'n', version: 0, freeFrom: at },
    });
    expect(toRefusedOutcome('n', error as never, false)).toMatchObject({ kind: 'held', item: undefined });
  });

  it('C09 LockHeldError may leave an earlier attempt under way: by this client’s count, or by the service’s', () => {
    const error = { name: 'LockHeldError', message: 'm', lockName: 'n' } as const;
    const late = (...[mayArriveLate, bySdk]: [unknown, boolean]) =>
      toRefusedOutcome('n', { ...error, mayArriveLate } as never, bySdk);
    expect(late(undefined, true)).toMatchObject({ mayArriveLate: true });
    expect(late(true, false)).toMatchObject({ mayArriveLate: true });
    expect(late(false, false)).toMatchObject({ mayArriveLate: false });
  });

  it('of an acquire is a completion, or a lease that is over already; any other is none of an acquire', () => {
    const completed = { name: 'AlreadyCompletedError', token: 7, completedAt: at, result: 'r' };
    expect(toRefusedOutcome('n', completed as never, false)).toEqual({
      kind: 'completed',
      item: { name: 'n', format: leaseFormat, version: 7, completedAt: at, result: 'r' },
    });
    const lost = (reason: string) => toRefusedOutcome('n', { name: 'LockLostError', reason } as never, false);
    expect(lost('expired')).toEqual({ kind: 'expired' });
    expect(lost('broken')).toEqual({ kind: 'given-back' });
    expect(toRefusedOutcome('n', { name: 'LineFullError' } as never, false)).toBeUndefined();
  });
});

describe('a function that fails instead of answering', () => {
  const failure = (payload: string, kind: 'read' | 'write') =>
    toFunctionFailure({ payload, failed: true, attempts: 1 }, 'locks', 'n', kind);

  it.each([
    ['write', true],
    ['read', false],
  ] as const)('may have done a %s: %s', (kind, mayHaveApplied) => {
    const error = failure('{"errorType":"Runtime.ExitError","errorMessage":"exit"}', kind);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ lockName: 'n', retryable: true, mayHaveApplied });
    expect(error.message).toBe('Lock service "locks" failed: Runtime.ExitError: exit');
  });

  it('by a UsageError is not set up, and is so told; what it said without JSON is shown', () => {
    expect(failure('{"errorType":"UsageError","errorMessage":"no table"}', 'write')).toBeInstanceOf(
      UsageError,
    );
    expect(failure('not JSON', 'read').message).toBe('Lock service "locks" failed: Error: not JSON');
  });

  it.each(['', 'not JSON', 'null', '7', '"text"'])(
    'what is no JSON object is an empty one: %j',
    (payload) => {
      expect(parsed(payload)).toEqual({});
    },
  );
});
