import type { AcceptedRecord, CallRecord, Check, HistoryRecord, Violation } from '../history/history.js';
import { isLeaseWrite, numberIn, textIn } from './lease-writes.js';

const acts = new Set([
  'guardUpdate',
  'guardPut',
  'guardDelete',
  'guardTombstone',
  'guardTransaction',
  'sqlFence',
  'guardedPutObject',
]);

/**
 * I3: a fenced resource never accepts a token lower than one that it has accepted, while the fence is there; where the current
 * lease is demanded, by its id and its token, it was that one; what a caller is told of a guarded write is so.
 */
export const checkResources: Check = ({ records }) => {
  const violations: Violation[] = [];
  const tell = (atMs: number, what: string) => violations.push({ rule: 'I3', atMs, what });
  const told = new Told();
  const highest = new Map<string, number>();
  for (const record of records) {
    told.note(record);
    if (record.kind === 'call' && acts.has(record.what)) {
      const lie = told.lieIn(record);
      if (lie) tell(record.atMs, `${record.what} under ${record.leaseId} ${lie}`);
    }
    if (record.kind !== 'accepted') continue;
    const { atMs, resource, token, by } = record;
    const before = highest.get(resource) ?? token;
    if (!(token >= before)) tell(atMs, `${resource} accepts ${token} after ${before}`);
    if (record.fence !== undefined && record.fence !== token)
      tell(atMs, `${resource} is written under ${token}, and keeps ${record.fence}`);
    if ('lease' in record && !isCurrent(record))
      tell(atMs, `${resource} accepts a write under ${by} with ${token}, which is not the current lease`);
    // A deletion takes the fence along: who is older may write anew, as the guide says.
    if (record.isDeleted) highest.delete(resource);
    else highest.set(resource, Math.max(before, token));
  }
  return violations;
};

function isCurrent({ lease, by, token }: AcceptedRecord): boolean {
  return textIn(lease, 'leaseId') === by && numberIn(lease, 'version') === token;
}

/** What has been written, and under which tokens: callers are told nothing else. */
class Told {
  readonly #written: AcceptedRecord[] = [];
  readonly #tokens = new Map<string, number>();
  /** A backup shows other leases as current. */
  #isRestored = false;
  readonly #notCurrentSinceMs = new Map<string, number>();

  note(record: HistoryRecord): void {
    if (record.kind === 'restore') this.#isRestored = true;
    if (record.kind === 'handed') this.#tokens.set(record.leaseId, record.token);
    if (record.kind === 'accepted') this.#written.push(record);
    if (!isLeaseWrite(record)) return;
    this.#notCurrentSinceMs.set(textIn(record.before, 'leaseId') ?? '', record.atMs);
  }

  lieIn(call: CallRecord): string | undefined {
    const { outcome, leaseId, sinceMs, name, parts, value } = call;
    if (outcome === 'ok') {
      if (value === 'closed') return 'is told as done, although a check of its own did not hold';
      const own = this.#written.filter(({ by, atMs }) => by === leaseId && atMs >= sinceMs);
      if (own.length === 0) return 'is told as done, but nothing was written';
      if (parts === undefined || own.some((one) => parts === together(own, one))) return undefined;
      return `is told as done, but not all of its ${parts} writes were`;
    }
    if (outcome === 'TransactionCanceledException' && value === 'open')
      return 'is refused by a check of its own, which held';
    if (outcome.startsWith('LockLostError') && !this.#isRestored && !this.#notCurrentSinceMs.has(leaseId!))
      return 'is told that its lease is over, but it is the current one';
    if (outcome !== 'StaleTokenError') return undefined;
    const token = this.#tokens.get(leaseId!)!;
    const isOvertaken = this.#written.some((one) => one.token > token && one.resource.endsWith(`/${name}`));
    return isOvertaken ? undefined : 'is told as stale, but nobody newer has written';
  }
}

function together(written: readonly AcceptedRecord[], one: AcceptedRecord): number {
  // What comes twice has the same number.
  return written.filter(({ request, atMs }) => request === one.request && atMs === one.atMs).length;
}
