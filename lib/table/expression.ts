/**
 * A condition with its values. Attribute names are written `#attr` and mean the attribute `attr`
 * (half of ours are reserved words of DynamoDB), values `:value`.
 */
export interface Condition {
  readonly text: string;
  readonly values?: Readonly<Record<string, unknown>>;
}

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

/** The `ExpressionAttributeNames` of some expressions: every `#attr` in them. */
export function namesIn(...texts: readonly (string | undefined)[]): Record<string, string> {
  const names: Record<string, string> = {};
  for (const text of texts) {
    for (const placeholder of text?.match(/#\w+/g) ?? []) names[placeholder] = placeholder.slice(1);
  }
  return names;
}

/** A change of some attributes, as an update expression, under a condition. */
export interface ItemChange {
  /** Attributes to write. One whose value is `undefined` is left alone. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Expressions to write, by attribute: for values that depend on the item (`if_not_exists(…) + :one`). */
  readonly compute?: Readonly<Record<string, Condition>>;
  /** Attributes to take away. */
  readonly remove?: readonly string[];
  /** What must hold of the item as it is. */
  readonly condition?: Condition;
}

/** A change under a condition. */
export type ConditionalChange = ItemChange & {
  readonly condition: Condition;
  /** Whether the answer shall bring the item as it was. @default false */
  readonly wantsOld?: boolean;
};

/** Two changes in one write; both conditions must hold. Of two values for one attribute the second's counts. */
export function merged(first: ConditionalChange, second: ItemChange | undefined): ConditionalChange;
export function merged(first: ItemChange, second: ConditionalChange): ConditionalChange;
export function merged(first: ItemChange, second: ItemChange | undefined): ItemChange;
export function merged(first: ItemChange, second: ItemChange | undefined): ItemChange {
  if (!second) return first;
  const condition = first.condition || second.condition ? all(first.condition, second.condition) : undefined;
  // Most often it is a condition that is added, and nothing else.
  if (!second.set && !second.compute && !second.remove) return { ...first, condition };
  const written = new Set([...Object.keys(second.set ?? {}), ...Object.keys(second.compute ?? {})]);
  return {
    set: { ...without(first.set, written), ...second.set },
    compute: { ...without(first.compute, written), ...second.compute },
    remove: [...(first.remove ?? []), ...(second.remove ?? [])].filter(
      (attribute) => !written.has(attribute),
    ),
    condition,
  };
}

function without<V>(values: Readonly<Record<string, V>> | undefined, attributes: ReadonlySet<string>) {
  return Object.fromEntries(Object.entries(values ?? {}).filter(([attribute]) => !attributes.has(attribute)));
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

/**
 * A change whose texts are written once: from call to call only its values differ. What travels is short: placeholders of
 * one letter, and names as they are where no word of DynamoDB's can be meant.
 */
export interface Form {
  /** The parts that it was made from. */
  readonly parts: FormParts;
  readonly update: string;
  readonly condition: string;
  readonly names: Readonly<Record<string, string>>;
  /** The placeholder of each value, in the parts and in the texts. */
  readonly values: readonly (readonly [part: string, text: string])[];
}

/** What a form is made from. */
export interface FormParts extends Pick<ItemChange, 'compute' | 'remove'> {
  /** Attributes to write, each from the value that bears its name. */
  readonly set: readonly string[];
  readonly condition: Condition;
}

/** A form with the values of one call, by their placeholders. */
export interface FilledForm {
  readonly form: Form;
  readonly values: Readonly<Record<string, unknown>>;
  /** As in {@link ConditionalChange}. */
  readonly wantsOld?: boolean;
}

/** Writes the texts of a form. Values that stand in the parts stand for those of the calls. */
export function formOf(parts: FormParts): Form {
  const written = Object.fromEntries(parts.set.map((attribute) => [attribute, { text: `:${attribute}` }]));
  const { update, condition } = toExpression({
    ...parts,
    set: {},
    compute: { ...written, ...parts.compute },
  });
  const shorts = new Map<string, string>();
  const shortened = (text: string) =>
    text
      .replace(/ ?(=|,|<>|<) ?/g, '$1')
      // None of DynamoDB's reserved words, which are whole words: a name with a capital in it, and two of ours.
      .replace(/#([a-z]+[A-Z]\w*|version|renewals)\b/g, '$1')
      .replace(/[#:]\w+/g, (long) => {
        if (!shorts.has(long)) shorts.set(long, long[0] + (10 + shorts.size).toString(36));
        return shorts.get(long)!;
      });
  const texts = { update: shortened(update), condition: shortened(condition!) };
  const [names, values] = ['#', ':'].map((mark) => [...shorts].filter(([long]) => long.startsWith(mark)));
  return {
    parts,
    ...texts,
    names: Object.fromEntries(names!.map(([long, short]) => [short, long.slice(1)])),
    values: values!,
  };
}

/** The forms of one kind of write, each made when it is first needed: they differ in what is there and what is not. */
export function formsBy<Traits extends readonly boolean[]>(
  toParts: (...traits: Traits) => FormParts,
): (...traits: Traits) => Form {
  const known = new Map<number, Form>();
  return (...traits) => {
    const key = traits.reduce((bits, trait) => 2 * bits + Number(trait), 0);
    const form = known.get(key) ?? formOf(toParts(...traits));
    known.set(key, form);
    return form;
  };
}

/** The filled form, and in the same write what somebody adds. */
export function withChange(
  filled: FilledForm,
  change: ItemChange | undefined,
): FilledForm | ConditionalChange {
  if (!change) return filled;
  const { form, values, wantsOld } = filled;
  const { parts } = form;
  const used = (text: string) =>
    Object.fromEntries((text.match(/:\w+/g) ?? []).map((placeholder) => [placeholder, values[placeholder]]));
  const own: ConditionalChange = {
    set: Object.fromEntries(parts.set.map((attribute) => [attribute, values[`:${attribute}`]])),
    compute: Object.fromEntries(
      Object.entries(parts.compute ?? {}).map(([attribute, { text }]) => [
        attribute,
        { text, values: used(text) },
      ]),
    ),
    remove: parts.remove ?? [],
    condition: { text: parts.condition.text, values: used(parts.condition.text) },
  };
  return { ...merged(own, change), ...(wantsOld && { wantsOld }) };
}
