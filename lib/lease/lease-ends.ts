import { publish } from '../events/events.js';
import type { ItemChange } from '../table/index.js';
import { checkNumber, checkOptions, maxLeaseMs, minRetentionMs } from './check-options.js';
import type { HandedOver } from './handed-over.js';
import type { Hold } from './hold.js';
import type { HolderOutcome } from './holder-requests.js';
import { expiryFor } from './lease-context.js';
import type { Completion } from './lease-store.js';
import type { ChangeOutcome } from './lease-term.js';
import { toStorable } from './storable.js';

/**
 * What a lease can do besides being renewed and released: keep a checkpoint, end for good, or end here for another process.
 * Loaded with the first of them. What was given is checked first, and made what `act` takes; that has its turn.
 */
export const leaseCalls = {
  save: {
    check: (lockName: string, checkpoint: unknown) => toStorable(checkpoint, 'save', lockName),
    async act(hold: Hold, checkpoint: unknown): Promise<unknown> {
      await hold.renewNow(checkpoint === undefined ? { remove: ['checkpoint'] } : { set: { checkpoint } });
      return checkpoint;
    },
  },
  complete: { check: toCompletion, act: completeHold },
  completeWith: {
    check: (_lockName: string, result: unknown, change: ItemChange): Completion => ({ result, change }),
    act: (hold: Hold, completion: Completion) =>
      completeHold(hold, { ...completion, retainMs: hold.context.retentionMs }),
  },
  handOver: {
    check(_lockName: string, options: { readonly leaseMs?: number } = {}) {
      checkOptions('handOver', options, ['leaseMs']);
      const { leaseMs } = options;
      if (leaseMs !== undefined) checkNumber('leaseMs', leaseMs, 1, maxLeaseMs);
      return leaseMs;
    },
    act: handOverHold,
  },
};

/** @throws UsageError for an option that can't be right, or a result that can't be stored */
function toCompletion(
  lockName: string,
  result: unknown,
  options: { readonly retainMs?: number } = {},
): Completion {
  checkOptions('complete', options, ['retainMs']);
  const { retainMs } = options;
  if (retainMs !== undefined) checkNumber('retainMs', retainMs, minRetentionMs);
  return {
    result: toStorable(result, 'complete', lockName),
    ...(retainMs !== undefined && { retainMs }),
  };
}

/** Marks the name as completed. If the caller's own condition does not hold the lease goes on. */
export async function completeHold(hold: Hold, completion: Completion): Promise<ChangeOutcome> {
  if (foundCompleted.has(hold)) return { applied: true };
  // Asked for before and never answered: it may be over because it was carried out.
  if (!hold.mayHaveEnded) hold.checkHeld();
  if (hold.state === 'held') hold.heartbeat.pause();
  try {
    const outcome = await hold.context.store.complete(hold.identity, completion);
    hold.mayHaveEnded = false;
    hold.settle = undefined;
    if (outcome.kind !== 'done') return hold.settled(outcome);
    hold.end('completed');
    return { applied: true };
  } catch (error) {
    hold.noteUncertain(error);
    if (hold.mayHaveEnded) hold.settle ??= (signal) => settleUnanswered(hold, completion, signal);
    throw error;
  } finally {
    hold.heartbeat.start();
  }
}

/** Leases that a completion turned out to have ended after all. */
const foundCompleted = new WeakSet<Hold>();

/**
 * The lease is over, and a completion that nobody answered may be what ended it. Asked for again it tells, and can't
 * be applied any more. Where nobody can know the lease ends here, and is not told to be lost.
 */
async function settleUnanswered(
  hold: Hold,
  completion: Completion,
  signal?: AbortSignal,
): Promise<ChangeOutcome> {
  let outcome: HolderOutcome;
  try {
    outcome = await hold.context.store.complete(hold.identity, completion, signal);
  } catch (error) {
    publish('renewal-failed', { ...hold.labels, error });
    hold.stop();
    throw error;
  }
  if (outcome.kind !== 'done') return hold.settled(outcome);
  foundCompleted.add(hold);
  hold.end('completed');
  throw hold.endedError();
}

/** Ends the lease here, for another process to go on with. @param leaseMs the gap until then. @default the whole lease */
async function handOverHold(hold: Hold, leaseMs?: number): Promise<HandedOver> {
  const { name, leaseId, token, owner } = hold.labels;
  const { wholeLeaseMs, capMs } = hold.settings;
  hold.checkHeld();
  hold.heartbeat.pause();
  try {
    await hold.ensureTime();
    // Whoever goes on with it does not know when this was asked: nobody may watch it. What a service grants is not watched.
    const unwatched = hold.context.store.takesChanges ? { set: { leaseMs: 0 } } : undefined;
    const expiresAt = hold.term.asked(expiryFor(hold.context, leaseMs ?? wholeLeaseMs), capMs);
    await hold.renewTo(expiresAt, unwatched);
    // It may have been lost while the store was asked.
    hold.checkHeld();
    hold.end('handed-over');
  } finally {
    hold.heartbeat.start();
  }
  return { handOver: 1, name, leaseId, token, owner, expiresAt: hold.term.expiresAt, leaseMs: wholeLeaseMs };
}
