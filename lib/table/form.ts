/**
 * A condition with its values. Attribute names are written `#attr` and mean the attribute `attr`
 * (half of ours are reserved words of DynamoDB), values `:value`.
 */
export interface Condition {
  readonly text: string;
  readonly values?: Readonly<Record<string, unknown>>;
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
  /** The placeholder in the texts of each value, by its name: that of its placeholder in the parts, without the colon. */
  readonly values: readonly (readonly [name: string, text: string])[];
}

/** What a form is made from: texts, with a placeholder for each value. */
export interface FormParts {
  /** Attributes to write, each from the value that bears its name. */
  readonly set: readonly string[];
  /** Expressions to write, by attribute. */
  readonly compute?: Readonly<Record<string, string>>;
  /** Attributes to take away. */
  readonly remove?: readonly string[];
  readonly condition: string;
}

/** A form with the values of one call, by the names of their placeholders. */
export interface FilledForm {
  readonly form: Form;
  readonly values: Readonly<Record<string, unknown>>;
  /** What somebody adds, in the same write. */
  readonly change?: ItemChange | undefined;
  /** As in {@link ConditionalChange}. */
  readonly wantsOld?: boolean;
}

/** All of these texts must hold. */
export function allOf(...texts: readonly string[]): string {
  return texts.join(' AND ');
}

/** One of these texts, at least two, must hold. In parentheses, as AND binds tighter. */
export function anyOf(...texts: readonly string[]): string {
  return `(${texts.join(' OR ')})`;
}

/** Writes the texts of a form. */
export function formOf(parts: FormParts): Form {
  const { set, compute = {}, remove = [], condition } = parts;
  const sets = [
    ...set.map((attribute) => `#${attribute} = :${attribute}`),
    ...Object.entries(compute).map(([attribute, text]) => `#${attribute} = ${text}`),
  ];
  const names: Record<string, string> = {};
  const values: [name: string, text: string][] = [];
  const shorts = new Map<string, string>();
  const shortened = (text: string) =>
    text
      .replace(/ ?(=|,|<>|<) ?/g, '$1')
      // None of DynamoDB's reserved words, which are whole words: a name with a capital in it, and two of ours.
      .replace(/#([a-z]+[A-Z]\w*|version|renewals)\b/g, '$1')
      .replace(/([#:])(\w+)/g, (long, mark, name) => {
        let short = shorts.get(long);
        if (!short) {
          short = mark + (10 + shorts.size).toString(36);
          shorts.set(long, short);
          if (mark === '#') names[short] = name;
          else values.push([name, short]);
        }
        return short;
      });
  const removes = remove.length > 0 ? ` REMOVE ${remove.map((attribute) => `#${attribute}`).join(', ')}` : '';
  const update = shortened(`SET ${sets.join(', ')}${removes}`);
  return { parts, update, condition: shortened(condition), names, values };
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
