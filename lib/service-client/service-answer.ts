import type { LocalInstant } from '../clock/store-clock.js';
import { StoreError, toFailure, UsageError } from '../errors/index.js';
import { type Grant, type GrantOutcome, type LeaseItem, leaseFormat } from '../lease/index.js';
import type { ServiceErrorBody, ShownHolder, ShownLock, SuccessOf } from '../service/answers.js';
import type { Operation } from '../service/requests.js';
import type { ServiceResponse } from './service-transport.js';

type Fields = Readonly<Record<string, unknown>>;

/** Within what a `Date` can be, and tokens are. */
const isNumber = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) <= 8.64e15;
const isText = (value: unknown): value is string => typeof value === 'string';
const toFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

/** Whether it says what time it is: the two may cross, where the store's front ends disagree. */
export function isTime(now: unknown): boolean {
  const { earliest, latest } = toFields(now);
  return isNumber(earliest) && isNumber(latest);
}

/** Whether it is the answer of the operation: what this client goes on with is there, and of its type. */
export function holdsAnswer(operation: Operation, answer: Fields, request: object): boolean {
  return answer.ok === true && isTime(answer.now) && shapes[operation](answer, toFields(request));
}

const shapes: Readonly<Record<Operation, (answer: Fields, request: Fields) => boolean>> = {
  acquire: isGrant,
  resume: isGrant,
  renew: ({ renewed }) => isNumber(toFields(renewed).expiresAt),
  release: ({ released }) => typeof released === 'boolean',
  complete: ({ completed }) => completed === true,
  inspect: ({ lock }) => lock === null || isLock(lock),
  list: ({ locks, cursor }) =>
    Array.isArray(locks) && locks.every(isLock) && (cursor === undefined || isText(cursor)),
  readMany: ({ locks }, { names }) =>
    Array.isArray(locks) &&
    locks.length === (names as readonly string[]).length &&
    locks.every((lock) => lock === null || isLock(lock)),
  requestRelease: ({ asked }) => typeof asked === 'boolean',
  line: ({ tickets }) => Array.isArray(tickets) && tickets.every(isTicket),
  joinLine: ({ joined }) => joined === true,
  leaveLine: ({ left }) => left === true,
  break: ({ broken }) => typeof broken === 'boolean',
  reopen: ({ open }) => typeof open === 'boolean',
};

/** Whether it is an error of the service: what this client goes on with is there, and of its type. */
export function holdsError(value: unknown): value is ServiceErrorBody {
  const error = toFields(value);
  const holds = isText(error.name) && Object.hasOwn(errorShapes, error.name) && errorShapes[error.name];
  return isText(error.message) && !!holds && holds(error);
}

const errorShapes: Readonly<Record<string, (error: Fields) => boolean>> = {
  LockHeldError: ({ holder }) => holder === undefined || isHolder(toFields(holder)),
  LockLostError: ({ reason }) => isText(reason),
  AlreadyCompletedError: ({ completedAt, token }) => isNumber(completedAt) && isNumber(token),
  LineFullError: () => true,
  StoreError: () => true,
  UsageError: () => true,
};

function isHolder({ owner, token, acquiredAt, expiresAt }: Fields): boolean {
  return isText(owner) && isNumber(token) && isNumber(acquiredAt) && isNumber(expiresAt);
}

function isGrant({ granted }: Fields, { leaseId }: Fields): boolean {
  const grant = toFields(granted);
  const seen = grant.takenOverFrom === undefined || isNumber(toFields(grant.takenOverFrom).token);
  const times = isNumber(grant.expiresAt) && isNumber(grant.acquiredAt);
  return seen && times && Number.isSafeInteger(grant.token) && grant.leaseId === leaseId;
}

function isTicket(value: unknown): boolean {
  const { id, deadline } = toFields(value);
  return isText(id) && isNumber(deadline);
}

function isLock(value: unknown): boolean {
  const { name, token } = toFields(value);
  return isText(name) && isNumber(token);
}

/**
 * The grant, as a table would have shown it: what stood there before, as far as the service tells.
 *
 * @param askedAt when it was asked for, by this client's clocks
 * @param surplusMs what was asked for beyond the lease that is wanted: the holder's end lies so much before the store's
 */
