import { LockLostError, type LossReason, StoreError } from '../errors/index.js';
import { publish } from '../events/events.js';
import {
  type Grant,
  type GrantOutcome,
  type GrantRequest,
  type LeaseItem,
  takenOverBy,
} from '../lease/index.js';
import type { ServiceErrorBody, ShownHolder, SuccessOf } from './answers.js';
import { groupOfExecution, noteHeld, type OwnerMark, provesOwner, toProof } from './execution-group.js';
import { checkRuns, type ExecutionMark, findExecution, holderHasEnded } from './execution-watch.js';
import { toJson } from './json-value.js';

import type { RequestOf } from './requests.js';
import { completedMessage, ServiceError } from './service-error.js';
import { remainingMs, type ServiceHost, shownTime } from './service-host.js';

type Acquire = RequestOf<'acquire'>;
type Held = Extract<GrantOutcome, { kind: 'held' }>;

/**
 * One try for the lock: one write. A second one follows only where the refusal showed a lease that is the caller's own
 * (`supersedes`, proved by its key), or that of an execution which has ended; it names exactly that lease. A lease that an earlier attempt
 * was granted, and that has run out by now, is not handed out.
 */
export async function acquire(
  host: ServiceHost,
  request: Acquire,
  signal: AbortSignal,
): Promise<SuccessOf<'acquire'>> {
  const { name, leaseId, leaseMs, group, execution } = request;
  const owner = (request.owner ?? execution)!;
  await checkLength(host, request, signal);
  await host.context.store.ensureTime(signal);
  if (execution !== undefined && group !== undefined)
    await noteHeld(host.context, execution, name, leaseMs, signal);
  const outcome = await granted(host, { ...toGrant(request), owner }, request, signal);

  if (outcome.kind === 'granted' && !isOver(host, outcome.grant))
    return toAnswer(host, request, owner, outcome.grant);
  if (outcome.kind === 'completed') throw alreadyCompleted(outcome.item);
  if (outcome.kind === 'given-back') throw spent(name, 'broken', 'was already released or broken');
  // Left to run out: an answer to an earlier attempt may have handed it out, by a front end whose time is behind.
  if (outcome.kind !== 'held') throw spent(name, 'expired', 'has run out');
  throw new ServiceError(heldBy(host, { name, owner, leaseId, leaseMs }, outcome));
}

/** Goes on with a lease that was handed over: a grant under a new lease id and a higher token, if nobody came between. */
export async function resume(
  host: ServiceHost,
  request: RequestOf<'resume'>,
  signal: AbortSignal,
): Promise<SuccessOf<'resume'>> {
  const { name, leaseId, leaseMs, owner, fromLeaseId, fromToken } = request;
  await checkLength(host, request, signal);
  await host.context.store.ensureTime(signal);
  const from = { leaseId: fromLeaseId, token: fromToken };
  const outcome = await host.context.store.resume(
    { name, leaseId, leaseMs, watchMs: 0, owner, from },
    signal,
  );
  if (outcome.kind === 'granted') return toAnswer(host, request, owner, outcome.grant);
  if (outcome.kind === 'completed') throw alreadyCompleted(outcome.item);
  const { reason } = outcome;
  const { code, message } = new LockLostError(name, reason, fromToken);
  throw new ServiceError({
    name: 'LockLostError',
    code,
    message,
    lockName: name,
    reason,
    token: fromToken,
  });
}

async function checkLength(
  { maxLeaseMs, executions }: ServiceHost,
  { execution, leaseMs, name }: Pick<Acquire, 'execution' | 'leaseMs' | 'name'>,
  signal: AbortSignal,
): Promise<void> {
  if (leaseMs <= maxLeaseMs) return;
  // An execution holds without a heartbeat: its end frees the lock, not the lease's. It must be one that has an end.
  const long = { name, execution, field: 'leaseMs', limit: String(maxLeaseMs), value: leaseMs } as const;
  await checkRuns(executions, long, signal);
}

function toGrant({
  name,
  leaseId,
  leaseMs,
  group,
  execution,
  ownerKey,
  lockDelayMs,
}: Acquire): Omit<GrantRequest, 'owner'> {
  const set = {
    ...(execution !== undefined && ({ execution, executionLease: leaseId } satisfies ExecutionMark)),
    ...(ownerKey !== undefined && ({ ownerProof: toProof(name, leaseId, ownerKey) } satisfies OwnerMark)),
  };
  const found = group ?? (execution === undefined ? undefined : groupOfExecution(execution));
  return {
    name,
    leaseId,
    leaseMs,
    // Its caller counts by what it likes, and an execution by nothing.
    watchMs: 0,
    ...(found !== undefined && { group: found }),
    ...(lockDelayMs !== undefined && { lockDelayMs }),
    ...(Object.keys(set).length > 0 && { change: { set } }),
  };
}

