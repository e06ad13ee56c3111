import * as v from 'valibot';
import type { Operation } from './requests.js';

/** Store time when the service answered, in milliseconds since the epoch: somewhere between these. */
const now = v.object({
  earliest: v.pipe(
    v.number(),
    v.description('store time when the service answered is this or later, in ms since the epoch'),
  ),
  latest: v.pipe(v.number(), v.description('and this or earlier')),
});

const time = v.pipe(v.number(), v.description('store time in milliseconds since the epoch'));
const remainingMs = v.pipe(
  v.number(),
  v.description(
    'how long the lease still ran when the service answered, in ms: count it from before the request was sent',
  ),
);
const freeFrom = v.pipe(
  v.number(),
  v.description(
    'nobody holds it, and nobody gets it before this: store time in milliseconds since the epoch',
  ),
);
const anyValue = v.pipe(v.unknown(), v.description('any JSON value'));
const token = v.pipe(v.number(), v.description('a fencing token'));
const leaseId = v.pipe(v.string(), v.description('shown by the operators’ function, and to who named it'));

const granted = v.object({
  name: v.string(),
  token: v.pipe(
    v.number(),
    v.description('the fencing token: larger than every one granted under this name before'),
  ),
  leaseId: v.string(),
  owner: v.string(),
  acquiredAt: time,
  expiresAt: time,
  remainingMs,
  takenOverFrom: v.optional(v.object({ owner: v.string(), token, leaseId: v.optional(leaseId) })),
  checkpoint: v.optional(anyValue),
  adopted: v.pipe(v.boolean(), v.description('granted by an earlier attempt of the same acquire')),
});

const holder = v.object({
  owner: v.string(),
  token,
  acquiredAt: time,
  expiresAt: time,
  remainingMs: v.pipe(
    v.number(),
    v.description('how long that lease still runs if it is not renewed, in ms'),
  ),
  leaseId: v.optional(leaseId),
  execution: v.optional(v.pipe(v.string(), v.description('the execution that holds it'))),
});

const releaseRequested = v.optional(
  v.pipe(v.string(), v.description('somebody asks the holder to let go, and why')),
);

const lock = v.object({
  name: v.string(),
  state: v.picklist(['free', 'held', 'expired', 'completed']),
  token,
  group: v.optional(v.string()),
  owner: v.optional(v.string()),
  leaseId: v.optional(leaseId),
  execution: v.optional(v.string()),
  acquiredAt: v.optional(time),
  expiresAt: v.optional(time),
  freeFrom: v.optional(freeFrom),
  remainingMs,
  releaseRequested,
  renewals: v.optional(v.number()),
  checkpoint: v.optional(anyValue),
  completedAt: v.optional(time),
  result: v.optional(anyValue),
});

const lossReason = v.picklist(['expired', 'taken-over', 'broken', 'store-unavailable', 'max-hold']);

