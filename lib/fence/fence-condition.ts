import { quoted, UsageError } from '../errors/index.js';
import { checkOptions } from '../lease/check-options.js';
import { all, any } from '../table/expression.js';
import type { Condition } from '../table/form.js';
import { checkLease, defaultFenceAttribute, type FenceOptions, type FencingToken } from './fenced.js';

/** The parts of a DynamoDB write that a guard adds to. */
export interface GuardableInput {
  readonly ConditionExpression?: string | undefined;
  readonly ExpressionAttributeNames?: Record<string, string> | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: any value that the document client can store
  readonly ExpressionAttributeValues?: Record<string, any> | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly Key?: Record<string, any> | undefined;
}

/** Placeholders that no expression of a user's is likely to use. */
const fence = '#leaseholdFence';
const token = ':leaseholdToken';

/** Nobody has written with a token yet: the item is new, or older than the guard. */
const neverFenced = `attribute_not_exists(${fence})`;

/** Nobody newer has written. Equal is fine: one holder writes many times. */
const notOvertaken = `${fence} <= ${token}`;

const guard: Condition = any({ text: neverFenced }, { text: notOvertaken });

/**
 * The same write, refused when somebody with a newer token has written (protocol, section 7). A condition of the
 * caller's own must hold as well.
 *
 * @throws UsageError for a token that is none, and for an input that has a guard already or whose key is the fence
 */
export function withFence<Input extends GuardableInput>(
  lease: FencingToken,
  input: Input,
  options: FenceOptions,
) {
  checkLease(lease);
  checkOptions('The guard', options, ['fenceAttribute']);
  const attribute = fenceAttribute(options);
  checkGuardable(lease, input, attribute);
  const own = input.ConditionExpression?.trim();
  return {
    ...input,
    ConditionExpression: all(own ? { text: own } : undefined, guard).text,
    ExpressionAttributeNames: { ...input.ExpressionAttributeNames, [fence]: attribute },
    ExpressionAttributeValues: { ...input.ExpressionAttributeValues, [token]: lease.token },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}

/** `SET fence = token`, added to an update expression that may have a SET of its own, which may stand only once. */
export function settingFence(updateExpression: string | undefined): string {
  const setFence = `SET ${fence} = ${token}`;
  const own = updateExpression?.trim();
  if (!own) return setFence;
  const ownSet = /(?<![#:.\w])SET(?!\w)/i;
  return ownSet.test(own) ? own.replace(ownSet, `${setFence},`) : `${setFence} ${own}`;
}

/**
 * The attribute's name.
 *
 * @throws UsageError for an option that can't be one
 */
export function fenceAttribute({ fenceAttribute: attribute }: FenceOptions): string {
  if (attribute === undefined) return defaultFenceAttribute;
  if (typeof attribute === 'string' && attribute !== '') return attribute;
  throw new UsageError(`fenceAttribute: must be the name of an attribute, got ${quoted(attribute)}`);
}

/** The user's data has an attribute of that name which is not the fence. */
export function ownAttribute(lease: FencingToken, attribute: string, what: string): UsageError {
  return new UsageError(
    `${what} an attribute "${attribute}" of its own, where the guard keeps the fencing token: ` +
      "give the guard another one, { fenceAttribute: '…' }, in every write of these items",
    lease.name,
  );
}

function checkGuardable(lease: FencingToken, input: GuardableInput, attribute: string): void {
  if (fence in (input.ExpressionAttributeNames ?? {}) || token in (input.ExpressionAttributeValues ?? {})) {
    throw new UsageError('This write has a guard already: guard what it was made from', lease.name);
  }
  if (attribute in (input.Key ?? {})) throw ownAttribute(lease, attribute, 'The key has');
}
