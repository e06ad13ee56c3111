import { S3Error } from './s3-error.js';

/** Both ends inclusive, as in HTTP. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Reads a `Range` header against an object of a given size. Headers that are no single byte range are ignored,
 * as S3 does.
 *
 * @returns `undefined`: the whole object.
 * @throws S3Error `InvalidRange` when the range lies outside of the object.
 */
export function byteRange(header: string | undefined, size: number): ByteRange | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  const [, from = '', to = ''] = match;
  if (from !== '' && to !== '' && Number(from) > Number(to)) return undefined;
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(size - 1, Number(to));
  if (first > last) throw new S3Error('InvalidRange', 416, 'The requested range is not satisfiable');
  return { first, last };
}
