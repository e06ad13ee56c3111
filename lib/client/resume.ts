import { AlreadyCompletedError, LockLostError, StoreError } from '../errors/index.js';
import { checkOptions } from '../lease/check-options.js';
import {
  type Grant,
  type HandedOver,
  type HoldSettings,
  isInTime,
  type Lease,
  type LeaseContext,
  parseHandedOver,
} from '../lease/index.js';
import { checkOwner, optionNames, type ResumeOptions, timeLeftMs } from './acquire-options.js';
import type { ClientHost } from './client-host.js';
import { holdSettings } from './hold-settings.js';
import { checkLockName } from './lock-name.js';

/** See `LockClient.resume`. */
export async function resume(host: ClientHost, handedOver: unknown, options: ResumeOptions): Promise<Lease> {
  checkOptions('resume', options, optionNames.resume);
  const { owner = host.owner, ...hold } = options;
  checkOwner(owner);
  timeLeftMs(hold);
  return host.whileOpen(options.signal, async (signal) => {
    const from = parseHandedOver(handedOver);
    const terms = holdSettings(host.options, { leaseMs: from.leaseMs, ...hold });
    const grant = await resumedGrant(host.context, from, terms, { owner, signal });
    return host.toLease({ name: from.name, owner }, grant, terms);
  });
}

/** One write; two where an earlier attempt went on with the same lease. */
async function resumedGrant(
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
    if (isInTime(context, grant, terms)) return grant;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
  // Not given back: the same hand-over can be gone on with again.
  const message = `The lease of "${name}" was taken up, but the answer arrived when it was over`;
  throw new StoreError(message, name, { retryable: true, mayHaveApplied: true });
}
