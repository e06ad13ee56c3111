import { quoted, UsageError } from '../errors/index.js';
import { isWellFormed } from './check-options.js';

/**
 * What a checkpoint or a result may take of an item's 400 KB, in bytes. The rest is for the lease itself: names, owners and
 * groups of later holders, too, so that a lock can always be acquired and broken.
 */
export const maxStorableBytes = 384 * 1024;

/** Why a value can't be kept. */
type Why =
  | 'type'
  | 'number'
  | 'zero'
  | 'text'
  | 'digits'
  | 'depth'
  | 'error'
  | 'empty'
  | 'set'
  | 'key'
  | 'proto'
  | 'read'
  | 'size';

/** A value that DynamoDB can't keep: at which place, and why. */
class Unstorable {
  constructor(
    readonly path: string,
    readonly why: Why,
    readonly detail?: unknown,
  ) {}
}

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

function toUsageError({ path, why, detail }: Unstorable, call: string, lockName: string): UsageError {
  return new UsageError(
    `${call}: DynamoDB can't store ${path || 'the value'}: ${words[why](detail)}`,
    lockName,
  );
}

/** DynamoDB keeps no number that is nearer to zero. */
export const minMagnitude = 1e-130;

/** DynamoDB nests no deeper. */
const maxDepth = 30;

/**
 * The value as DynamoDB can keep it. As JSON would have it, a date becomes text and an instance of a class its own
 * properties; sets, maps and bytes stay what they are.
 *
 * @param call the call that the value was given to
 * @throws UsageError that names the place and the reason, or the size
 */
export function toStorable(value: unknown, call: string, lockName: string): unknown {
  const kept = findStorable(value);
  if (kept instanceof Unstorable) throw toUsageError(kept, call, lockName);
  return kept;
}

function findStorable(value: unknown): unknown | Unstorable {
  if (value === undefined) return undefined;
  try {
    const copy = toCopy(value, '', 0);
    if (copy === undefined) return new Unstorable('', 'type', typeof value);
    const bytes = measureBytes(copy);
    return bytes > maxStorableBytes ? new Unstorable('', 'size', bytes) : copy;
  } catch (error) {
    // What throws where it is read, a getter or a proxy, can't be kept either.
    return error instanceof Unstorable ? error : new Unstorable('', 'read', error);
  }
}

function fail(path: string, why: Why, detail?: unknown): never {
  throw new Unstorable(path, why, detail);
}

/** `undefined` for what JSON leaves out. */
function toCopy(value: unknown, path: string, depth: number): unknown {
  switch (typeof value) {
    case 'number':
      // Beyond that DynamoDB's client wants a bigint: a number there is not what was meant.
      if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) fail(path, 'number', value);
      return value === 0 || Math.abs(value) >= minMagnitude ? value : fail(path, 'zero', value);
    case 'string':
      return isWellFormed(value) ? value : fail(path, 'text');
    case 'bigint':
      return /^-?\d{1,38}0*$/.test(String(value)) ? value : fail(path, 'digits');
    case 'boolean':
      return value;
    case 'object':
      break;
    default:
      return undefined;
  }
  if (value === null) return null;
  if (depth > maxDepth) fail(path, 'depth', maxDepth);
  const inner = (one: unknown, key: string | number) => toCopy(one, `${path}[${quoted(key)}]`, depth + 1);
  // Holes, too, keep their places.
  if (Array.isArray(value)) return Array.from(value, (one, index) => inner(one, index) ?? null);
  if (value instanceof Error) fail(path, 'error');
  if (value instanceof Number || value instanceof String || value instanceof Boolean)
    return toCopy(value.valueOf(), path, depth);
  if (value instanceof Map) return toCopy(Object.fromEntries(value), path, depth);
  if (value instanceof Set) {
    if (value.size === 0) fail(path, 'empty');
    const members = [...value].map((one, index) => inner(one, index));
    const kinds = new Set(members.map(memberKind));
    if (kinds.size !== 1 || kinds.has(undefined)) fail(path, 'set');
    return new Set(members);
  }
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
  }
  if (value instanceof ArrayBuffer) return new Uint8Array(value).slice();
  // The SDK's own holder of a number that no `number` can hold; it never changes.
  if (typeof (value as { toAttributeValue?: unknown }).toAttributeValue === 'function') return value;
  const { toJSON } = value as { toJSON?: (key: string) => unknown };
  if (typeof toJSON === 'function') {
    return toCopy(toJSON.call(value, ''), path, depth + 1);
  }
  const kept: [string, unknown][] = [];
  for (const [key, given] of Object.entries(value)) {
    if (!isWellFormed(key)) fail(path, 'key');
    // To whoever copies it, the SDK among them, no key but a prototype.
    if (key === '__proto__') fail(path, 'proto');
    const one = inner(given, key);
    if (one !== undefined) kept.push([key, one]);
  }
  return Object.fromEntries(kept);
}

function memberKind(member: unknown): string | undefined {
  if (member instanceof Uint8Array) return 'bytes';
  // The SDK's own holder of a number among them.
  if (typeof member === 'bigint' || (typeof member === 'object' && member !== null)) return 'number';
  return ['number', 'string'].includes(typeof member) ? typeof member : undefined;
}

/**
 * As DynamoDB counts, or a little more: the text of names and values in UTF-8, a byte for two digits, three bytes for a list
 * or a map and one for each entry.
 */
export function measureBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 1;
  if (typeof value === 'number' || typeof value === 'bigint')
    return Math.min(22, Math.ceil(String(value).length / 2) + 2);
  if (typeof value !== 'object' || value === null) return 2;
  if (value instanceof Uint8Array) return value.byteLength + 1;
  const entries: [string, unknown][] =
    value instanceof Set ? [...value].map((one) => ['', one]) : Object.entries(value);
  // The keys of a list are not stored.
  const isList = Array.isArray(value);
  return entries.reduce(
    (sum, [key, one]) => sum + 1 + (isList ? 0 : Buffer.byteLength(key)) + measureBytes(one),
    3,
  );
}
