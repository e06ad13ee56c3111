import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { StoredItem } from './item-table.js';

type Marshalled = Record<string, AttributeValue>;

/** The key of an item, as DynamoDB takes it. */
export function toKey(name: string): Marshalled {
  return { name: { S: name } };
}

/** Text and whole numbers, which ours are, as DynamoDB takes them; `undefined` for all else. */
export function plainAttribute(value: unknown): AttributeValue | undefined {
  if (typeof value === 'string') return { S: value };
  return Number.isSafeInteger(value) ? { N: String(value) } : undefined;
}

/** Numbers that no `number` can hold become a `bigint`, or the nearest `number` where they are no integers. */
export function unmarshalled(item: Marshalled): StoredItem {
  const values: Record<string, unknown> = {};
  for (const key in item) values[key] = toValue(item[key]!);
  return values;
}

/** As for the other way: the SDK takes apart what is nested. */
function toValue(attribute: AttributeValue): unknown {
  if (attribute.S !== undefined) return attribute.S;
  if (attribute.N !== undefined) return toNumber(attribute.N);
  return unmarshall({ v: attribute }, { wrapNumbers: toNumber }).v;
}

function toNumber(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(text) ? value : BigInt(text);
}
