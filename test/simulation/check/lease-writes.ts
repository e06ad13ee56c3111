import type { History, HistoryRecord, WriteRecord } from '../history/history.js';
import type { Item } from '../store/attribute-values.js';

const known = new WeakMap<History, WriteRecord[]>();

/** The lease table's writes; filtered once for all checks. */
export function leaseWrites(history: History): readonly WriteRecord[] {
  const found = known.get(history);
  if (found) return found;
  const writes = history.records.filter(isLeaseWrite);
  known.set(history, writes);
  return writes;
}

/** Whether a record is a change of a lock's item in the lease table. */
export function isLeaseWrite(record: HistoryRecord): record is WriteRecord {
  return isTableWrite(record) && !record.key.includes(lineMark);
}

/** Whether a record is a change of the line of who waits for a lock. */
export function isLineWrite(record: HistoryRecord): record is WriteRecord {
  return isTableWrite(record) && record.key.includes(lineMark);
}

/** The lock that a line is for. */
export function lockOfLine(key: string): string {
  return key.slice(0, key.indexOf(lineMark));
}

/** Stands in the key of a line and of no lock. */
const lineMark = '\u001f';

function isTableWrite(record: HistoryRecord): record is WriteRecord {
  return record.kind === 'write' && record.table === 'leases';
}

/** A number of an item's. */
export function numberIn(item: Item | undefined, attribute: string): number | undefined {
  const text = item?.[attribute]?.N;
  return text === undefined ? undefined : Number(text);
}

/** A text of an item's. */
export function textIn(item: Item | undefined, attribute: string): string | undefined {
  return item?.[attribute]?.S;
}

/** Whether a lease was granted by this write: a new one, or a held one's token was raised. */
export function isGrant({ before, after }: WriteRecord): boolean {
  const leaseId = textIn(after, 'leaseId');
  if (leaseId === undefined) return false;
  return leaseId !== textIn(before, 'leaseId') || numberIn(after, 'version') !== numberIn(before, 'version');
}

/** How long leases have stood in the table as they are: told all writes of it, in their order. */
export class Standing {
  readonly #sinceMs = new Map<string, number>();

  /** When the holder of the lease that is there before a write has given it up, if it counts from the last renewal. */
  givenUpMs({ key, atMs, before, after }: WriteRecord): number {
    const watchedMs = numberIn(before, 'leaseMs') ?? 0;
    const sinceMs = this.#sinceMs.get(key) ?? atMs;
    const isAsItWas = ['version', 'expiresAt'].every((one) => numberIn(before, one) === numberIn(after, one));
    if (!isAsItWas) this.#sinceMs.set(key, atMs);
    return watchedMs > 0 ? sinceMs + watchedMs : Number.POSITIVE_INFINITY;
  }
}

/**
 * Grants are ordered by when they were made up, within this: a clock's interval is used while it is at most five seconds
 * wide; the front ends' disagreement and drift come on top.
 */
export function clocksWidthMs({ premises }: History): number {
  return 5_000 + premises.skewMs + 100;
}

/** The process in whose name a lease was granted: ids carry it. */
export function processOf(leaseId: string): string {
  return leaseId.slice(0, leaseId.lastIndexOf('.'));
}

/** The number of an id among its process's. */
export function numberOfId(leaseId: string): number {
  return Number(leaseId.slice(leaseId.lastIndexOf('.') + 1));
}
