import { type Item, NotSimulated } from './attribute-values.js';
import { type Test, takeCondition } from './condition.js';
import { Tokens } from './tokens.js';
import { type Change, InvalidUpdate, takeUpdate } from './update.js';

interface Placeholders {
  readonly names: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
}

/** Product code writes the same few texts again and again. */
const conditions = new Map<string, { readonly test: Test } & Placeholders>();
const updates = new Map<string, { readonly change: Change } & Placeholders>();

/** A condition expression, read once. */
export function conditionOf(text: string): { readonly test: Test } & Placeholders {
  return known(conditions, text, (tokens) => ({ test: takeCondition(tokens) }));
}

/** An update expression, read once. */
export function updateOf(text: string): { readonly change: Change } & Placeholders {
  return known(updates, text, (tokens) => ({ change: takeUpdate(tokens) }));
}

function known<T>(cache: Map<string, T & Placeholders>, text: string, read: (tokens: Tokens) => T) {
  const found = cache.get(text);
  if (found) return found;
  const tokens = new Tokens(text);
  const made = read(tokens);
  if (tokens.next !== undefined) throw new NotSimulated(`"${tokens.next}" behind the expression`);
  const compiled = { ...made, names: tokens.names, values: tokens.values };
  cache.set(text, compiled);
  return compiled;
}

/** DynamoDB refuses placeholders that are given and not used, and the other way round. */
export function checkPlaceholders(
  given: { readonly names: Readonly<Record<string, string>>; readonly values: Item },
  condition: Placeholders | undefined,
  update: Placeholders | undefined,
): void {
  checkSame('names', given.names, condition?.names, update?.names);
  checkSame('values', given.values, condition?.values, update?.values);
}

function checkSame(
  what: string,
  given: object,
  inCondition: ReadonlySet<string> = unused,
  inUpdate: ReadonlySet<string> = unused,
): void {
  for (const placeholder in given) {
    if (inCondition.has(placeholder) || inUpdate.has(placeholder)) continue;
    throw new InvalidUpdate(`of the ${what}, ${placeholder} is not used`);
  }
  checkGiven(what, given, inCondition);
  checkGiven(what, given, inUpdate);
}

function checkGiven(what: string, given: object, used: ReadonlySet<string>): void {
  for (const placeholder of used) {
    if (!(placeholder in given)) throw new InvalidUpdate(`of the ${what}, ${placeholder} is not given`);
  }
}

const unused: ReadonlySet<string> = new Set();
