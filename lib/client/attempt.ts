import {
  type Grant,
  type GrantOutcome,
  type GrantRequest,
  type HoldSettings,
  isInTime,
  type LeaseContext,
} from '../lease/index.js';

/** What one acquire call asks for. */
export interface AcquisitionRequest
  extends Omit<GrantRequest, 'leaseId' | 'leaseMs' | 'spareMs' | 'watchMs'> {
  /** Take over a lease of the same owner at once: an earlier attempt of the same logical worker. */
  readonly supersede?: boolean;
  /** How a lease that is granted now would be held, asked before each write: a caller's own time may run out. */
  readonly terms: () => HoldSettings;
  readonly signal: AbortSignal | undefined;
}

/** One write for the lock, and what came of it. */
export interface Attempt {
  readonly leaseId: string;
  /** What was asked for. */
  terms: HoldSettings;
  /** The store's answer. */
  outcome?: GrantOutcome;
  /** What was thrown instead. */
  failure?: { readonly error: unknown };
}

/**
 * Asks for the lock once. Of a free lock it is all that there is to an acquire call.
 *
 * @param leaseId new for each acquire call, and the same over its attempts
 */
export async function attemptGrant(
  context: LeaseContext,
  request: AcquisitionRequest,
  leaseId: string,
): Promise<Attempt> {
  const { name, owner, group, lockDelayMs, change, giveUpWhen, signal } = request;
  const { aboveToken, seenLeaseId, seenToken, askedAt } = request;
  const attempt: Attempt = { leaseId, terms: request.terms() };
  try {
    await context.store.ensureTime(signal);
    attempt.terms = request.terms();
    const { leaseMs, spareMs } = attempt.terms;
    // In one piece, here and wherever each lock comes by: what is made of others and then added to takes ten times as long.
    const asked = {
      name,
      owner,
      group,
      lockDelayMs,
      change,
      giveUpWhen,
      leaseMs,
      spareMs,
      leaseId,
      aboveToken,
      seenLeaseId,
      seenToken,
      askedAt,
    };
    attempt.outcome = await context.store.grant(asked, signal);
  } catch (error) {
    attempt.failure = { error };
  }
  return attempt;
}

/** The grant, if it can be handed out: one that took too long to arrive is not. */
export function findGrant(context: LeaseContext, { outcome, terms }: Attempt): Grant | undefined {
  if (outcome?.kind !== 'granted') return undefined;
  // By the terms of this very grant: a shorter one is asked for when the caller's own time runs out.
  return isInTime(context, outcome.grant, terms) ? outcome.grant : undefined;
}
