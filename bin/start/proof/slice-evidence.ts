import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type InventoryPartial,
  parseSliceId,
  type SliceItem,
  type SliceResult,
} from '../../../lib/scan/index.js';

/** What the table has of a slice when the run is over. */
export interface SliceEvidence {
  readonly id: string;
  readonly lo: string | undefined;
  readonly hi: string | undefined;
  readonly completed: boolean;
  /** The token of its last grant. */
  readonly token: number;
  /** The token under which its last page was done; absent if it has none. */
  readonly writtenUnder: number | undefined;
  readonly objects: number;
  readonly bytes: number;
  readonly pages: number;
  readonly takeovers: number;
  /** Of the keys in its result; absent without a result. */
  readonly digest: string | undefined;
}

/**
 * Reads what the table has of the slices, and their results.
 *
 * @param resultsDirectory what the bucket of results is served from
 */
export function sliceEvidence(
  slices: readonly SliceItem[],
  resultsDirectory: string,
): Promise<SliceEvidence[]> {
  return Promise.all(slices.map((slice) => gatherEvidence(slice, resultsDirectory)));
}

async function gatherEvidence(slice: SliceItem, resultsDirectory: string): Promise<SliceEvidence> {
  const { name, lo, hi, version: token, result } = slice;
  const tally = result?.tally ?? slice.tally;
  const partial = result && (await readPartial(result.partial, resultsDirectory));
  return {
    id: parseSliceId(name),
    lo,
    hi,
    completed: slice.completedAt !== undefined && result !== undefined,
    token,
    writtenUnder: tally?.published.at(-1)?.token,
    objects: partial?.objects ?? tally?.objects ?? 0,
    bytes: partial?.bytes ?? tally?.bytes ?? 0,
    pages: tally?.pages ?? 0,
    takeovers: tally?.takeovers ?? 0,
    digest: partial?.digest,
  };
}

/** A result is in the item itself, or in a file that the item points to. */
async function readPartial(
  stored: SliceResult['partial'],
  resultsDirectory: string,
): Promise<InventoryPartial> {
  const text =
    typeof stored === 'string' ? stored : await readFile(join(resultsDirectory, stored.s3.key), 'utf8');
  return JSON.parse(text);
}
