import { LockLostError, type LossReason, StoreError, UsageError } from '../errors/index.js';
import { publish } from '../events/events.js';
import { maxLeaseMs as longestLeaseMs } from '../lease/check-options.js';
import { expiryFor, type HolderOutcome, type LeaseIdentity, type LeaseItem } from '../lease/index.js';
import type { ItemChange } from '../table/index.js';
import type { SuccessOf } from './answers.js';
import { ownerAttribute } from './execution-group.js';
import { checkRuns, executionAttributes, findExecution } from './execution-watch.js';
import type { RequestOf } from './requests.js';
import { ServiceError } from './service-error.js';
import { remainingMs, type ServiceHost, shownTime } from './service-host.js';

/** A caller's idea of the time may be this much ahead of the service's, in milliseconds: a minute's lease more. */
const aheadMs = 60_000;

/** What the service writes along with a grant, and takes away when the lease ends. */
const grantAttributes = [...executionAttributes, ownerAttribute];

type HolderRequest = RequestOf<'renew'> | RequestOf<'release'> | RequestOf<'complete'>;

/** Lengthens the lease, and writes the checkpoint along. */
export async function renew(
  host: ServiceHost,
  request: RequestOf<'renew'>,
  signal: AbortSignal,
): Promise<SuccessOf<'renew'>> {
  const { context, maxLeaseMs } = host;
  await context.store.ensureTime(signal);
  if (request.leaseMs !== undefined && request.leaseMs > maxLeaseMs) throw tooLong(host, request, 'leaseMs');
  const expiresAt = request.expiresAt ?? expiryFor(context, request.leaseMs!);
  // Also of an execution's: nobody could read an item whose end no date can hold.
  if (expiresAt > expiryFor(context, longestLeaseMs) + aheadMs) throw tooLong(host, request, 'expiresAt');
  const isLong = expiresAt > expiryFor(context, maxLeaseMs) + aheadMs;
  if (isLong) await checkHolderRuns(host, request, signal);
  const { set, ...removed } = toCheckpoint(request);
  // As of what is granted here: whoever asks for this counts by what it likes.
  const change = {
    ...removed,
    set: { ...set, leaseMs: 0 },
    ...(isLong && { condition: heldByExecution(request.leaseId) }),
  };
  const outcome = await context.store.renew(toIdentity(request), expiresAt, change, signal).catch((error) => {
    publish('renewal-failed', { ...toEvent(request), error });
    throw error;
  });
  if (outcome.kind === 'refused' && isLong) throw tooLong(host, request, 'expiresAt');
  checkDone(request, outcome);
  publish('renewed', { ...toEvent(request), expiresAt });
  const now = shownTime(context);
  const { releaseRequested } = outcome.before ?? {};
  const renewed = {
    expiresAt,
    remainingMs: remainingMs(expiresAt, now),
    ...(releaseRequested !== undefined && { releaseRequested }),
  };
  return { ok: true, renewed, now };
}

/** Ends the lease. One that was over already is no error: nothing is changed, and the answer says so. */
export async function release(
  { context, maxLeaseMs }: ServiceHost,
  request: RequestOf<'release'>,
  signal: AbortSignal,
): Promise<SuccessOf<'release'>> {
  await context.store.ensureTime(signal);
  const { set, remove = [] } = toCheckpoint(request);
  const change = { ...(set && { set }), remove: [...remove, ...grantAttributes] };
  const outcome = await context.store
    .release({ ...toIdentity(request), ...toMinHold(request, maxLeaseMs) }, change, signal)
    .catch((error) => {
      publish('release-failed', { ...toEvent(request), error });
      throw error;
    });
  if (outcome.kind === 'lost') {
    const { reason } = outcome;
    // Who names no token gives up a grant that it never heard of: there is nothing to lose.
    if (request.token !== undefined) publishLoss(request, reason);
    return { ok: true, released: false, reason, now: shownTime(context) };
  }
  checkDone(request, outcome);
  if (outcome.before) publish('released', toEndedEvent(request, outcome.before, context));
  return {
    ok: true,
    released: true,
    ...(outcome.already && { already: true as const }),
    now: shownTime(context),
  };
}

