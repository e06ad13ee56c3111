import { type HolderInfo, LockHeldError, quoted, UsageError } from '../errors/index.js';
import type { Lease, LeaseItem } from '../lease/index.js';
import { all, any, type Condition } from '../table/index.js';
import type { AcquireOptions } from './acquire-options.js';
import type { ClientHost } from './client-host.js';
import { lastWrite } from './last-write.js';
import { checkPlainName } from './lock-name.js';
import { runUnder } from './with-lock.js';

/** How to run the job of a slot. */
export type CronSlotOptions = Omit<AcquireOptions, 'change' | 'giveUpWhen'>;

/** Why a slot's job was not run. */
export type SlotRefusal =
  /** The job has run for this slot, to its end. */
  | 'finished'
  /** A later slot has been started: this one's time has passed. */
  | 'overtaken'
  /** So far back that a run of it may have been forgotten: longer ago than the client's `retentionMs`. */
  | 'too-old'
  /** Somebody holds the lock: the job is running, for this slot or for an earlier one. */
  | 'held';

/** Whether the job ran, and what came of it. */
export type CronSlotOutcome<T> =
  | { readonly ran: true; readonly result: T }
  | {
      readonly ran: false;
      readonly reason: SlotRefusal;
      /** Who has it, if somebody holds the lock. */
      readonly holder: HolderInfo | undefined;
    };

/** Below this a time is one in seconds: as milliseconds it lies before 1973, as seconds before the year 5138. */
const maxSeconds = 1e11;

/**
 * A slot that lies further ahead of the store's time was made by a wrong clock. Run, it would make everything until
 * then look overtaken.
 */
const maxAheadMs = 3_600_000;

/**
 * What the grant of a slot demands. `slot` is the latest one started, written with each grant; `slotDone` the latest
 * one finished, written with the release. A run that crashed leaves `slotDone` behind `slot`: the same slot may run
 * again, an older one never.
 */
function mayRun(slot: number): Condition {
  const values = { ':cronSlot': slot };
  return all(
    any({ text: 'attribute_not_exists(#slot)' }, { text: '#slot <= :cronSlot', values }),
    any({ text: 'attribute_not_exists(#slotDone)' }, { text: '#slotDone < :cronSlot', values }),
  );
}

/** The same of an item that was read. What it says stays true: neither attribute is ever lowered. */
function findRefusal(item: LeaseItem, slot: number): SlotRefusal | undefined {
  const { slot: started = slot, slotDone = Number.NEGATIVE_INFINITY } = item;
  if (typeof started !== 'number' || typeof slotDone !== 'number') {
    const why = 'its attributes "slot" and "slotDone" are no numbers';
    throw new UsageError(`The item "${item.name}" was not written by cronSlot: ${why}`, item.name);
  }
  if (started > slot) return 'overtaken';
  return slotDone >= slot ? 'finished' : undefined;
}

/** See `LockClient.cronSlot`. Two writes a run, one for a slot that is refused. */
export async function cronSlot<T>(
  locks: ClientHost,
  name: string,
  slot: number,
  job: (lease: Lease) => Promise<T> | T,
  options: CronSlotOptions,
): Promise<CronSlotOutcome<T>> {
  checkPlainName(name);
  if (!locks.context.store.takesChanges) {
    throw new UsageError('cronSlot: needs a client with a table, not one with a service', name);
  }
  if (!Number.isSafeInteger(slot)) {
    throw new UsageError(
      `scheduledTime: must be a Date or whole milliseconds since the epoch, got ${quoted(slot)}`,
      name,
    );
  }
  if (Math.abs(slot) < maxSeconds) {
    throw new UsageError(
      `scheduledTime: must be milliseconds since the epoch; ${slot} would be in ${new Date(slot).getUTCFullYear()}, ` +
        `these are seconds: new Date(${slot} * 1000)`,
      name,
    );
  }
  if (await isForgotten(locks, name, slot, options.signal)) {
    return { ran: false, reason: 'too-old', holder: undefined };
  }
  let refusal: SlotRefusal | undefined;
  let lease: Lease;
  try {
    lease = await locks.acquire(name, {
      ...options,
      change: { set: { slot }, condition: mayRun(slot) },
      giveUpWhen: (item) => {
        refusal = findRefusal(item, slot);
        return refusal !== undefined;
      },
    });
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error;
    return { ran: false, reason: refusal ?? 'held', holder: error.holder };
  }
  const result = await runUnder(lease, () => runAndClose(locks, lease, slot, job));
  return { ran: true, result };
}

/** The job, and the release that says that its slot is finished. */
async function runAndClose<T>(
  { context }: ClientHost,
  lease: Lease,
  slot: number,
  job: (lease: Lease) => Promise<T> | T,
): Promise<T> {
  const result = await job(lease);
  let released = false;
  await lastWrite(context, lease, result, async () => {
    // Given back by the job itself: that release did not say so, and a second one says nothing.
    if (!released && !lease.isHeld) {
      if (lease.loss) throw lease.loss;
      throw new UsageError('The job has given its lease back: its slot stays open', lease.name);
    }
    released = true;
    // A loss that it finds is told by whoever runs the work.
    await lease.release({ set: { slotDone: slot } });
  });
  return result;
}

/**
 * Whether the item that would know of this slot may have been deleted: it is kept for the retention after a run, and
 * no run began earlier than `maxAheadMs` before its slot.
 *
 * @throws UsageError if the slot lies too far ahead
 */
async function isForgotten(
  { context }: ClientHost,
  name: string,
  slot: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  signal?.throwIfAborted();
  await context.store.ensureTime(signal).catch((error) => {
    throw signal?.aborted ? signal.reason : error;
  });
  const { latest } = context.clock.now();
  if (slot > latest + maxAheadMs) {
    const aheadMs = Math.round(slot - latest);
    throw new UsageError(
      `scheduledTime: must be at most ${maxAheadMs} ms ahead of the store's time, is ${aheadMs} ms ahead; ` +
        'run, it would make every slot until then look overtaken',
      name,
    );
  }
  return slot < latest - context.retentionMs + maxAheadMs;
}
