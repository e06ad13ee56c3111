import type { IncomingMessage } from 'node:http';
import { decodePath } from './url-encoding.js';

/** Operations that the endpoint knows. */
export type S3Operation = 'list' | 'get' | 'head' | 'put' | 'delete' | 'head-bucket' | 'other';

/** One request as fault hooks see it. */
export interface S3Request {
  readonly operation: S3Operation;
  readonly method: string;
  readonly bucket: string;
  readonly key?: string;
  readonly query: URLSearchParams;
}

// Sub-resources that make another operation out of the same method and path.
const otherResources = [
  'acl',
  'tagging',
  'uploads',
  'uploadId',
  'versions',
  'location',
  'delete',
  'attributes',
];

/**
 * Reads a request in path style. The path is taken as it was sent: a URL parser would resolve `..` in keys.
 *
 * @throws S3Error `InvalidArgument` for a path that is not UTF-8.
 */
export function s3Request(request: IncomingMessage): S3Request {
  const [rawPath = '/', rawQuery = ''] = splitOnce(request.url ?? '/', '?');
  const [rawBucket = '', rawKey] = splitOnce(rawPath.replace(/^\//, ''), '/');
  const query = new URLSearchParams(rawQuery);
  const key = rawKey ? decodePath(rawKey) : undefined;
  const method = request.method ?? 'GET';
  return { operation: parseOperation(method, key, query), method, bucket: decodePath(rawBucket), key, query };
}

function parseOperation(method: string, key: string | undefined, query: URLSearchParams): S3Operation {
  if (otherResources.some((name) => query.has(name))) return 'other';
  if (key === undefined) {
    if (method === 'HEAD') return 'head-bucket';
    return method === 'GET' && query.get('list-type') === '2' ? 'list' : 'other';
  }
  switch (method) {
    case 'GET':
      return 'get';
    case 'HEAD':
      return 'head';
    case 'PUT':
      return 'put';
    case 'DELETE':
      return 'delete';
    default:
      return 'other';
  }
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}
