import { createHash } from 'node:crypto';
import { type BigIntStats, lstat } from 'node:fs';
import { realpath } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { invalidArgument, noSuchKey, notImplemented, preconditionFailed, type S3Error } from './s3-error.js';

/** Folder, in a bucket's directory, where uploads wait until they are whole. It is no part of the bucket. */
export const uploadFolderPattern = /^\.leasehold-uploads-/;

/** Where the file of a key lies. */
export interface KeyPath {
  /** Absolute path of the file. */
  readonly file: string;
  /** Absolute path of the folder that holds it. */
  readonly folder: string;
}

/**
 * Finds the file that stands for a key. Keys that no relative path can spell have none.
 *
 * @param root real path of the bucket's directory.
 * @returns the path, or the error to answer a PUT with.
 */
export function pathOfKey(root: string, key: string): KeyPath | S3Error {
  const segments = key.split('/');
  for (const segment of segments) {
    if (segment === '' || segment === '.' || segment === '..' || segment.includes('\0')) {
      return invalidArgument('This endpoint keeps objects as files: the key must be a plain relative path.');
    }
  }
  if (uploadFolderPattern.test(segments[0] ?? '')) return invalidArgument('This key is reserved.');
  const folder = [root, ...segments.slice(0, -1)].join('/');
  return { file: `${folder}/${segments.at(-1)}`, folder };
}

/** Whether the way to a folder leads over real directories only: links are never followed, as in the listing. */
export async function isPlainFolder(folder: string): Promise<boolean> {
  try {
    return (await realpath(folder)) === folder;
  } catch {
    return false;
  }
}

/** What is known of an object without reading it. */
export interface ObjectStat {
  readonly size: number;
  readonly lastModified: Date;
  /** Strong, in quotes. Made of size, inode and time of change: hashing tens of thousands of files is too slow. */
  readonly etag: string;
}

/** @returns `undefined` if there is no regular file (links are not followed). */
export function statObject(file: string): Promise<ObjectStat | undefined> {
  return new Promise((resolve) => {
    // The callback form: a listing does this a thousand times a page.
    lstat(file, { bigint: true }, (error, stats) => {
      resolve(error || !stats.isFile() ? undefined : objectStat(stats));
    });
  });
}

/** The same out of a stat that was taken already. */
export function objectStat(stats: BigIntStats): ObjectStat {
  const identity = `${stats.size}:${stats.mtimeNs}:${stats.ino}`;
  return {
    size: Number(stats.size),
    lastModified: new Date(Number(stats.mtimeMs)),
    etag: `"${createHash('md5').update(identity).digest('hex')}"`,
  };
}

/**
 * Checks `If-Match` and `If-None-Match` of a write.
 *
 * @param current what is there now.
 * @throws S3Error `PreconditionFailed` (412); `NoSuchKey` (404) for an `If-Match` on nothing, as S3 does.
 */
export function checkWrite(headers: IncomingHttpHeaders, current: ObjectStat | undefined): void {
  const ifMatch = headers['if-match'];
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch !== '*') throw notImplemented('If-None-Match with an ETag, on a write,');
    if (current) throw preconditionFailed();
  }
  if (ifMatch !== undefined) {
    if (!current) throw noSuchKey();
    if (!names(ifMatch, current)) throw preconditionFailed();
  }
}

/**
 * Checks `If-Match` and `If-None-Match` of a read.
 *
 * @returns `false` when the answer is 304, not modified.
 * @throws S3Error `PreconditionFailed`.
 */
export function checkRead(headers: IncomingHttpHeaders, current: ObjectStat): boolean {
  const ifMatch = headers['if-match'];
  const ifNoneMatch = headers['if-none-match'];
  if (ifMatch !== undefined && !names(ifMatch, current)) throw preconditionFailed();
  return ifNoneMatch === undefined || !names(ifNoneMatch, current);
}

function names(header: string, { etag }: ObjectStat): boolean {
  const quoted = header.split(',').map((one) => one.trim().replace(/^"?([^"]*)"?$/, '"$1"'));
  return header.trim() === '*' || quoted.includes(etag);
}
