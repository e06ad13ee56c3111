import { AlreadyCompletedError, LockLostError, StoreError } from '../errors/index.js';
import type { Grant, HandedOver, HoldSettings, LeaseContext } from '../lease/index.js';
import type { HoldOptions } from './client-options.js';
import { checkLockName } from './lock-name.js';

export { parseHandedOver } from '../lease/handed-over.js';

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
  { owner, signal }: { readonly owner: string; readonly signal: AbortSignal },
): Promise<Grant> {
  const { name } = from;
  checkLockName(name);
  const leaseId = context.runtime.randomId();
  try {
    await context.store.ensureTime(signal);
    const request = { name, leaseId, owner, leaseMs: terms.leaseMs, from };
    const outcome = await context.store.resume(request, signal);
    if (outcome.kind === 'lost') throw new LockLostError(name, outcome.reason, from.token);
    if (outcome.kind === 'completed') {
      throw new AlreadyCompletedError(name, outcome.item.result, outcome.item.completedAt!);
    }
    const { grant } = outcome;
    if (grant.expiresAt - context.clock.now().latest > terms.safetyMarginMs) return grant;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
  // Not given back: the same hand-over can be gone on with again.
  const message = `The lease of "${name}" was taken up, but the answer arrived when it was over`;
  throw new StoreError(message, name, { retryable: true, mayHaveApplied: true });
}
