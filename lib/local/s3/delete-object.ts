import { rmdir, unlink } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { dirname } from 'node:path';
import type { Bucket } from './bucket.js';
import { pathOfKey } from './key-path.js';
import { checkWrite } from './preconditions.js';
import { currentObject } from './write-object.js';

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
