import { realpath } from 'node:fs/promises';
import { invalidArgument, type S3Error } from './s3-error.js';

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
