import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { StoredItem } from './lease-table.js';

/** The key of an item, as DynamoDB takes it. */
export function toKey(name: string): Record<string, AttributeValue> {
  return { name: { S: name } };
}

/** Numbers that no `number` can hold become a `bigint`, or the nearest `number` where they are no integers. */
export function unmarshalled(item: Record<string, AttributeValue>): StoredItem {
  return unmarshall(item, {
    wrapNumbers: (text: string) => {
      const value = Number(text);
      return Number.isSafeInteger(value) || !/^-?\d+$/.test(text) ? value : BigInt(text);
    },
  });
}
