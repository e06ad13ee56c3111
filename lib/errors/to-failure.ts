import { LeaseholdError, StoreError } from './errors.js';
import { findKind, type SdkError, toSdkError, treatments } from './known-errors.js';

/** What was asked, and of whom. */
export interface Asked {
  /** For messages: `Table "leases"`. */
  readonly what: string;
  /** The lock that it was about, where it was about one. */
  readonly lockName?: string | undefined;
  /** Whether the request changes something: then it may have done so although no answer came. @default "write" */
  readonly kind?: 'read' | 'write';
  /**
   * Whether requests have been answered before: credentials that were there and are away for a moment, as while they are
   * renewed, are then part of waiting.
   */
  readonly answeredBefore?: boolean;
  /** Said in place of the kind's own words and advice, where more is known. */
  readonly words?: string | undefined;
}

/**
 * An error of the SDK, or of the way there, as ours: whether trying again may help, and whether a write may have been
 * applied although no answer came. Errors are told apart by `name` only. Our own errors come back unchanged.
 */
export function toFailure(thrown: unknown, asked: Asked): LeaseholdError {
  if (thrown instanceof LeaseholdError) return thrown;
  const cause = toSdkError(thrown);
  const kind = findKind(cause);
  const treatment = treatments[kind];
  const { what, lockName, kind: request = 'write', answeredBefore = false } = asked;
  // A later attempt's answer says nothing about an earlier one, whose answer was lost.
  const triedBefore = (cause.$metadata?.attempts ?? 1) > 1;
  const advice = asked.words === undefined ? findAdvice(cause, treatment.advice) : undefined;
  const message = `${what} ${asked.words ?? treatment.words}: ${cause.message}${advice ? ` (${advice})` : ''}`;
  return new StoreError(message, lockName, {
    cause,
    retryable: treatment.retryable || (kind === 'credentials' && answeredBefore),
    mayHaveApplied: request === 'write' && (treatment.mayHaveApplied || triedBefore),
  });
}

function findAdvice({ message }: SdkError, advice: string | undefined): string | undefined {
  if (advice !== undefined) return advice;
  return /\bregion\b/i.test(message)
    ? 'give the Region: the option "region", AWS_REGION in the environment, or --region'
    : undefined;
}
