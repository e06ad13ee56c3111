import { createWriteStream } from 'node:fs';
import { lstat, mkdir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Bucket } from './bucket.js';
import {
  checkWrite,
  isPlainFolder,
  type KeyPath,
  type ObjectStat,
  pathOfKey,
  statObject,
} from './object-file.js';
import { invalidArgument, notImplemented, S3Error } from './s3-error.js';

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

/**
 * Answers DeleteObject. Folders that hold nothing any more go, too; a key that is not there is no error.
 *
 * @throws S3Error `PreconditionFailed`.
 */
export async function deleteObject(bucket: Bucket, key: string, headers: IncomingHttpHeaders): Promise<void> {
  const path = pathOfKey(bucket.root, key);
  if (path instanceof Error) return;
  await bucket.locks.run(key, async () => {
    const current = await currentObject(path);
    checkWrite(headers, current);
    if (!current) return;
    await unlink(path.file).catch(() => {});
    bucket.keptHeaders.delete(key);
    bucket.listings.forget(path.folder);
    await removeEmpty(bucket, path.folder);
  });
}

async function removeEmpty(bucket: Bucket, folder: string): Promise<void> {
  for (let at = folder; at !== bucket.root; at = dirname(at)) {
    try {
      await rmdir(at);
    } catch {
      // Not empty: its parents aren't, either.
      return;
    }
    bucket.listings.forget(at);
    bucket.listings.forget(dirname(at));
  }
}

const tries = 5;

/**
 * Puts a finished upload where its key belongs, in one step, and makes the folders on the way.
 *
 * @param root real path of the bucket's directory.
 * @param upload path of the upload, on the same file system.
 * @throws S3Error `InvalidArgument` when other objects are in the way, `KeyTooLongError`.
 */
async function publishFile(root: string, upload: string, path: KeyPath): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      await makeFolders(root, path.folder);
      const there = await lstat(path.file).catch(() => undefined);
      if (there && !there.isFile()) throw invalidArgument('Something that is no object lies at this key.');
      await rename(upload, path.file);
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A delete may have taken the folder away again, as it was empty.
      if (code === 'ENOENT' && tried < tries) continue;
      if (code === 'ENAMETOOLONG') throw new S3Error('KeyTooLongError', 400, 'Your key is too long.');
      throw error;
    }
  }
}

// One by one, as making them all in one call would follow links out of the bucket.
async function makeFolders(root: string, folder: string): Promise<void> {
  let at = root;
  for (const name of folder.slice(root.length + 1).split('/')) {
    if (name === '') continue;
    at = `${at}/${name}`;
    try {
      await mkdir(at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const there = await lstat(at);
      if (there.isSymbolicLink()) throw invalidArgument('The key leads over a link.');
      if (!there.isDirectory()) throw invalidArgument('An object lies on the way to this key.');
    }
  }
}

const lineEnd = Buffer.from('\r\n');
const longestHeaderBytes = 8_192;

/**
 * Takes the data out of a body in the `aws-chunked` coding: `<hex size>[;extensions]`, data, …, a chunk of
 * size 0, trailers. Signatures and checksums in extensions and trailers are read over.
 *
 * @throws S3Error `IncompleteBody` when the body ends before the last chunk or is no such coding.
 */
async function* decodeAwsChunked(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let buffered: Buffer = Buffer.alloc(0);
  let left = 0;
  let state: 'size' | 'data' | 'data-end' | 'trailers' = 'size';
  for await (const piece of body) {
    buffered = buffered.length === 0 ? piece : Buffer.concat([buffered, piece]);
    for (;;) {
      if (state === 'data') {
        const data = buffered.subarray(0, left);
        if (data.length > 0) yield data;
        buffered = buffered.subarray(data.length);
        left -= data.length;
        if (left > 0) break;
        state = 'data-end';
      }
      if (state === 'trailers') break;
      const end = buffered.indexOf(lineEnd);
      if (end < 0) {
        if (buffered.length > longestHeaderBytes) throw incomplete();
        break;
      }
      const line = buffered.subarray(0, end).toString('latin1');
      buffered = buffered.subarray(end + lineEnd.length);
      if (state === 'data-end') {
        if (line !== '') throw incomplete();
        state = 'size';
        continue;
      }
      left = chunkSize(line);
      state = left === 0 ? 'trailers' : 'data';
    }
    if (state === 'trailers') buffered = Buffer.alloc(0);
  }
  if (state !== 'trailers') throw incomplete();
}

function chunkSize(line: string): number {
  const digits = line.split(';', 1)[0] ?? '';
  if (!/^[0-9a-f]{1,12}$/i.test(digits)) throw incomplete();
  return Number.parseInt(digits, 16);
}

function incomplete(): S3Error {
  return new S3Error('IncompleteBody', 400, 'The request body terminated unexpectedly.');
}
