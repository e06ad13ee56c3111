import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type Item, NotSimulated } from './attribute-values.js';
import type { Tokens } from './tokens.js';

/** What an expression is evaluated with. */
export interface Scope {
  readonly item: Item;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Item;
}

/** A value, or nothing where the attribute is absent. */
export type Operand = (scope: Scope) => AttributeValue | undefined;

/** The attribute names of a path, placeholders still in it. */
export type Path = readonly string[];

/** The place in a list that ends a path: `#a[0]` is `['#a', 0]` to whoever asks. */
export function takeIndex(tokens: Tokens): number | undefined {
  if (!tokens.takeIf('[')) return undefined;
  const index = Number(tokens.take());
  tokens.demand(']');
  if (!Number.isInteger(index)) throw new NotSimulated('a place in a list that is no number');
  return index;
}

/** `#a`, `a.b`, `#a.#b`. */
export function takePath(tokens: Tokens): Path {
  const path = [tokens.take()];
  while (tokens.takeIf('.')) path.push(tokens.take());
  if (!path.every((part) => /^[#A-Za-z_]/.test(part))) throw new NotSimulated(`the path ${path.join('.')}`);
  return path;
}

/** What stands at a path. */
export function atPath(path: Path): Operand {
  const [first, second] = path;
  if (path.length === 1) return ({ item, names }) => item[names[first!] ?? first!];
  if (path.length > 2) throw new NotSimulated('a path of more than two parts');
  return ({ item, names }) => item[names[first!] ?? first!]?.M?.[names[second!] ?? second!];
}

/** A path, into a list or not, the size of what stands at one, or a value. */
export function takeOperand(tokens: Tokens): Operand {
  if (tokens.next === 'size') return takeSize(tokens);
  if (!tokens.next?.startsWith(':')) {
    const found = atPath(takePath(tokens));
    const index = takeIndex(tokens);
    return index === undefined ? found : (scope) => found(scope)?.L?.[index];
  }
  const value = tokens.take();
  return ({ values }) => values[value];
}

/** Of a text in bytes, of a list or a map in elements. */
function takeSize(tokens: Tokens): Operand {
  tokens.take();
  tokens.demand('(');
  const measured = atPath(takePath(tokens));
  tokens.demand(')');
  return (scope) => {
    const value = measured(scope);
    if (value === undefined) return undefined;
    if (value.L) return { N: String(value.L.length) };
    if (value.S !== undefined) return { N: String(Buffer.byteLength(value.S)) };
    throw new NotSimulated('the size of what is neither a list nor a text');
  };
}
