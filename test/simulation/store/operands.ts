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

/** A path or a value. */
export function takeOperand(tokens: Tokens): Operand {
  if (!tokens.next?.startsWith(':')) return atPath(takePath(tokens));
  const value = tokens.take();
  return ({ values }) => values[value];
}
