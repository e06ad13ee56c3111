import type { LockClient } from '../../../lib/client/index.js';
import { readRun } from '../../../lib/scan/index.js';

/** The store may be the very reason for which the user gave up. */
const lookLimitMs = 3_000;

/**
 * Looks which slices of a run are held, after this process has given back its own: what the store did not confirm is
 * not claimed.
 *
 * @returns how many, or `undefined` if the store did not say, or the run was not planned yet
 */
export async function stillHeld(locks: LockClient, run: string): Promise<number | undefined> {
  try {
    const { slices } = await readRun({ locks, run, signal: AbortSignal.timeout(lookLimitMs) });
    return slices.filter(({ leaseId }) => leaseId !== undefined).length;
  } catch {
    return undefined;
  }
}
