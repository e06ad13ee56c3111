import type { Bucket } from './bucket.js';
import { compareBytes, type WalkStart, walkKeys } from './key-walk.js';
import { type ObjectStat, statObject } from './object-file.js';
import { invalidArgument } from './s3-error.js';
import { encodeKey, type XmlElements, xmlDocument } from './xml.js';

type Row = { readonly key: string; readonly stat: ObjectStat } | { readonly commonPrefix: string };

/**
 * Answers ListObjectsV2.
 *
 * @returns the XML document.
 */
export async function listObjects(bucket: Bucket, parameters: ListParameters): Promise<string> {
  const { prefix, delimiter, startAfter, continuationToken, maxKeys, urlEncoding } = parameters;
  // One more than asked tells whether there is more.
  const found = maxKeys === 0 ? [] : await collectRows(bucket, parameters, maxKeys + 1);
  const rows = found.slice(0, maxKeys);
  const last = rows.at(-1);
  const isTruncated = found.length > rows.length;
  const show = (key: string): string => (urlEncoding ? encodeKey(key) : key);
  const contents: XmlElements[] = [];
  const commonPrefixes: XmlElements[] = [];
  for (const row of rows) {
    if ('commonPrefix' in row) commonPrefixes.push({ Prefix: show(row.commonPrefix) });
    else {
      contents.push({
        Key: show(row.key),
        LastModified: row.stat.lastModified.toISOString(),
        ETag: row.stat.etag,
        Size: row.stat.size,
        StorageClass: 'STANDARD',
      });
    }
  }
  return xmlDocument('ListBucketResult', {
    Name: bucket.name,
    Prefix: show(prefix),
    Delimiter: delimiter === undefined ? undefined : show(delimiter),
    StartAfter: startAfter === undefined ? undefined : show(startAfter),
    ContinuationToken: continuationToken,
    NextContinuationToken: isTruncated && last ? continuationTokenFor(behind(last)) : undefined,
    EncodingType: urlEncoding ? 'url' : undefined,
    KeyCount: rows.length,
    MaxKeys: maxKeys,
    IsTruncated: isTruncated,
    Contents: contents,
    CommonPrefixes: commonPrefixes,
  });
}

/** A page without keys, and a way on to those that there are. */
export function emptyPage(bucket: Bucket, { prefix, start, maxKeys, urlEncoding }: ListParameters): string {
  const from = start.from === 'at' ? 'after' : start.from;
  return xmlDocument('ListBucketResult', {
    Name: bucket.name,
    Prefix: urlEncoding ? encodeKey(prefix) : prefix,
    NextContinuationToken: continuationTokenFor({ key: start.key, from }),
    EncodingType: urlEncoding ? 'url' : undefined,
    KeyCount: 0,
    MaxKeys: maxKeys,
    IsTruncated: true,
  });
}

function behind(row: Row): WalkStart {
  return 'commonPrefix' in row
    ? { key: row.commonPrefix, from: 'after-all' }
    : { key: row.key, from: 'after' };
}

/** Rows of a page. Files that vanish between listing and stat are left out, and others take their place. */
async function collectRows(bucket: Bucket, parameters: ListParameters, wanted: number): Promise<Row[]> {
  const rows: Row[] = [];
  let start: WalkStart | undefined = parameters.start;
  while (start && rows.length < wanted) {
    const candidates: string[] = [];
    start = await walkBatch(bucket, parameters, start, wanted - rows.length, candidates);
    const looked = candidates.map(async (candidate): Promise<Row | undefined> => {
      const commonPrefix = findGroup(candidate, parameters);
      const stat = await statObject(`${bucket.root}/${candidate}`);
      if (!stat) return undefined;
      return commonPrefix === undefined ? { key: candidate, stat } : { commonPrefix };
    });
    for (const row of await Promise.all(looked)) if (row) rows.push(row);
  }
  return rows;
}

/**
 * Collects keys, one for each common prefix.
 *
 * @returns where to go on, or `undefined` when there are no more keys.
 */
async function walkBatch(
  bucket: Bucket,
  parameters: ListParameters,
  start: WalkStart,
  wanted: number,
  into: string[],
): Promise<WalkStart | undefined> {
  let from = start;
  for (;;) {
    let skipTo: WalkStart | undefined;
    for await (const key of walkKeys(bucket.listings, bucket.root, parameters.prefix, from)) {
      const group = findGroup(key, parameters);
      const next: WalkStart =
        group === undefined ? { key, from: 'after' } : { key: group, from: 'after-all' };
      // S3 leaves out a common prefix that is not greater than start-after, even with keys behind it.
      const shown = group === undefined || compareBytes(group, parameters.startAfter ?? '') > 0;
      if (shown) into.push(key);
      if (into.length === wanted) return next;
      if (group !== undefined) {
        skipTo = next;
        break;
      }
    }
    if (!skipTo) return undefined;
    from = skipTo;
  }
}

function findGroup(key: string, { prefix, delimiter }: ListParameters): string | undefined {
  if (delimiter === undefined) return undefined;
  const at = key.indexOf(delimiter, prefix.length);
  return at < 0 ? undefined : key.slice(0, at + delimiter.length);
}

/** What a ListObjectsV2 request asks for. */
interface ListParameters {
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
function continuationTokenFor(start: WalkStart): string {
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
