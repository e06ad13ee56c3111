import { lstat, mkdir, rename } from 'node:fs/promises';
import type { KeyPath } from './key-path.js';
import { invalidArgument, S3Error } from './s3-error.js';

const tries = 5;

/**
 * Puts a finished upload where its key belongs, in one step, and makes the folders on the way.
 *
 * @param root real path of the bucket's directory.
 * @param upload path of the upload, on the same file system.
 * @throws S3Error `InvalidArgument` when other objects are in the way, `KeyTooLongError`.
 */
export async function publishFile(root: string, upload: string, path: KeyPath): Promise<void> {
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
