import { ownAttribute } from './fence-condition.js';
import type { FencingToken } from './fenced.js';

/**
 * An item that was read brings the fence along, which the guard writes anew. Anything but a token under that name is the
 * user's own, and would be overwritten.
 *
 * @throws UsageError then
 */
export function checkItem(
  lease: FencingToken,
  item: Readonly<Record<string, unknown>> | undefined,
  attribute: string,
): void {
  const value = item?.[attribute];
  if (value === undefined || Number.isSafeInteger(typeof value === 'bigint' ? Number(value) : value)) return;
  throw ownAttribute(lease, attribute, 'The item has');
}

/** @throws UsageError for an update expression that writes the fence's attribute itself: DynamoDB would refuse both */
export function checkUpdate(
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
