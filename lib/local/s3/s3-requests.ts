import type { IncomingMessage } from 'node:http';
import { decodePath } from './xml.js';

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

/** Counts the HTTP requests that an endpoint got, those that met a fault included. */
export interface S3Requests {
  readonly list: number;
  readonly get: number;
  readonly head: number;
  readonly put: number;
  readonly delete: number;
  readonly total: number;
  /** Starts again from nothing. */
  reset(): void;
}

/** The counter as the endpoint writes to it. */
export class S3RequestCounter implements S3Requests {
  readonly #counts = new Map<S3Operation, number>();

  get list(): number {
    return this.#of('list');
  }

  get get(): number {
    return this.#of('get');
  }

  get head(): number {
    return this.#of('head');
  }

  get put(): number {
    return this.#of('put');
  }

  get delete(): number {
    return this.#of('delete');
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  reset(): void {
    this.#counts.clear();
  }

  /** Notes one request. */
  add(operation: S3Operation): void {
    this.#counts.set(operation, this.#of(operation) + 1);
  }

  #of(operation: S3Operation): number {
    return this.#counts.get(operation) ?? 0;
  }
}

/**
 * What befalls a request to the S3 endpoint. `deny`: 403; `slow-down`: 503; `internal-error`: 500;
 * `ignore-start-after`: a listing begins at the prefix's first key whatever it was asked (some stores do that);
 * `empty-page`: a listing begins with a page without keys that says that there are more, as S3's may behind many deleted ones;
 * `drop`: connection reset before anything happens; `drop-answer`: after it was done; `hang`: never answered;
 * `delayMs`: answered later.
 */
export type S3Fault =
  | 'ok'
  | 'deny'
  | 'slow-down'
  | 'internal-error'
  | 'ignore-start-after'
  | 'empty-page'
  | 'drop'
  | 'drop-answer'
  | 'hang'
  | { readonly delayMs: number };

/** Decides on each request. */
export type S3FaultHook = (request: S3Request) => S3Fault | Promise<S3Fault>;