export function toGrant({ granted }: SuccessOf<'acquire'>, askedAt: LocalInstant, surplusMs: number): Grant {
  const { name, token, leaseId, acquiredAt, expiresAt, adopted, checkpoint, takenOverFrom } = granted;
  const item: LeaseItem = {
    name,
    format: leaseFormat,
    version: takenOverFrom?.token ?? token - 1,
    checkpoint,
    // Empty: somebody's, whom the service does not name by it.
    ...(takenOverFrom && { owner: takenOverFrom.owner, leaseId: takenOverFrom.leaseId ?? '' }),
  };
  return { leaseId, token, acquiredAt, expiresAt: expiresAt - surplusMs, surplusMs, askedAt, item, adopted };
}

/** How a try ended that was not granted; `undefined` for an error that is none of an acquire's. */
export function toRefusedOutcome(
  name: string,
  error: ServiceErrorBody,
  mayArriveLate: boolean,
): GrantOutcome | undefined {
  switch (error.name) {
    case 'LockHeldError':
      return {
        kind: 'held',
        item: error.holder ? heldItem(name, error.holder) : freeItem(name, error.freeFrom),
        mayArriveLate: mayArriveLate || error.mayArriveLate === true,
      };
    case 'AlreadyCompletedError': {
      const { token, completedAt, result } = error;
      const item = { name, format: leaseFormat, version: token, completedAt, result };
      return { kind: 'completed', item };
    }
    case 'LockLostError':
      return { kind: error.reason === 'expired' ? 'expired' : 'given-back' };
    default:
      return undefined;
  }
}

/** Its token is not told: what a next try asks for lies above it by then, or is asked for again. */
function freeItem(name: string, freeFrom: unknown): LeaseItem | undefined {
  return isNumber(freeFrom) ? { name, format: leaseFormat, version: 0, freeFrom } : undefined;
}

function heldItem(
  name: string,
  { token, leaseId = '', owner, acquiredAt, expiresAt }: ShownHolder,
): LeaseItem {
  return { name, format: leaseFormat, version: token, leaseId, owner, acquiredAt, expiresAt };
}

/** A lock as the service shows it, as a table would. */
export function toItem(shown: ShownLock): LeaseItem {
  const { token, leaseId, state: _, remainingMs: __, execution: ___, ...lock } = shown;
  const isHeld = lock.expiresAt !== undefined;
  // A lock that is free, but not yet, shows the lease that keeps everybody from it.
  const named = isHeld ? { leaseId: leaseId ?? '' } : leaseId === undefined ? {} : { lastLeaseId: leaseId };
  return { ...lock, format: leaseFormat, version: token, ...named };
}

/** Whether a request changes something: then it may have done so although no answer came. */
export type RequestKind = 'read' | 'write';

/** An error of the way there and back, as ours. Our own come back unchanged. */
export function toTransportError(
  error: unknown,
  service: string,
  lockName: string | undefined,
  kind: RequestKind,
  answeredBefore: boolean,
): Error {
  return toFailure(error, { what: `Lock service "${service}"`, lockName, kind, answeredBefore });
}

/** The function failed instead of answering. */
export function toFunctionFailure(
  { payload }: ServiceResponse,
  service: string,
  lockName: string | undefined,
  kind: RequestKind,
) {
  const { errorType, errorMessage } = parsed(payload) as { errorType?: unknown; errorMessage?: unknown };
  const message = `Lock service "${service}" failed: ${errorType ?? 'Error'}: ${errorMessage ?? payload.slice(0, 200)}`;
  // It is not set up: no request of anybody's will be answered.
  if (errorType === 'UsageError') return new UsageError(message, lockName);
  return new StoreError(message, lockName, { retryable: true, mayHaveApplied: kind === 'write' });
}

/** What came is no answer: cut off, or of something else than a lock service. */
export function noAnswer(service: string, lockName: string | undefined, kind: RequestKind): StoreError {
  return new StoreError(`What "${service}" answered is no answer of a lock service`, lockName, {
    retryable: false,
    mayHaveApplied: kind === 'write',
  });
}

/** The JSON object, or an empty one. */
export function parsed(payload: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(payload);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
