import { UsageError } from '../errors/index.js';
import { maxStorableBytes, type Unstorable, type Why } from './unstorable.js';

/* The words for what can't be kept. Loaded with the first such value. */

const words: Readonly<Record<Why, (detail: unknown) => string>> = {
  type: (type) => `it is a ${type}`,
  number: (number) => `it is ${number}`,
  zero: (number) => `it is ${number}, too near zero`,
  text: () => 'it is no Unicode: half of a pair of surrogates is missing',
  digits: () => 'it has more than 38 digits',
  depth: (most) => `it is nested more than ${most} deep, or holds itself`,
  error: () => 'it is an error; store what is of use of it, its message for one',
  empty: () => 'it is an empty set',
  set: () => 'it is a set of something else than numbers, texts or bytes, all alike',
  key: () => 'a key of it is no Unicode',
  proto: () => 'it has a key "__proto__"',
  read: (error) => `it can't be read: ${error instanceof Error ? error.message : String(error)}`,
  size: (bytes) =>
    `it has ${bytes} bytes, at most ${maxStorableBytes} fit into the item; keep it elsewhere, say in S3`,
};

/** @param call the call that the value was given to */
export function toUsageError({ path, why, detail }: Unstorable, call: string, lockName: string): UsageError {
  return new UsageError(
    `${call}: DynamoDB can't store ${path || 'the value'}: ${words[why](detail)}`,
    lockName,
  );
}
