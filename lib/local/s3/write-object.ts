import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { decodeAwsChunked } from './aws-chunked.js';
import type { Bucket } from './bucket.js';
import { isPlainFolder, type KeyPath, pathOfKey } from './key-path.js';
import { type ObjectStat, statObject } from './object-stat.js';
import { checkWrite } from './preconditions.js';
import { publishFile } from './publish-file.js';
import { notImplemented, S3Error } from './s3-error.js';

/**
 * Answers PutObject: the body goes to a file aside, which takes the key's place in one step if the request's
 * conditions hold at that moment.
 *
 * @returns the new object.
 * @throws S3Error `InvalidArgument`, `PreconditionFailed`, `NoSuchKey`, `IncompleteBody`.
 */
export async function writeObject(
  bucket: Bucket,
  key: string,
  request: IncomingMessage,
): Promise<ObjectStat> {
  if (request.headers['x-amz-copy-source']) throw notImplemented('CopyObject');
  const path = pathOfKey(bucket.root, key);
  if (path instanceof Error) throw path;
  const upload = await bucket.uploadPath();
  try {
    await pipeline(readData(request), createWriteStream(upload, { flags: 'wx' }));
    return await bucket.locks.run(key, async () => {
      checkWrite(request.headers, await currentObject(path));
      await publishFile(bucket.root, upload, path);
      bucket.listings.forget(path.folder);
      const object = await statObject(path.file);
      if (!object) throw new S3Error('InternalError', 500, 'The object vanished while it was written.');
      bucket.keptHeaders.set(key, { etag: object.etag, headers: headersToKeep(request.headers) });
      return object;
    });
  } finally {
    await rm(upload, { force: true });
  }
}

/** The object that a write would replace. Behind a link there is none, as for a read. */
export async function currentObject(path: KeyPath): Promise<ObjectStat | undefined> {
  return (await isPlainFolder(path.folder)) ? await statObject(path.file) : undefined;
}

function readData(request: IncomingMessage): AsyncIterable<Buffer> {
  const encoding = request.headers['content-encoding'] ?? '';
  const digest = String(request.headers['x-amz-content-sha256'] ?? '');
  const chunked = encoding.includes('aws-chunked') || digest.startsWith('STREAMING-');
  return chunked ? decodeAwsChunked(request) : request;
}

function headersToKeep(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const wanted = name.startsWith('x-amz-meta-') || name === 'content-type' || name === 'cache-control';
    if (wanted && typeof value === 'string') kept[name] = value;
  }
  const encodings = (headers['content-encoding'] ?? '').split(',').map((one) => one.trim());
  const own = encodings.filter((one) => one !== '' && one !== 'aws-chunked').join(', ');
  if (own) kept['content-encoding'] = own;
  return kept;
}
