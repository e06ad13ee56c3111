import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** An item as DynamoDB has it. */
export type Item = Readonly<Record<string, AttributeValue>>;

/** What the simulated store can't do, on purpose: it stops rather than guess. */
export class NotSimulated extends Error {
  override readonly name = 'NotSimulated';
}

/** The one type that a value has. */
export function findType(value: AttributeValue): string {
  for (const type in value) return type;
  throw new NotSimulated('a value without a type');
}

/** A number of DynamoDB's, as far as a `number` holds it exactly. */
export function toNumber(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || text.replace(/\D/g, '').length > 16) {
    throw new NotSimulated(`the number ${text}`);
  }
  return value;
}

/** Whether two values are the same for DynamoDB: unlike types never are, sets have no order. */
export function isEqual(a: AttributeValue, b: AttributeValue): boolean {
  if (a === b) return true;
  const type = findType(a);
  if (type !== findType(b)) return false;
  const left = (a as unknown as Record<string, unknown>)[type];
  const right = (b as unknown as Record<string, unknown>)[type];
  switch (type) {
    case 'S':
    case 'BOOL':
    case 'NULL':
      return left === right;
    case 'N':
      return left === right || toNumber(left as string) === toNumber(right as string);
    case 'L':
      return isEqualList(left as AttributeValue[], right as AttributeValue[]);
    case 'M':
      return isEqualMap(left as Item, right as Item);
    default:
      throw new NotSimulated(`equality of ${type}`);
  }
}

/** Smaller than 0, 0, larger: of two strings by UTF-8 bytes, of two numbers; `undefined` if they don't compare. */
export function order(a: AttributeValue, b: AttributeValue): number | undefined {
  if (a.N !== undefined && b.N !== undefined) return orderOfNumbers(a.N, b.N);
  if (a.S !== undefined && b.S !== undefined) return orderOfText(a.S, b.S);
  if (findType(a) === findType(b)) throw new NotSimulated(`order of ${findType(a)}`);
  return undefined;
}

/** Rounding keeps the order, so what a `number` can't hold exactly compares as well, unless it is too close to call. */
function orderOfNumbers(a: string, b: string): number {
  return Number(a) < Number(b) ? -1 : Number(a) > Number(b) ? 1 : toNumber(a) - toNumber(b);
}

/** By UTF-8 bytes: what S3 lists and DynamoDB compares by. Apart from the product's own, which it checks. */
export function orderOfText(a: string, b: string): number {
  if (a === b) return 0;
  return isAscii(a) && isAscii(b) ? (a < b ? -1 : 1) : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false;
  return true;
}

function isEqualList(a: readonly AttributeValue[], b: readonly AttributeValue[]): boolean {
  return a.length === b.length && a.every((value, index) => isEqual(value, b[index]!));
}

function isEqualMap(a: Item, b: Item): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && isEqual(a[key]!, b[key]!));
}
