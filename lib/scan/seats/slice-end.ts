import type { LockLostError } from '../../errors/index.js';
import { deadlineAfter, sendUntil } from '../../runtime/index.js';
import { shortMessage } from '../results/tally.js';
import { publishScan } from './scan-events.js';
import type { SeatHost } from './seat-host.js';
import type { SliceWork } from './slice-work.js';

/** How the work on a slice ended. `failed`: the processor threw; `superseded`: by an instance of the same seat. */
export type SliceEnd = 'completed' | 'lost' | 'superseded' | 'out-of-time' | 'failed';

/** The look at a lost slice may take this long, in milliseconds. */
const lookTimeoutMs = 5_000;

/** A timer may fire this much before the clock says so, in milliseconds. */
const timerGrainMs = 20;

/**
 * Works on a slice, and gives it back whatever happens.
 *
 * @throws StoreError and UsageError, which are no fault of the slice; the reason of the caller's signal
 */
export async function endOfSlice(host: SeatHost, work: SliceWork): Promise<SliceEnd> {
  try {
    await work.run();
    return 'completed';
  } catch (error) {
    if (!work.lease.isHeld) return lost(host, work, error);
    const cause = (error as Error)?.name === 'ProcessorFailure' ? (error as Error).cause : error;
    const name = cause instanceof Error ? cause.name : '';
    if (name === 'StaleTokenError' || name === 'LockLostError') return stale(work, cause);
    if (host.signal?.aborted) {
      await released(work, 'aborted', false);
      throw host.signal.reason;
    }
    if (name === 'OutOfTime') return released(work, 'out-of-time', false);
    // The page was cut off by the end of the invocation: if that happens every time, it is the page's fault.
    if (host.time.leftMs <= timerGrainMs) return released(work, 'out-of-time', true, cause);
    if (cause !== error) return released(work, 'failed', true, cause);
    await released(work, 'failed', false, error);
    throw error;
  }
}

async function released<End extends 'out-of-time' | 'failed' | 'aborted'>(
  work: SliceWork,
  why: End,
  fault: boolean,
  error?: unknown,
): Promise<End> {
  await work.giveBack(fault, error === undefined ? undefined : shortMessage(error));
  publishScan('scan-slice-released', { ...work.event, why, error });
  return why;
}

/** What was guarded has seen a newer token: whatever the item says, this holder is not the one. */
async function stale(work: SliceWork, error: unknown): Promise<SliceEnd> {
  await work.giveBack(true, shortMessage(error));
  publishScan('scan-slice-lost', { ...work.event, reason: 'stale-token', error });
  return 'lost';
}

/** One look tells who has it now: a later instance of this very seat means that this one is not needed. */
async function lost(host: SeatHost, work: SliceWork, error: unknown): Promise<SliceEnd> {
  const { lease } = work;
  // If the lease only ran out here, giving it back spares the next holder a wait.
  await lease.release().catch(() => 'lost');
  const item = await look(host, lease.name);
  if (item?.completedAt !== undefined && item.lastLeaseId === lease.leaseId) return 'completed';
  const superseded =
    item?.leaseId !== undefined && item.leaseId !== lease.leaseId && item.owner === lease.owner;
  const reason = superseded ? 'superseded' : findReason(work, error);
  publishScan('scan-slice-lost', { ...work.event, reason, error });
  return superseded ? 'superseded' : 'lost';
}

function findReason({ lease }: SliceWork, error: unknown) {
  const stale = (error as Error)?.cause;
  if (stale instanceof Error && stale.name === 'StaleTokenError') return 'stale-token';
  return (lease.signal.reason as LockLostError | undefined)?.reason ?? 'expired';
}

async function look(host: SeatHost, name: string) {
  const { runtime, table } = host.context;
  try {
    return await sendUntil(deadlineAfter(runtime, lookTimeoutMs, host.signal), (signal) =>
      table.get(name, signal),
    );
  } catch {
    // The next look for work meets the same store, and says so if it can't be used.
    return undefined;
  }
}
