import { quoted, UsageError } from '../errors/index.js';

/**
 * What a checkpoint or a result may take of an item's 400 KB, in bytes. The rest is for the lease itself: names, owners and
 * groups of later holders, too, so that a lock can always be acquired and broken.
 */
export const maxStorableBytes = 384 * 1024;

/** DynamoDB nests no deeper. */
const maxDepth = 30;

/**
 * A copy of the value as DynamoDB can keep it, made now: what the caller changes later plays no part. As JSON would have
 * it, a date becomes text and an instance of a class its own properties; sets, maps and bytes stay what they are.
 *
 * @param call the call that it was given to, for messages
 * @throws UsageError that names the place and the reason, or the size
 */
export function toStorable(value: unknown, call: string, lockName: string): unknown {
  const fail = (path: string, why: string): never => {
    throw new UsageError(`${call}: DynamoDB can't store ${path || 'the value'}: ${why}`, lockName);
  };
  if (value === undefined) return undefined;
  const copy = toCopy(value, '', 0, fail);
  if (copy === undefined) fail('', `it is a ${typeof value}`);
  const bytes = measureBytes(copy);
  if (bytes > maxStorableBytes) {
    fail(
      '',
      `it has ${bytes} bytes, at most ${maxStorableBytes} fit into the item; keep it elsewhere, say in S3`,
    );
  }
  return copy;
}

type Fail = (path: string, why: string) => never;

/** `undefined` for what JSON leaves out. */
function toCopy(value: unknown, path: string, depth: number, fail: Fail): unknown {
  switch (typeof value) {
    case 'number':
      // Beyond that DynamoDB's client wants a bigint: a number there is not what was meant.
      return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : fail(path, `it is ${value}`);
    case 'string':
    case 'boolean':
    case 'bigint':
      return value;
    case 'object':
      break;
    default:
      return undefined;
  }
  if (value === null) return null;
  if (depth > maxDepth) fail(path, `it is nested more than ${maxDepth} deep, or holds itself`);
  const inner = (one: unknown, key: string | number) =>
    toCopy(one, `${path}[${quoted(key)}]`, depth + 1, fail);
  if (Array.isArray(value)) return value.map((one, index) => inner(one, index) ?? null);
  if (value instanceof Error) fail(path, 'it is an error; store what is of use of it, its message for one');
  if (value instanceof Map) return toCopy(Object.fromEntries(value), path, depth, fail);
  if (value instanceof Set) {
    if (value.size === 0) fail(path, 'it is an empty set');
    return new Set([...value].map((one, index) => inner(one, index)));
  }
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
  }
  if (value instanceof ArrayBuffer) return new Uint8Array(value).slice();
  // The SDK's own holder of a number that no `number` can hold; it never changes.
  if (typeof (value as { toAttributeValue?: unknown }).toAttributeValue === 'function') return value;
  const { toJSON } = value as { toJSON?: (key: string) => unknown };
  if (typeof toJSON === 'function') {
    try {
      return toCopy(toJSON.call(value, ''), path, depth + 1, fail);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      fail(path, error instanceof Error ? error.message : String(error));
    }
  }
  const copy: Record<string, unknown> = {};
  for (const [key, one] of Object.entries(value)) {
    const kept = inner(one, key);
    if (kept !== undefined) copy[key] = kept;
  }
  return copy;
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
