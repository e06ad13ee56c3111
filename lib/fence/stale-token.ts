import { StaleTokenError, type UsageError } from '../errors/index.js';
import { publish } from '../events/events.js';
import { ownAttribute } from './fence-condition.js';
import type { FencingToken } from './fenced.js';

/** A refused condition, as the SDK reports it: the item comes marshalled, also through the document client. */
export interface Refusal {
  readonly Item?: Record<string, unknown> | undefined;
}

/**
 * Why a guarded write was refused: a `StaleTokenError` if the fence refused it, otherwise `undefined`, since the
 * caller's own condition did. A value that is no number is no fence: a `UsageError`.
 *
 * @param ownCondition whether the caller had one; if not, only the fence can have refused
 */
export function findStaleToken(
  lease: FencingToken,
  refusal: Refusal,
  fenceAttribute: string,
  ownCondition: boolean,
  cause: unknown,
): StaleTokenError | UsageError | undefined {
  const held = refusal.Item?.[fenceAttribute];
  if (held !== undefined && toNumber(held) === undefined)
    return ownAttribute(lease, fenceAttribute, 'The stored item has');
  const currentToken = toNumber(held);
  const refusedByFence = currentToken === undefined ? !ownCondition : currentToken > lease.token;
  return refusedByFence ? staleToken(lease, currentToken, 'dynamodb', cause) : undefined;
}

/** The error, and the event that goes with it. */
export function staleToken(
  lease: FencingToken,
  currentToken: number | undefined,
  operation: string,
  cause?: unknown,
): StaleTokenError {
  publish('stale-write-refused', { name: lease.name, token: lease.token, currentToken, operation });
  return new StaleTokenError(lease.name, lease.token, currentToken, { cause });
}

/** Of an attribute as it was stored. */
function toNumber(value: unknown): number | undefined {
  const number = Number((value as { readonly N?: string } | undefined)?.N);
  return Number.isFinite(number) ? number : undefined;
}
