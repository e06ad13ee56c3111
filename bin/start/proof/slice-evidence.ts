import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type InventoryPartial,
  parseSliceId,
  readRun,
  type ScanReport,
  type SliceItem,
  type SliceResult,
} from '../../../lib/scan/index.js';
import { readLedger, type Store } from '../store.js';
import { type Check, type ProofGround, prove, type SliceEvidence, walkSlices } from './proof.js';

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

/** Where the proof of a run comes from. */
interface EvidenceSources {
  readonly run: string;
  readonly directory: string;
  readonly store: Store;
  /** What the bucket of results is served from. */
  readonly resultsDirectory: string;
  /** Whether there is a plan; without one there is nothing to read. */
  readonly planned: boolean;
  readonly failure: string | undefined;
  readonly reported: ProofGround['reported'];
  readonly before: ProofGround['before'];
}

/** What was found, and what follows from it. */
interface Evidence {
  readonly slices: readonly SliceEvidence[];
  readonly checks: readonly Check[];
  readonly independentCount: number;
}

/**
 * Collects the evidence when the run is over: the slices from the table, the files from another walk of the
 * directory, the rows from the ledger.
 *
 * @throws StoreError; the signal's reason
 */
export async function evidenceOfRun(sources: EvidenceSources, signal: AbortSignal): Promise<Evidence> {
  const { run, directory, store, resultsDirectory, failure, reported, before } = sources;
  const state = sources.planned ? await readRun({ locks: store.locks, run, signal }) : { slices: [] };
  const slices = await sliceEvidence(state.slices, resultsDirectory);
  // Without slices everything lies in one open range.
  const his = slices.length > 0 ? slices.map(({ hi }) => hi) : [undefined];
  const walked = await walkSlices(directory, his, signal);
  const ledger = await readLedger(store.client, store.ledger, signal);
  const checks = prove({ failure, reported, before, slices, walked, ledger });
  return { slices, checks, independentCount: walked.reduce((sum, { objects }) => sum + objects, 0) };
}

/** What a run came to. */
export interface RunOutcome {
  readonly run: string;
  readonly engine: string;
  /** Absent when the state machine failed. */
  readonly report: ScanReport | undefined;
  readonly slices: readonly SliceEvidence[];
  readonly checks: readonly Check[];
  /** List requests as the endpoint counted them: those of workers that died are among them. */
  readonly listRequests: number;
  /** Objects that the walk after the run found. */
  readonly independentCount: number;
  /** From the start to the verdict, the proof's walk aside, in milliseconds. */
  readonly scanMs: number;
}

/** Whether everything that is claimed holds. */
export function isComplete({ checks }: Pick<RunOutcome, 'checks'>): boolean {
  return checks.every(({ holds }) => holds);
}
