import { invalidArgument } from './s3-error.js';

/**
 * Encodes a key as S3 does under `encoding-type=url`: percent signs over UTF-8 bytes, a space as `+`, `/` and
 * `-_.*` left alone.
 */
export function encodeKey(key: string): string {
  return encodeURIComponent(key)
    .replace(/[!'()~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%2F/g, '/')
    .replace(/%20/g, '+');
}

/**
 * Decodes a path of a request line. `+` stands for itself there.
 *
 * @throws S3Error `InvalidArgument` when it is not UTF-8 behind percent signs.
 */
export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw invalidArgument('The path is not valid UTF-8.');
  }
}
