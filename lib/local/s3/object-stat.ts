import { createHash } from 'node:crypto';
import { type BigIntStats, lstat } from 'node:fs';

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
