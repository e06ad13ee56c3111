import { readRun } from '../../../lib/scan/index.js';
import { readLedger } from '../ledger.js';
import type { Store } from '../store.js';
import { type Check, type ProofGround, prove } from './proof.js';
import { type SliceEvidence, sliceEvidence } from './slice-evidence.js';
import { walkSlices } from './walk-slices.js';

/** Where the proof of a run comes from. */
export interface EvidenceSources {
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
export interface Evidence {
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
