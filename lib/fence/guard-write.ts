import {
  DeleteCommand,
  type DeleteCommandInput,
  PutCommand,
  type PutCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { UsageError } from '../errors/index.js';
import { checkOptions } from '../lease/check-options.js';
import { fenceAttribute, ownAttribute, settingFence, withFence } from './fence-condition.js';
import { checkLease, type FenceOptions, type FencingToken } from './fenced.js';
import { findStaleToken, type Refusal } from './stale-token.js';

/**
 * A Put that is refused when a newer holder has written.
 *
 * ```ts
 * await ledger.send(guardPut(lease, { TableName: 'settlements', Item: { id: 'batch-99', total } }));
 * ```
 *
 * @param input as for `PutCommand`; a condition of its own must hold as well
 * @returns a command for `DynamoDBDocumentClient.send`, which then throws `StaleTokenError` with both tokens
 * @throws UsageError before anything is sent: for a token that is none, or an item that has the fence's attribute for
 *   something else
 */
export function guardPut(
  lease: FencingToken,
  input: PutCommandInput,
  options: FenceOptions = {},
): PutCommand {
  const guarded = withFence(lease, input, options);
  const attribute = fenceAttribute(options);
  checkItem(lease, input.Item, attribute);
  const Item = { ...input.Item, [attribute]: lease.token };
  return translating(lease, new PutCommand({ ...guarded, Item }), input, options);
}

/**
 * An Update that is refused when a newer holder has written. As {@link guardPut}.
 *
 * @param input as for `UpdateCommand`, with an `UpdateExpression` (not the old `AttributeUpdates`)
 */
export function guardUpdate(
  lease: FencingToken,
  input: UpdateCommandInput,
  options: FenceOptions = {},
): UpdateCommand {
  const guarded = withFence(lease, input, options);
  if ('AttributeUpdates' in input)
    throw new UsageError('guardUpdate: use UpdateExpression, not AttributeUpdates', lease.name);
  checkUpdate(lease, input, fenceAttribute(options));
  const UpdateExpression = settingFence(input.UpdateExpression);
  const command = new UpdateCommand({ ...guarded, UpdateExpression });
  return translating(lease, command, input, options);
}

/**
 * A Delete that is refused when a newer holder has written. As {@link guardPut}.
 *
 * The fence goes with the item: an older holder could write it anew. Where that matters use
 * {@link guardTombstone}, or put the "still held" check into a transaction.
 */
export function guardDelete(
  lease: FencingToken,
  input: DeleteCommandInput,
  options: FenceOptions = {},
): DeleteCommand {
  return translating(lease, new DeleteCommand(withFence(lease, input, options)), input, options);
}

/**
 * Deletes all of an item but its key and its fence, so that an older holder's write stays refused.
 *
 * @param input table and key, as for `DeleteCommand`; further attributes to keep (a `ttl`, say) go into `keep`
 */
export function guardTombstone(
  lease: FencingToken,
  input: DeleteCommandInput,
  options: FenceOptions & { readonly keep?: Readonly<Record<string, unknown>> } = {},
): PutCommand {
  checkLease(lease);
  checkOptions('guardTombstone', options, ['fenceAttribute', 'keep']);
  const { keep, ...fence } = options;
  const { Key, ...rest } = input;
  if (fenceAttribute(fence) in (Key ?? {})) throw ownAttribute(lease, fenceAttribute(fence), 'The key has');
  const put = { ...(rest as Omit<PutCommandInput, 'Item'>), Item: { ...keep, ...Key } };
  return guardPut(lease, put, fence);
}

// biome-ignore lint/suspicious/noExplicitAny: the SDK types a middleware stack by its command
type AnyStack = any;

/** The command, with the refusal by the fence turned into a `StaleTokenError`. It rides on the command alone. */
function translating<Command extends { readonly middlewareStack: unknown }>(
  lease: FencingToken,
  command: Command,
  input: { readonly ConditionExpression?: string | undefined },
  options: FenceOptions,
): Command {
  (command.middlewareStack as AnyStack).add(
    // biome-ignore lint/suspicious/noExplicitAny: as above
    (next: any) => async (args: any) => {
      try {
        return await next(args);
      } catch (error) {
        if ((error as Error).name !== 'ConditionalCheckFailedException') throw error;
        const ownCondition = Boolean(input.ConditionExpression?.trim());
        throw findStaleToken(lease, error as Refusal, fenceAttribute(options), ownCondition, error) ?? error;
      }
    },
  );
  return command;
}

/**
 * An item that was read brings the fence along, which the guard writes anew. Anything but a token under that name is the
 * user's own, and would be overwritten.
 *
 * @throws UsageError then
 */
function checkItem(
  lease: FencingToken,
  item: Readonly<Record<string, unknown>> | undefined,
  attribute: string,
): void {
  const value = item?.[attribute];
  if (value === undefined || Number.isSafeInteger(typeof value === 'bigint' ? Number(value) : value)) return;
  throw ownAttribute(lease, attribute, 'The item has');
}

/** @throws UsageError for an update expression that writes the fence's attribute itself: DynamoDB would refuse both */
function checkUpdate(
  lease: FencingToken,
  { UpdateExpression, ExpressionAttributeNames = {} }: UpdateParts,
  attribute: string,
): void {
  for (const target of findTargets(UpdateExpression ?? '')) {
    if ((ExpressionAttributeNames[target] ?? target) === attribute)
      throw ownAttribute(lease, attribute, 'The update writes');
  }
}

interface UpdateParts {
  readonly UpdateExpression?: string | undefined;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
}

/** What begins a clause. A placeholder may have such a name, and an element of a document. */
const clauseStart = /(?<![#:.\w])(SET|REMOVE|ADD|DELETE)(?!\w)/i;

/** The attributes, or their placeholders, that an update expression writes: `SET a.b = :v REMOVE #c` has `a` and `#c`. */
function findTargets(expression: string): string[] {
  const [, ...parts] = expression.split(clauseStart);
  // By turns the word and what belongs to it.
  return parts
    .filter((_, index) => index % 2 === 1)
    .flatMap(splitActions)
    .map((action) => /^[#\w-]+/.exec(action.trim())?.[0] ?? '');
}

/** At the commas between actions, not at those within a function's arguments. */
function splitActions(clause: string): string[] {
  const actions = [''];
  let depth = 0;
  for (const character of clause) {
    if (character === '(') depth++;
    if (character === ')') depth--;
    if (character === ',' && depth === 0) actions.push('');
    else actions[actions.length - 1] += character;
  }
  return actions;
}
