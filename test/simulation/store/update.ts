import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type Item, NotSimulated, toNumber } from './attribute-values.js';
import { atPath, type Operand, type Scope, takeIndex, takeOperand, takePath } from './operands.js';
import type { Tokens } from './tokens.js';

/** What DynamoDB answers to an expression that can't be applied to the item. */
export class InvalidUpdate extends Error {}

/** Makes the item after the update of the item before. */
export type Change = (scope: Scope) => Item;

/** Reads an update expression of SET (with `+`, `-`, `if_not_exists`, `list_append`) and REMOVE, of whole attributes and of elements of lists. */
export function takeUpdate(tokens: Tokens): Change {
  const sets: { readonly name: string; readonly value: Operand }[] = [];
  const removes: { readonly name: string; readonly index: number | undefined }[] = [];
  while (tokens.next !== undefined) {
    if (tokens.takeIf('SET')) takeList(tokens, () => sets.push(takeAssignment(tokens)));
    else if (tokens.takeIf('REMOVE'))
      takeList(tokens, () => removes.push({ name: takeName(tokens), index: takeIndex(tokens) }));
    else throw new NotSimulated(`the update clause ${tokens.next}`);
  }
  return (scope) => {
    const { item, names } = scope;
    const after: Record<string, AttributeValue> = { ...item };
    const written = new Set<string>();
    for (const { name, value } of sets) {
      const attribute = once(names[name] ?? name, written);
      const computed = value(scope);
      if (computed === undefined)
        throw new InvalidUpdate(`${attribute} refers to an attribute that is absent`);
      after[attribute] = computed;
    }
    for (const { name, index } of removes) {
      const attribute = once(names[name] ?? name, written);
      if (index === undefined) delete after[attribute];
      else removeElement(after, attribute, index);
    }
    return after;
  };
}

/** Where there is none nothing is removed. */
function removeElement(after: Record<string, AttributeValue>, attribute: string, index: number): void {
  const list = after[attribute]?.L;
  if (!list) throw new InvalidUpdate(`${attribute} is no list`);
  after[attribute] = { L: list.filter((_, place) => place !== index) };
}

function once(attribute: string, written: Set<string>): string {
  if (written.has(attribute)) throw new InvalidUpdate(`two paths overlap: ${attribute}`);
  written.add(attribute);
  return attribute;
}

function takeList(tokens: Tokens, takeOne: () => void): void {
  do takeOne();
  while (tokens.takeIf(','));
}

function takeName(tokens: Tokens): string {
  const path = takePath(tokens);
  if (path.length > 1) throw new NotSimulated(`a change inside of ${path[0]}`);
  return path[0]!;
}

function takeAssignment(tokens: Tokens) {
  const name = takeName(tokens);
  tokens.demand('=');
  const first = takeValue(tokens);
  if (tokens.takeIf('+')) return { name, value: sum(first, takeValue(tokens), 1) };
  if (tokens.takeIf('-')) return { name, value: sum(first, takeValue(tokens), -1) };
  return { name, value: first };
}

function takeValue(tokens: Tokens): Operand {
  if (tokens.next === 'list_append') return takeListAppend(tokens);
  if (tokens.next !== 'if_not_exists') return takeOperand(tokens);
  tokens.take();
  tokens.demand('(');
  const present = atPath(takePath(tokens));
  tokens.demand(',');
  const otherwise = takeOperand(tokens);
  tokens.demand(')');
  return (scope) => present(scope) ?? otherwise(scope);
}

function takeListAppend(tokens: Tokens): Operand {
  tokens.take();
  tokens.demand('(');
  const first = takeValue(tokens);
  tokens.demand(',');
  const second = takeValue(tokens);
  tokens.demand(')');
  return (scope) => {
    const [a, b] = [first(scope), second(scope)];
    if (a === undefined || b === undefined) return undefined;
    if (!a.L || !b.L) throw new InvalidUpdate('an operand is no list');
    return { L: [...a.L, ...b.L] };
  };
}

function sum(left: Operand, right: Operand, sign: 1 | -1): Operand {
  return (scope) => {
    const a = left(scope);
    const b = right(scope);
    if (a === undefined || b === undefined) return undefined;
    if (a.N === undefined || b.N === undefined) throw new InvalidUpdate('an operand is no number');
    const result = toNumber(a.N) + sign * toNumber(b.N);
    if (!Number.isInteger(toNumber(a.N)) || !Number.isInteger(toNumber(b.N))) {
      throw new NotSimulated('sums of fractions');
    }
    return { N: String(result) };
  };
}