/** What the service answers when it did what it was asked, by operation. */
export const successes = {
  acquire: v.object({ ok: v.literal(true), granted, now }),
  resume: v.object({ ok: v.literal(true), granted, now }),
  renew: v.object({
    ok: v.literal(true),
    renewed: v.object({ expiresAt: time, remainingMs, releaseRequested }),
    now,
  }),
  release: v.object({
    ok: v.literal(true),
    released: v.pipe(v.boolean(), v.description('false: the lease was over already; nothing was changed')),
    already: v.optional(
      v.pipe(v.literal(true), v.description('it had been released before, by an earlier attempt')),
    ),
    reason: v.optional(lossReason),
    now,
  }),
  complete: v.object({ ok: v.literal(true), completed: v.literal(true), now }),
  inspect: v.object({ ok: v.literal(true), lock: v.nullable(lock), now }),
  list: v.object({
    ok: v.literal(true),
    locks: v.array(lock),
    cursor: v.optional(v.pipe(v.string(), v.description('for the next page; absent on the last one'))),
    now,
  }),
  readMany: v.object({
    ok: v.literal(true),
    locks: v.pipe(
      v.array(v.nullable(lock)),
      v.description(
        'in the order of the names, without checkpoint and result; null where nobody ever held it',
      ),
    ),
    now,
  }),
  requestRelease: v.object({
    ok: v.literal(true),
    asked: v.pipe(v.boolean(), v.description('whether that lease was current, and is asked now')),
    now,
  }),
  line: v.object({
    ok: v.literal(true),
    tickets: v.pipe(
      v.array(v.object({ id: v.string(), deadline: time })),
      v.description('first come first, those past their deadline among them'),
    ),
    now,
  }),
  joinLine: v.object({ ok: v.literal(true), joined: v.literal(true), now }),
  leaveLine: v.object({ ok: v.literal(true), left: v.literal(true), now }),
  break: v.object({
    ok: v.literal(true),
    broken: v.pipe(v.boolean(), v.description('whether that lease is over now')),
    now,
  }),
  reopen: v.object({
    ok: v.literal(true),
    open: v.pipe(v.boolean(), v.description('whether the name exists and can be acquired')),
    now,
  }),
} as const;

const anyError = {
  message: v.pipe(v.string(), v.description('for people; its words may change')),
  lockName: v.optional(v.string()),
};

/** Every error by its name, which a `Retry` or `Catch` of a state machine matches, too. */
export const errors = {
  LockHeldError: v.object({
    name: v.literal('LockHeldError'),
    code: v.literal('LOCK_HELD'),
    ...anyError,
    holder: v.optional(holder),
    freeFrom: v.optional(freeFrom),
    mayArriveLate: v.optional(
      v.pipe(
        v.literal(true),
        v.description('this acquire may yet be granted: release its leaseId when you give up'),
      ),
    ),
  }),
  LockLostError: v.object({
    name: v.literal('LockLostError'),
    code: v.literal('LOCK_LOST'),
    ...anyError,
    reason: lossReason,
    token: v.optional(token),
  }),
  AlreadyCompletedError: v.object({
    name: v.literal('AlreadyCompletedError'),
    code: v.literal('ALREADY_COMPLETED'),
    ...anyError,
    token,
    completedAt: time,
    result: v.optional(anyValue),
  }),
  LineFullError: v.object({ name: v.literal('LineFullError'), code: v.literal('LINE_FULL'), ...anyError }),
  StoreError: v.object({
    name: v.literal('StoreError'),
    code: v.literal('STORE_ERROR'),
    ...anyError,
    retryable: v.pipe(v.boolean(), v.description('the same request may work later')),
    mayHaveApplied: v.pipe(
      v.boolean(),
      v.description('what was asked may have been done although this came'),
    ),
  }),
  UsageError: v.object({
    name: v.literal('UsageError'),
    code: v.picklist(['USAGE', 'NOT_ALLOWED']),
    ...anyError,
  }),
} as const;

/** What the service answers when it did not. */
export const failure = v.object({
  ok: v.literal(false),
  error: v.variant(
    'name',
    Object.values(errors) as [
      (typeof errors)['LockHeldError'],
      (typeof errors)['LockLostError'],
      (typeof errors)['AlreadyCompletedError'],
      (typeof errors)['LineFullError'],
      (typeof errors)['StoreError'],
      (typeof errors)['UsageError'],
    ],
  ),
  now: v.optional(now),
});

/** The answer of an operation that was done. */
export type SuccessOf<Name extends Operation> = v.InferOutput<(typeof successes)[Name]>;

/** An answer that tells an error. */
export type ServiceFailure = v.InferOutput<typeof failure>;

/** An error as JSON. */
export type ServiceErrorBody = ServiceFailure['error'];

/** A lock as the service shows it. */
export type ShownLock = v.InferOutput<typeof lock>;

/** Who holds a lock, as the service shows it. */
export type ShownHolder = v.InferOutput<typeof holder>;