/** Ends the lease and marks the work under the name as finished. */
export async function complete(
  { context }: ServiceHost,
  request: RequestOf<'complete'>,
  signal: AbortSignal,
): Promise<SuccessOf<'complete'>> {
  await context.store.ensureTime(signal);
  const { result, retainMs } = request;
  const completion = {
    result,
    ...(retainMs !== undefined && { retainMs }),
    change: { remove: grantAttributes },
  };
  const outcome = await context.store.complete(toIdentity(request), completion, signal);
  checkDone(request, outcome);
  if (outcome.before) publish('completed', toEndedEvent(request, outcome.before, context));
  return { ok: true, completed: true, now: shownTime(context) };
}

function toIdentity(request: HolderRequest): LeaseIdentity {
  const { name, leaseId, token } = request;
  return {
    name,
    leaseId,
    // For the event, which tells how long it was held.
    wantsBefore: true,
    ...(token !== undefined && { token }),
    ...(mayHaveEnded(request) && { mayHaveEnded: true }),
  };
}

/** A lock is not kept from everybody for longer than it could have been held. */
function toMinHold({ minHoldMs = 0 }: RequestOf<'release'>, maxLeaseMs: number) {
  return minHoldMs > 0 ? { minHoldMs: Math.min(minHoldMs, maxLeaseMs) } : {};
}

function mayHaveEnded({ retries = 0 }: HolderRequest): boolean {
  return retries > 0;
}

function toCheckpoint(request: RequestOf<'renew'> | RequestOf<'release'>): ItemChange {
  if (request.clearCheckpoint) return { remove: ['checkpoint'] };
  return request.checkpoint === undefined ? {} : { set: { checkpoint: request.checkpoint } };
}

/** Not by the mark alone, which is what the acquire said. A lease that is not the caller's is for the write to refuse. */
async function checkHolderRuns(
  host: ServiceHost,
  { name, leaseId, expiresAt = 0 }: RequestOf<'renew'>,
  signal: AbortSignal,
): Promise<void> {
  const item = await host.context.store.read(name, leaseId, signal);
  const execution = item?.leaseId === leaseId ? findExecution(item) : undefined;
  if (execution === undefined) return;
  const limit = `${expiryFor(host.context, host.maxLeaseMs)}, ${host.maxLeaseMs} ms from now,`;
  await checkRuns(host.executions, { name, execution, field: 'expiresAt', limit, value: expiresAt }, signal);
}

/** A lease may be longer than callers' may be only where an execution holds it. */
function heldByExecution(leaseId: string) {
  return { text: '#executionLease = :executionLease', values: { ':executionLease': leaseId } };
}

function tooLong(
  { context, maxLeaseMs }: ServiceHost,
  request: RequestOf<'renew'>,
  field: 'leaseMs' | 'expiresAt',
) {
  const most =
    field === 'leaseMs' ? maxLeaseMs : `${expiryFor(context, maxLeaseMs)}, ${maxLeaseMs} ms from now,`;
  return new UsageError(
    `${field}: must be at most ${most} in this deployment; got ${request[field]}`,
    request.name,
  );
}

function checkDone(
  request: HolderRequest,
  outcome: HolderOutcome,
): asserts outcome is Extract<HolderOutcome, { kind: 'done' }> {
  if (outcome.kind === 'done') return;
  const { name } = request;
  if (outcome.kind === 'refused') {
    // The item moved between the write and the read that was to explain its refusal.
    throw new StoreError(`"${name}" changed while it was written to`, name, {
      retryable: true,
      mayHaveApplied: false,
    });
  }
  throw publishLoss(request, outcome.reason);
}

function publishLoss(request: HolderRequest, reason: LossReason): ServiceError {
  const { name, token } = request;
  const error = new LockLostError(name, reason, token ?? 0);
  // A renewal finds what an unanswered release or completion did: no loss, and not its to tell.
  const isRenewalAfterEnd = request.operation === 'renew' && mayHaveEnded(request);
  if (!isRenewalAfterEnd) publish('lost', { ...toEvent(request), heldMs: 0, reason, error });
  const { code, message } = error;
  return new ServiceError({
    name: error.name,
    code,
    message,
    lockName: name,
    reason,
    ...(token !== undefined && { token }),
  });
}

function toEndedEvent(request: HolderRequest, before: LeaseItem, { clock }: ServiceHost['context']) {
  const { latest } = clock.now();
  const { owner = 'unknown', version, acquiredAt = latest } = before;
  return { ...toEvent(request), owner, token: version, heldMs: Math.max(0, latest - acquiredAt) };
}

/** A holder's request does not say who it is. */
function toEvent({ name, leaseId, token = 0 }: HolderRequest) {
  return { name, leaseId, token, owner: 'unknown' };
}
