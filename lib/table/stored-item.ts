import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { UsageError } from '../errors/index.js';
import type { StoredItem } from './item-table.js';

type Marshalled = Record<string, AttributeValue>;

/** The key of an item, as DynamoDB takes it. */
export function toKey(name: string): Marshalled {
  return { name: { S: name } };
}

/**
 * As DynamoDB takes values. Text and numbers, which most of ours are, are written here; what users give goes by the SDK.
 *
 * @throws UsageError if a value is none that DynamoDB can store
 */
export function toMarshalled(values: Readonly<Record<string, unknown>>, name: string): Marshalled {
  const marshalled: Marshalled = {};
  for (const key in values) {
    if (values[key] !== undefined) marshalled[key] = toAttribute(values[key], name);
  }
  return marshalled;
}

/** @throws UsageError if the value is none that DynamoDB can store */
export function toAttribute(value: unknown, name: string): AttributeValue {
  if (typeof value === 'string') return { S: value };
  if (Number.isSafeInteger(value)) return { N: String(value) };
  try {
    const { v } = marshall({ v: value }, { removeUndefinedValues: true });
    // Functions and symbols count as undefined; an expression would miss its value.
    if (v === undefined) throw new TypeError(`a value is a ${typeof value}`);
    return v;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`DynamoDB can't store what "${name}" was given: ${reason}`, name, { cause: error });
  }
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
