import type { Condition, ConditionalChange, FilledForm, ItemChange } from './form.js';

/** All of these must hold. */
export function all(...parts: readonly (Condition | undefined)[]): Condition {
  return joined(parts, ' AND ');
}

/** At least one of these must hold. */
export function any(...parts: readonly (Condition | undefined)[]): Condition {
  return joined(parts, ' OR ');
}

function joined(parts: readonly (Condition | undefined)[], operator: ' AND ' | ' OR '): Condition {
  const present = parts.filter((part) => part !== undefined);
  const alone = present.length === 1;
  const text = present.map((part) => (alone ? part.text : operand(part.text, operator))).join(operator);
  return { text, values: Object.assign({}, ...present.map((part) => part.values ?? {})) };
}

/**
 * Parentheses only where they are needed: AND binds tighter than OR. DynamoDB refuses doubled ones, and the time
 * that the parsers of some engines take doubles with each level.
 */
function operand(text: string, operator: ' AND ' | ' OR '): string {
  return operator === ' AND ' && /\bOR\b/i.test(text) && !isEnclosed(text) ? `(${text})` : text;
}

/** Whether one pair of parentheses goes around all of it. */
function isEnclosed(text: string): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth++;
    if (text[i] === ')') depth--;
    if (depth === 0) return i === text.length - 1 && text.startsWith('(');
  }
  return false;
}

/** More texts than this are not a program's own: some are made from what users give. */
const mostKnown = 1_000;

/** What is found in a text, kept for the next time: the same few are written again and again. */
function remembered<T>(find: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    let found = known.get(text);
    if (found === undefined) {
      if (known.size >= mostKnown) known.clear();
      found = find(text);
      known.set(text, found);
    }
    return found;
  };
}

const placeholdersIn = remembered((text) => text.match(/:\w+/g) ?? []);
const namesInText = remembered(
  (text): Readonly<Record<string, string>> =>
    Object.fromEntries((text.match(/#\w+/g) ?? []).map((placeholder) => [placeholder, placeholder.slice(1)])),
);

/** The `ExpressionAttributeNames` of some expressions: every `#attr` in them. */
export function namesIn(...texts: readonly (string | undefined)[]): Record<string, string> {
  return { ...namesInText(texts.join(' ')) };
}

/** Two changes in one write; both conditions must hold. Of two values for one attribute the second's counts. */
export function merged(first: ConditionalChange, second: ItemChange | undefined): ConditionalChange;
export function merged(first: ItemChange, second: ConditionalChange): ConditionalChange;
export function merged(first: ItemChange, second: ItemChange | undefined): ItemChange;
export function merged(first: ItemChange, second: ItemChange | undefined): ItemChange {
  if (!second) return first;
  const condition = first.condition || second.condition ? all(first.condition, second.condition) : undefined;
  // Most often it is a condition that is added, and nothing else.
  if (!second.set && !second.compute && !second.remove) return { ...first, condition };
  const { set = {}, compute = {} } = second;
  const isWritten = (attribute: string) => Object.hasOwn(set, attribute) || Object.hasOwn(compute, attribute);
  return {
    set: { ...without(first.set, isWritten), ...set },
    compute: { ...without(first.compute, isWritten), ...compute },
    remove: [...(first.remove ?? []), ...(second.remove ?? [])].filter((attribute) => !isWritten(attribute)),
    condition,
  };
}

function without<V>(
  values: Readonly<Record<string, V>> = {},
  isWritten: (attribute: string) => boolean,
): Readonly<Record<string, V>> {
  const left: Record<string, V> = {};
  for (const attribute in values) {
    if (!isWritten(attribute)) left[attribute] = values[attribute]!;
  }
  return left;
}

/** The texts and values that DynamoDB takes. */
export interface ExpressionParts {
  readonly update: string;
  readonly condition: string | undefined;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Writes a change out as expressions. */
export function toExpression(change: ItemChange): ExpressionParts {
  const values: Record<string, unknown> = { ...change.condition?.values };
  const sets: string[] = [];
  for (const [attribute, value] of Object.entries(change.set ?? {})) {
    if (value === undefined) continue;
    // The prefix keeps a written value apart from a condition's value of the same name.
    values[`:set_${attribute}`] = value;
    sets.push(`#${attribute} = :set_${attribute}`);
  }
  for (const [attribute, computed] of Object.entries(change.compute ?? {})) {
    Object.assign(values, computed.values);
    sets.push(`#${attribute} = ${computed.text}`);
  }
  const removes = (change.remove ?? []).map((attribute) => `#${attribute}`);
  const update = [
    sets.length > 0 ? `SET ${sets.join(', ')}` : '',
    removes.length > 0 ? `REMOVE ${removes.join(', ')}` : '',
  ]
    .filter(Boolean)
    .join(' ');
  return {
    update,
    condition: change.condition?.text,
    names: namesIn(update, change.condition?.text),
    values,
  };
}

/** The filled form as a change that can be written out, and in the same write what somebody adds. */
export function withChange({ form, values, change, wantsOld }: FilledForm): ConditionalChange {
  const { remove = [], condition } = form.parts;
  const used = (text: string) => {
    const needed: Record<string, unknown> = {};
    for (const placeholder of placeholdersIn(text)) needed[placeholder] = values[placeholder.slice(1)];
    return { text, values: needed };
  };
  const set: Record<string, unknown> = {};
  for (const attribute of form.parts.set) set[attribute] = values[attribute];
  const compute: Record<string, Condition> = {};
  for (const attribute in form.parts.compute) compute[attribute] = used(form.parts.compute[attribute]!);
  const own: ConditionalChange = { set, compute, remove, condition: used(condition) };
  return { ...merged(own, change), ...(wantsOld && { wantsOld }) };
}
