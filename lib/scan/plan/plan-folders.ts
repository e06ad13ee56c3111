import { compareKeys } from '../keys/key-order.js';
import type { PlanRequests } from './plan-requests.js';

/** Folders asked for what is in them at the same time. */
const parallelRequests = 8;

/** So many folders a slice are enough: splits go by them, too. */
const foldersPerSlice = 8;

/** Each seat reads the run item, which holds them all. */
const maxFolderBytes = 60_000;

/** A folder, and whether it may be asked for what is in it. */
interface Folder {
  readonly path: string;
  readonly isOpen: boolean;
}

/**
 * Planning, step 4: which folders there are, level by level, until there are eight for each slice wanted. Cuts between real
 * folders have keys on both sides. Folders that hold more than a thousand, and those of a level where the first few hold
 * none, are left whole.
 *
 * @returns in key order, each with the `/` at its end, none inside another; fewer than two say nothing, and none are told
 */
export async function findFolders(requests: PlanRequests, wanted: number): Promise<string[]> {
  const enough = foldersPerSlice * wanted;
  let folders: readonly Folder[] = [{ path: requests.prefix, isOpen: true }];
  while (folders.length < enough) {
    const asked = highestOpen(folders);
    // A level is opened as a whole, or not at all: folders of two levels are not alike. Each slice that has no cut yet is
    // left a request.
    if (asked.length === 0 || asked.length > requests.left - Math.max(0, wanted - folders.length)) break;
    const opened = await withOpened(requests, folders, asked);
    if (!opened || bytesOf(opened) > maxFolderBytes) break;
    folders = opened;
  }
  return folders.length < 2 ? [] : folders.map(({ path }) => path);
}

/** Those of the highest level that has some. */
function highestOpen(folders: readonly Folder[]): readonly string[] {
  const open = folders.filter(({ isOpen }) => isOpen).map(({ path }) => path);
  const depth = (path: string) => path.split('/').length;
  const highest = Math.min(...open.map(depth));
  return open.filter((path) => depth(path) === highest);
}

/** Folders, with what is in these instead of them; `undefined` if the first few hold none. */
async function withOpened(
  requests: PlanRequests,
  folders: readonly Folder[],
  asked: readonly string[],
): Promise<readonly Folder[] | undefined> {
  const inside = new Map<string, readonly string[]>();
  for (let start = 0; start < asked.length; start += parallelRequests) {
    const batch = asked.slice(start, start + parallelRequests);
    const found = await Promise.all(batch.map((path) => requests.foldersIn(path)));
    for (const [index, path] of batch.entries()) inside.set(path, inOrderWithin(path, found[index] ?? []));
    if ([...inside.values()].every((found) => found.length === 0)) return undefined;
  }
  return folders.flatMap((folder) => {
    const found = inside.get(folder.path);
    if (!found) return [folder];
    return found.length > 0 ? found.map((path) => ({ path, isOpen: true })) : [{ ...folder, isOpen: false }];
  });
}

/** An S3 with ideas of its own must not send the plan in circles. */
function inOrderWithin(path: string, found: readonly string[]): readonly string[] {
  return found.filter((folder) => folder.length > path.length && folder.startsWith(path)).sort(compareKeys);
}

function bytesOf(folders: readonly Folder[]): number {
  return folders.reduce((bytes, { path }) => bytes + Buffer.byteLength(path), 0);
}
