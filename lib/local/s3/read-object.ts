import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Bucket } from './bucket.js';
import { checkRead, isPlainFolder, type ObjectStat, objectStat, pathOfKey } from './object-file.js';

import { noSuchKey, S3Error } from './s3-error.js';

const notAnObject = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'ENAMETOOLONG']);

/**
 * Answers GetObject, and HeadObject, which is the same without the body.
 *
 * @throws S3Error `NoSuchKey`, `PreconditionFailed`, `InvalidRange`.
 */
export async function readObject(
  bucket: Bucket,
  key: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const file = await openObject(bucket, key);
  try {
    const stats = await file.stat({ bigint: true });
    if (!stats.isFile()) throw noSuchKey();
    const object = objectStat(stats);
    const changed = checkRead(request.headers, object);
    const range = byteRange(request.headers.range, object.size);
    setObjectHeaders(bucket, key, object, response);
    if (!changed) {
      response.writeHead(304).end();
      return;
    }
    const first = range?.first ?? 0;
    const last = range?.last ?? object.size - 1;
    if (range) response.setHeader('content-range', `bytes ${first}-${last}/${object.size}`);
    response.writeHead(range ? 206 : 200, { 'content-length': last - first + 1 });
    if (request.method === 'HEAD' || last < first) {
      response.end();
      return;
    }
    const content = file.createReadStream({ start: first, end: last, autoClose: false });
    await pipeline(content, response);
    // Cut short by somebody else meanwhile: the reader must not wait for the rest.
    if (content.bytesRead <= last - first) request.socket.destroy();
  } finally {
    await file.close();
  }
}

async function openObject(bucket: Bucket, key: string): Promise<FileHandle> {
  const path = pathOfKey(bucket.root, key);
  if (path instanceof Error || !(await isPlainFolder(path.folder))) throw noSuchKey();
  try {
    // Not blocking, as a pipe without a writer would hold the request for ever.
    return await open(path.file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    // A link, a socket, a file on the way: other things than objects. The rest is the endpoint's own trouble.
    const { code } = error as NodeJS.ErrnoException;
    if (notAnObject.has(code ?? '')) throw noSuchKey();
    throw error;
  }
}

function setObjectHeaders(bucket: Bucket, key: string, object: ObjectStat, response: ServerResponse): void {
  response.setHeader('etag', object.etag);
  response.setHeader('last-modified', object.lastModified.toUTCString());
  response.setHeader('accept-ranges', 'bytes');
  response.setHeader('content-type', 'binary/octet-stream');
  const kept = bucket.keptHeaders.get(key);
  // A file that somebody else has written since has none of the old one's metadata.
  if (kept?.etag !== object.etag) return;
  for (const [name, value] of Object.entries(kept.headers)) response.setHeader(name, value);
}

/** Both ends inclusive, as in HTTP. */
interface ByteRange {
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
function byteRange(header: string | undefined, size: number): ByteRange | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  const [, from = '', to = ''] = match;
  if (from !== '' && to !== '' && Number(from) > Number(to)) return undefined;
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(size - 1, Number(to));
  if (first > last) throw new S3Error('InvalidRange', 416, 'The requested range is not satisfiable');
  return { first, last };
}
