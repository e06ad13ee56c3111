import { isWellFormed } from '../lease/check-options.js';
import { maxStorableBytes, measureBytes, minMagnitude } from '../lease/storable.js';

/** A value that JSON can carry. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** What one checkpoint or result may take, as JSON, in bytes: an item has at most 400 KB, and carries both. */
export const maxValueBytes = 180_000;

/** DynamoDB counts small numbers and empty lists as more than JSON does: both values must fit by its count, too. */
const maxStoredBytes = maxStorableBytes / 2;

/** DynamoDB takes 32 levels, the item's own among them. */
const maxLevels = 30;

/** DynamoDB's largest number. */
const maxMagnitude = 9.9e125;

/**
 * Whether DynamoDB can store the value and hand it back as it was. `undefined` in an object counts as not there, as it
 * does in JSON.
 */
export function isStorable(value: unknown): value is JsonValue {
  if (!isPlain(value, maxLevels) || Buffer.byteLength(JSON.stringify(value)) > maxValueBytes) return false;
  return measureBytes(value) <= maxStoredBytes;
}

/** Checked before anything recurses without a bound: a caller may nest as deep as a payload is long. */
function isPlain(value: unknown, levels: number): boolean {
  if (value === null || typeof value === 'boolean') return true;
  if (typeof value === 'string') return isWellFormed(value);
  if (typeof value === 'number') return isStorableNumber(value);
  if (typeof value !== 'object' || levels === 0) return false;
  if (Array.isArray(value)) return value.every((one) => isPlain(one, levels - 1));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.entries(value).every(
    // An object of its own in JSON's eyes, a prototype in those of whoever copies it.
    ([key, one]) =>
      key !== '' &&
      key !== '__proto__' &&
      isWellFormed(key) &&
      (one === undefined || isPlain(one, levels - 1)),
  );
}

function isStorableNumber(value: number): boolean {
  if (value === 0) return true;
  if (Number.isInteger(value)) return Number.isSafeInteger(value);
  const magnitude = Math.abs(value);
  return magnitude >= minMagnitude && magnitude <= maxMagnitude;
}

/**
 * What the store has, as JSON can carry it: a client with a table may store more than JSON knows. Sets become lists,
 * bytes become Base64, whole numbers beyond a `number` become their digits as text.
 */
export function toJson(stored: unknown): JsonValue | undefined {
  if (stored === undefined || stored === null) return stored;
  if (typeof stored === 'bigint') return String(stored);
  if (typeof stored !== 'object') return stored as JsonValue;
  if (stored instanceof Uint8Array) return Buffer.from(stored).toString('base64');
  if (stored instanceof Set) return [...stored].map((one) => toJson(one) ?? null);
  if (Array.isArray(stored)) return stored.map((one) => toJson(one) ?? null);
  return Object.fromEntries(
    Object.entries(stored).flatMap(([key, one]) => (one === undefined ? [] : [[key, toJson(one)!]])),
  );
}
