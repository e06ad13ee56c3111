import type { StoreClock, TimeInterval } from '../clock/index.js';
import { StoreError } from '../errors/index.js';
import type { Runtime } from '../runtime/index.js';
import type { LeaseTable } from '../table/index.js';
import type { LeaseStore } from './lease-store.js';

/** What the operations on a table work with; made once per client. */
export interface TableContext {
  readonly table: LeaseTable;
  readonly clock: StoreClock;
  readonly runtime: Runtime;
  /** How far the store's front ends may disagree about the time, in milliseconds. */
  readonly skewMs: number;
  /** How long an unused item stays before TTL removes it, in milliseconds. */
  readonly retentionMs: number;
}

/** What leases, waiters and operators work with: they go through `store`, whatever stands behind it. */
export interface LeaseContext extends TableContext {
  readonly store: LeaseStore;
}

/**
 * A wider interval is narrowed before it is used. A wall clock that was set forward since the last response, or an
 * hour of idling, would else put the end of a lease, and a new item's token, that far into the future.
 */
const widestIntervalMs = 5_000;

/**
 * Makes sure that there is store time, and that it is worth using: sends one cheap request otherwise. An error is a
 * response, too: whether the store can be used is for the request to find out that needs the time.
 *
 * @throws StoreError when no response came, or none that tells the time
 */
export async function ensureStoreTime(context: TableContext, signal?: AbortSignal): Promise<void> {
  if (context.clock.isSet && widthOf(context.clock.now()) <= widestIntervalMs) return;
  try {
    await context.table.ping(signal);
  } catch (error) {
    if (!context.clock.isSet || signal?.aborted) throw error;
  }
  if (context.clock.isSet) return;
  const message = `The responses of table "${context.table.tableName}" carry no Date header: there is no store time`;
  throw new StoreError(message, undefined, { retryable: false, mayHaveApplied: false });
}

function widthOf({ earliest, latest }: TimeInterval): number {
  return latest - earliest;
}

/** When a lease that starts now ends: the granting rule of protocol, section 3. */
export function expiryFor(context: TableContext, leaseMs: number): number {
  return Math.ceil(context.clock.now().latest + leaseMs);
}

/** A lease that ended before this can't be valid for its holder: the taking rule of protocol, section 3. */
export function takeoverBefore(context: Pick<TableContext, 'clock' | 'skewMs'>): number {
  return Math.floor(context.clock.now().earliest - context.skewMs);
}

/** The `ttl` of an item that is of no use after `atMs`, in seconds. */
export function ttlAfter(context: Pick<TableContext, 'retentionMs'>, atMs: number): number {
  return Math.ceil((atMs + context.retentionMs) / 1000);
}