async function granted(
  host: ServiceHost,
  request: GrantRequest,
  { supersedes, ownerKey }: Pick<Acquire, 'supersedes' | 'ownerKey'>,
  signal: AbortSignal,
): Promise<GrantOutcome> {
  const { store, clock } = host.context;
  let outcome = await store.grant(request, signal);
  // By the token, not by the owner alone: this request may be late, and the owner have a newer lease by now.
  if (
    outcome.kind === 'held' &&
    outcome.item?.version === supersedes &&
    outcome.item?.owner === request.owner &&
    provesOwner(outcome.item, ownerKey)
  ) {
    outcome = await takeSeen(host, request, outcome, signal);
  }
  if (outcome.kind !== 'held' || outcome.item === undefined) return outcome;
  const hasEnded = await holderHasEnded(host.executions, outcome.item, clock.now().earliest, signal);
  return hasEnded ? takeSeen(host, request, outcome, signal) : outcome;
}

/** The second write, which names the lease that the first one was refused by. */
async function takeSeen(
  { context }: ServiceHost,
  request: GrantRequest,
  refused: Held,
  signal: AbortSignal,
): Promise<GrantOutcome> {
  if (refused.item?.leaseId === undefined) return refused;
  try {
    const { leaseId: seenLeaseId, version: aboveToken } = refused.item;
    const outcome = await context.store.grant({ ...request, seenLeaseId, aboveToken }, signal);
    return outcome.kind === 'held' && refused.mayArriveLate ? { ...outcome, mayArriveLate: true } : outcome;
  } catch (error) {
    if (!(refused.mayArriveLate && error instanceof StoreError)) throw error;
    const { message, lockName, retryable, cause } = error;
    throw new StoreError(message, lockName, { cause, retryable, mayHaveApplied: true });
  }
}

function toAnswer(
  host: ServiceHost,
  { name }: Pick<Acquire, 'name'>,
  owner: string,
  grant: Grant,
): SuccessOf<'acquire'> {
  const { token, leaseId, acquiredAt, expiresAt, adopted, item } = grant;
  const takenOverFrom = takenOverBy(grant);
  publish('granted', { name, owner, token, leaseId, waitedMs: 0, takenOverFrom, adopted });
  const checkpoint = toJson(item?.checkpoint);
  const now = shownTime(host.context);
  return {
    ok: true,
    granted: {
      name,
      token,
      leaseId,
      owner,
      acquiredAt,
      expiresAt,
      remainingMs: remainingMs(expiresAt, now),
      adopted,
      ...(takenOverFrom && {
        takenOverFrom: {
          owner: takenOverFrom.owner,
          token: takenOverFrom.token,
          ...(host.operates && { leaseId: takenOverFrom.leaseId }),
        },
      }),
      ...(checkpoint !== undefined && { checkpoint }),
    },
    now,
  };
}

function isOver({ context }: ServiceHost, { expiresAt }: Grant): boolean {
  return remainingMs(expiresAt, shownTime(context)) <= 0;
}

/** No attempt of this acquire can be granted any more. */
function spent(name: string, reason: LossReason, why: string): ServiceError {
  return new ServiceError({
    name: 'LockLostError',
    code: 'LOCK_LOST',
    message: `The lease of this acquire of "${name}" ${why}: a new leaseId is needed`,
    lockName: name,
    reason,
  });
}

function alreadyCompleted({ name, version, completedAt, result }: LeaseItem): ServiceError {
  const shown = toJson(result);
  return new ServiceError({
    name: 'AlreadyCompletedError',
    code: 'ALREADY_COMPLETED',
    message: completedMessage(name, completedAt!),
    lockName: name,
    token: version,
    completedAt: completedAt!,
    ...(shown !== undefined && { result: shown }),
  });
}

function heldBy(host: ServiceHost, request: GrantRequest, { item, mayArriveLate }: Held): ServiceErrorBody {
  const { name, owner } = request;
  const holder = item && toHolder(host, item);
  publish('held', { name, owner, holder: holder && { leaseId: item?.leaseId, ...holder } });
  const freeFrom = item?.leaseId === undefined ? item?.freeFrom : undefined;
  const none =
    freeFrom === undefined
      ? 'not granted: it changed hands at that moment'
      : `free, but not before ${new Date(freeFrom).toISOString()}`;
  const who = holder
    ? `held by ${holder.owner} (token ${holder.token}, ${holder.remainingMs} ms left)`
    : none;
  return {
    name: 'LockHeldError',
    code: 'LOCK_HELD',
    message: `Lock "${name}" is ${who}`,
    lockName: name,
    ...(holder && { holder }),
    ...(freeFrom !== undefined && { freeFrom }),
    ...(mayArriveLate && { mayArriveLate: true as const }),
  };
}

function toHolder(host: ServiceHost, item: LeaseItem): ShownHolder | undefined {
  if (item.leaseId === undefined) return undefined;
  const execution = findExecution(item);
  return {
    owner: item.owner ?? 'unknown',
    token: item.version,
    acquiredAt: item.acquiredAt ?? 0,
    expiresAt: item.expiresAt!,
    remainingMs: remainingMs(item.expiresAt, shownTime(host.context)),
    ...(execution !== undefined && { execution }),
    // Whoever knows a lease's id can release it.
    ...(host.operates && { leaseId: item.leaseId }),
  };
}
