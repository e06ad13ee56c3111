import type { WalkStart } from './key-walk.js';
import { invalidArgument } from './s3-error.js';

/** What a ListObjectsV2 request asks for. */
export interface ListParameters {
  readonly prefix: string;
  readonly delimiter?: string;
  readonly startAfter?: string;
  readonly continuationToken?: string;
  readonly maxKeys: number;
  readonly urlEncoding: boolean;
  readonly start: WalkStart;
}

/**
 * Reads the query of a ListObjectsV2 request.
 *
 * @throws S3Error `InvalidArgument` for values that S3 refuses, too.
 */
export function listParameters(query: URLSearchParams): ListParameters {
  const encodingType = query.get('encoding-type') ?? undefined;
  if (encodingType !== undefined && encodingType !== 'url') {
    throw invalidArgument('Invalid Encoding Method specified in Request');
  }
  const askedKeys = query.get('max-keys') ?? '1000';
  if (!/^\d+$/.test(askedKeys)) throw invalidArgument('max-keys must be a whole number, 0 or more.');
  const startAfter = query.get('start-after') ?? undefined;
  const continuationToken = query.get('continuation-token') ?? undefined;
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') || undefined,
    startAfter,
    continuationToken,
    maxKeys: Math.min(1_000, Number(askedKeys)),
    urlEncoding: encodingType === 'url',
    start: findStart(startAfter, continuationToken),
  };
}

/** An opaque token that goes on behind a key, or behind all keys that begin with a common prefix. */
export function continuationTokenFor(start: WalkStart): string {
  return Buffer.from(JSON.stringify([start.from, start.key])).toString('base64url');
}

// A token names a later place than the start-after that its first page had: it alone counts.
function findStart(startAfter: string | undefined, token: string | undefined): WalkStart {
  if (token !== undefined) return parseToken(token);
  return startAfter ? { key: startAfter, from: 'after' } : { key: '', from: 'at' };
}

function parseToken(token: string): WalkStart {
  try {
    const [from, key] = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    if ((from === 'after' || from === 'after-all') && typeof key === 'string') return { key, from };
  } catch {
    // Not ours: the same answer as for one that is misshapen.
  }
  throw invalidArgument('The continuation token provided is incorrect');
}
