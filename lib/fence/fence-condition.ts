import { UsageError } from '../errors/index.js';
import { defaultFenceAttribute, type FenceOptions, type FencingToken } from './fenced.js';

/** The parts of a DynamoDB write that a guard adds to. */
export interface GuardableInput {
  readonly ConditionExpression?: string | undefined;
  readonly ExpressionAttributeNames?: Record<string, string> | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: any value that the document client can store
  readonly ExpressionAttributeValues?: Record<string, any> | undefined;
}

/** Placeholders that no expression of a user's is likely to use. */
const fence = '#leaseholdFence';
const token = ':leaseholdToken';

/** Nobody has written with a token yet: the item is new, or older than the guard. */
const neverFenced = `attribute_not_exists(${fence})`;

/** Nobody newer has written. Equal is fine: one holder writes many times. */
const notOvertaken = `${fence} <= ${token}`;

/**
 * The same write, refused when somebody with a newer token has written (protocol, section 7). A condition of the
 * caller's own must hold as well.
 */
export function withFence<Input extends GuardableInput>(
  lease: FencingToken,
  input: Input,
  options: FenceOptions,
) {
  checkToken(lease);
  const own = input.ConditionExpression;
  const guard = `${neverFenced} OR ${notOvertaken}`;
  return {
    ...input,
    ConditionExpression: own ? `(${own}) AND (${guard})` : guard,
    ExpressionAttributeNames: { ...input.ExpressionAttributeNames, [fence]: fenceAttribute(options) },
    ExpressionAttributeValues: { ...input.ExpressionAttributeValues, [token]: lease.token },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}

/** `SET fence = token`, added to an update expression that may have a SET of its own, which may stand only once. */
export function settingFence(updateExpression: string | undefined): string {
  const setFence = `SET ${fence} = ${token}`;
  if (!updateExpression?.trim()) return setFence;
  const ownSet = /(^|\s)SET\s+/i;
  return ownSet.test(updateExpression)
    ? updateExpression.replace(ownSet, `$1${setFence}, `)
    : `${setFence} ${updateExpression}`;
}

/** The attribute's name. */
export function fenceAttribute(options: FenceOptions): string {
  return options.fenceAttribute ?? defaultFenceAttribute;
}

function checkToken(lease: FencingToken): void {
  if (Number.isSafeInteger(lease?.token)) return;
  throw new UsageError(
    `A guard needs a lease with a fencing token, got ${JSON.stringify(lease)}`,
    lease?.name,
  );
}
