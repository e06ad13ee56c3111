import { AlreadyCompletedError, LockLostError, StoreError } from '../errors/index.js';
import { publish } from '../events/index.js';
import { type Grant, type HandedOver, type HoldSettings, Lease, type LeaseContext } from '../lease/index.js';
import { checkOwner, type HoldOptions } from './client-options.js';

/** How to go on with a lease that was handed over. */
export interface ResumeOptions extends HoldOptions {
  /** A label for people. @default the client's */
  readonly owner?: string;
  /** Gives up at once, with the signal's own reason. */
  readonly signal?: AbortSignal;
}

/** See {@link LockClient.resume}. One write; two where an earlier attempt went on with the same lease. */
export async function resume(
  context: LeaseContext,
  from: HandedOver,
  terms: HoldSettings,
  { owner, signal }: { readonly owner: string; readonly signal: AbortSignal | undefined },
): Promise<Lease> {
  const { name } = from;
  checkOwner(owner);
  signal?.throwIfAborted();
  const leaseId = context.runtime.randomId();
  try {
    await context.store.ensureTime(signal);
    const request = { name, leaseId, owner, leaseMs: terms.leaseMs, from };
    const outcome = await context.store.resume(request, signal);
    if (outcome.kind === 'lost') throw new LockLostError(name, outcome.reason, from.token);
    if (outcome.kind === 'completed') {
      throw new AlreadyCompletedError(name, outcome.item.result, outcome.item.completedAt!);
    }
    return toLease(context, { name, owner }, outcome.grant, terms);
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  }
}

function toLease(
  context: LeaseContext,
  identity: { readonly name: string; readonly owner: string },
  grant: Grant,
  terms: HoldSettings,
): Lease {
  const { name, owner } = identity;
  if (grant.expiresAt - context.clock.now().latest <= terms.safetyMarginMs) {
    // Not given back: the same hand-over can be gone on with again.
    const message = `The lease of "${name}" was taken up, but the answer arrived when it was over`;
    throw new StoreError(message, name, { retryable: true, mayHaveApplied: true });
  }
  const lease = new Lease(context, identity, grant, terms);
  const { token, leaseId, takenOverFrom } = lease;
  const { adopted } = grant;
  publish('granted', { name, owner, token, leaseId, waitedMs: 0, takenOverFrom, adopted });
  return lease;
}
