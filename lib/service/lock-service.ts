import { refuse, StoreError, UsageError } from '../errors/index.js';
import { checkNumber, checkOptions } from '../lease/check-options.js';
import type { LeaseContext } from '../lease/index.js';
import { acquire, resume } from './acquire-operation.js';
import type { ServiceAnswer } from './answer.js';
import type { SuccessOf } from './answers.js';
import type { ExecutionWatch } from './execution-watch.js';
import { complete, release, renew } from './holder-operations.js';
import { readRequest } from './read-request.js';
import { inspect, joinLine, leaveLine, line, list, readMany, requestRelease } from './reading-operations.js';
import { operatorsOnly, type RequestOf, type ServiceRequest } from './requests.js';
import { ServiceError, toErrorBody } from './service-error.js';
import { checkAllowed, checkAllowedGroup, nameRule, type ServiceHost, shownTime } from './service-host.js';

/** What a service is made with. */
export interface LockServiceOptions {
  /** Of a client with a table. */
  readonly context: LeaseContext;
  /** Which names callers may use: exact ones, or beginnings that end in `*`. @default all */
  readonly names?: readonly string[];
  /** Which groups callers may put locks into, in the same form. @default as `names` */
  readonly groups?: readonly string[];
  /** `operate`: break and reopen, too, and show everybody's lease ids. @default use */
  readonly operations?: 'use' | 'operate';
  /** The longest lease that a caller may ask for, in milliseconds. @default 900000 */
  readonly maxLeaseMs?: number;
  /** Told what becomes of executions that hold locks. @default such locks are held like any others */
  readonly executions?: ExecutionWatch;
}

const takes = {
  ...{ context: 1, names: 1, groups: 1, operations: 1, maxLeaseMs: 1, executions: 1 },
} satisfies Record<keyof LockServiceOptions, 1>;

/** Answers requests; see {@link createLockService}. */
export interface LockServiceAnswers {
  readonly host: ServiceHost;
  /**
   * Answers one request.
   *
   * @param request JSON, not checked before
   * @param signal ends what is going on; the answer is then a `StoreError`
   * @returns what was done, or `ok: false` with the error
   * @throws the error itself, by its `name`, where the request says `"throw": true`
   */
  readonly answer: (request: unknown, signal: AbortSignal) => Promise<ServiceAnswer>;
}

/** A quarter of an hour, which is what a Lambda can run. */
export const defaultMaxLeaseMs = 15 * 60_000;

/**
 * The lock service: one JSON object per request, one as its answer. Stateless; every request is idempotent, so that
 * Lambda's own retries, and a caller's, are harmless.
 *
 * @throws UsageError for names that are no patterns, and for any other option that can't be right
 */
export function createLockService(options: LockServiceOptions): LockServiceAnswers {
  // A misspelt one must not open the service to more than was meant.
  checkOptions('createLockService', options, Object.keys(takes));
  const { context, operations = 'use', maxLeaseMs = defaultMaxLeaseMs } = options;
  if (!context?.clock) refuse('context', 'that of a LockClient with a table', context);
  if (operations !== 'use' && operations !== 'operate')
    refuse('operations', '"use" or "operate"', operations);
  checkNumber('maxLeaseMs', maxLeaseMs, 1);
  const host: ServiceHost = {
    context,
    isAllowed: nameRule(options.names),
    isAllowedGroup: nameRule(options.groups ?? options.names),
    operates: operations === 'operate',
    maxLeaseMs,
    executions: options.executions,
  };
  return {
    host,
    async answer(input, signal) {
      try {
        const request = readRequest(input);
        checkPermitted(host, request);
        return await perform(host, request, signal);
      } catch (error) {
        const body = toErrorBody(signal.aborted && error === signal.reason ? outOfTime(error) : error);
        // A mistake in this code must not look like an answer.
        if (!body) throw error;
        if (wantsThrown(input))
          throw error instanceof ServiceError ? error : new ServiceError(body, { cause: error });
        const { clock } = host.context;
        return { ok: false, error: body, ...(clock.isSet && { now: shownTime(host.context) }) };
      }
    },
  };
}

/** The invocation's end came in a wait of the service's own; what was sent before nobody has heard of again. */
function outOfTime(cause: unknown): StoreError {
  const message = 'The table did not answer within the time of this invocation';
  return new StoreError(message, undefined, { cause, retryable: true, mayHaveApplied: true });
}

/** Also a request that can't be read says so: to a state machine an answer in place of the error would be a success. */
function wantsThrown(input: unknown): boolean {
  return (
    typeof input === 'object' &&
    input !== null &&
    Object.hasOwn(input, 'throw') &&
    (input as { throw: unknown }).throw === true
  );
}

function checkPermitted(host: ServiceHost, request: ServiceRequest): void {
  if (!host.operates && operatorsOnly.has(request.operation)) {
    const name = 'name' in request ? request.name : undefined;
    throw new UsageError(`operation: ${request.operation} is for the operators’ function`, name, {
      code: 'NOT_ALLOWED',
    });
  }
  if ('name' in request) checkAllowed(host, request.name);
  if ('names' in request) for (const name of request.names) checkAllowed(host, name);
  if (request.operation === 'acquire' && request.group !== undefined)
    checkAllowedGroup(host, request.group, request.name);
}

function perform(host: ServiceHost, request: ServiceRequest, signal: AbortSignal): Promise<ServiceAnswer> {
  switch (request.operation) {
    case 'acquire':
      return acquire(host, request, signal);
    case 'resume':
      return resume(host, request, signal);
    case 'renew':
      return renew(host, request, signal);
    case 'release':
      return release(host, request, signal);
    case 'complete':
      return complete(host, request, signal);
    case 'inspect':
      return inspect(host, request, signal);
    case 'list':
      return list(host, request, signal);
    case 'readMany':
      return readMany(host, request, signal);
    case 'requestRelease':
      return requestRelease(host, request, signal);
    case 'line':
      return line(host, request, signal);
    case 'joinLine':
      return joinLine(host, request, signal);
    case 'leaveLine':
      return leaveLine(host, request, signal);
    case 'break':
      return breakLease(host, request, signal);
    case 'reopen':
      return reopen(host, request, signal);
  }
}

/** An operator's force-release of exactly the lease that `inspect` showed. */
async function breakLease(
  { context }: ServiceHost,
  { name, leaseId }: RequestOf<'break'>,
  signal: AbortSignal,
): Promise<SuccessOf<'break'>> {
  await context.store.ensureTime(signal);
  const { kind } = await context.store.break({ name, leaseId }, signal);
  return { ok: true, broken: kind === 'done', now: shownTime(context) };
}

/** Takes the completion back that the request names: the same request, sent again, takes back no later one. */
async function reopen(
  { context }: ServiceHost,
  { name, completedAt }: RequestOf<'reopen'>,
  signal: AbortSignal,
): Promise<SuccessOf<'reopen'>> {
  await context.store.ensureTime(signal);
  const open = await context.store.reopen(name, completedAt, signal);
  return { ok: true, open, now: shownTime(context) };
}
