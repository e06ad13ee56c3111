import type { CallRecord, Check, History, HistoryRecord, Premises, Violation } from '../history/history.js';
import {
  clocksWidthMs,
  isGrant,
  isLeaseWrite,
  leaseWrites,
  numberIn,
  numberOfId,
  processOf,
  textIn,
} from './lease-writes.js';

/** Sections 4 to 6: what a caller is told is true. */
export const checkAnswers: Check = (history) => {
  const { premises, records } = history;
  const ends = endsOf(history);
  const violations: Violation[] = [];
  const handed = new Set<string>();
  const gone = new Gone();
  const givenUp = new GivenUp(clocksWidthMs(history));
  const tell = (atMs: number, what: string) => violations.push({ rule: 'answers', atMs, what });
  for (const record of records) {
    if (record.kind === 'handed') handed.add(record.leaseId);
    givenUp.note(record, handed);
    gone.note(record);
    if (record.kind === 'survey' && record.why === 'handed') {
      const last = record.leases.at(-1);
      if (last && !last.isValid) tell(record.atMs, `${last.leaseId} is not valid when it is handed out`);
    }
    // What a person with too many rights deletes looks broken to its holder.
    if (record.kind !== 'call' || record.atMs >= (premises.deletedEarlyAtMs ?? Number.POSITIVE_INFINITY))
      continue;
    const lie =
      lieIn(record, ends) ??
      findRefusal(record, premises, handed) ??
      gone.ghostIn(record) ??
      givenUp.ghostIn(record);
    if (lie) tell(record.atMs, `${record.process} is told by ${record.what}: ${lie}`);
  }
  return violations;
};

/** How leases stopped being the current one. */
interface Ends {
  /** Given back, or broken. */
  readonly given: ReadonlySet<string>;
  /** Given back by its own process. */
  readonly byItself: ReadonlySet<string>;
  /** Taken, broken or deleted by somebody else. */
  readonly byOthers: ReadonlySet<string>;
  /** When that was, unless it was granted again. */
  readonly gone: ReadonlyMap<string, number>;
}

function endsOf(history: History): Ends {
  const given = new Set<string>();
  const byItself = new Set<string>();
  const byOthers = new Set<string>();
  const gone = new Map<string, number>();
  for (const write of leaseWrites(history)) {
    const from = textIn(write.before, 'leaseId');
    // A call that tries again under its lease id may be granted it again.
    if (isGrant(write)) gone.delete(textIn(write.after, 'leaseId')!);
    if (from === undefined || textIn(write.after, 'leaseId') === from) continue;
    const isEnd = write.after !== undefined && !isGrant(write);
    if (isEnd) given.add(from);
    if (isEnd && write.request?.process === processOf(from)) {
      byItself.add(from);
      continue;
    }
    byOthers.add(from);
    gone.set(from, write.atMs);
  }
  return { given, byItself, byOthers, gone };
}

/** A claim about a lease that the store does not bear out. */
function lieIn(
  { what, outcome, leaseId, otherLeaseId, sinceMs }: CallRecord,
  ends: Ends,
): string | undefined {
  if (what === 'release' && outcome === 'released' && !ends.byItself.has(leaseId!))
    return `${leaseId} is released, but it is not, or an operator has broken it`;
  if (what === 'break' && outcome === 'ok' && !ends.given.has(otherLeaseId!))
    return `${otherLeaseId} is broken, but it is not`;
  if (what === 'handOver' && outcome === 'still held')
    return `${leaseId} is handed over, but it says that it is held`;
  if (what === 'complete' && outcome === 'still held')
    return `${leaseId} is completed, but it says that it is held`;
  // A guarded write tells of the moment, and may come under a lease that was given back: see the resources.
  if (leaseId === undefined || what.startsWith('guard')) return undefined;
  // A lease that ended by its own hand, unknown to it, may have been followed by others.
  const wasEnded = ends.byOthers.has(leaseId) || (what === 'complete' && ends.given.has(leaseId));
  const isLie = /broken/.test(outcome) ? !wasEnded : !ends.byOthers.has(leaseId) && !ends.given.has(leaseId);
  if (/taken-over|broken/.test(outcome) && isLie) {
    return `${leaseId} is lost (${outcome}), but nobody took it`;
  }
  const goneAtMs = ends.gone.get(leaseId) ?? Number.POSITIVE_INFINITY;
  const isRenewal = (what === 'renew' || what === 'save' || what === 'handOver') && outcome === 'ok';
  return isRenewal && goneAtMs < sinceMs ? `${leaseId} is renewed, but it was gone before` : undefined;
}

/** Leases that have gone from the store, and those whose own process has been told so. */
class Gone {
  readonly #inStoreSinceMs = new Map<string, number>();
  readonly #toldSinceMs = new Map<string, number>();

  note(record: HistoryRecord): void {
    // A backup shows leases that have long been gone.
    if (record.kind === 'restore') {
      this.#inStoreSinceMs.clear();
      this.#toldSinceMs.clear();
    }
    if (record.kind === 'call' && record.what === 'release' && record.outcome === 'released')
      this.#toldSinceMs.set(record.leaseId!, record.atMs);
    if (!isLeaseWrite(record)) return;
    const [from, to] = [textIn(record.before, 'leaseId'), textIn(record.after, 'leaseId')];
    if (from !== undefined && from !== to) this.#inStoreSinceMs.set(from, record.atMs);
    // A late duplicate of its acquire may revive what was given back, even before the release is answered.
    if (to !== undefined) this.#inStoreSinceMs.delete(to);
  }

  /** A holder that had gone before the question was asked. */
  ghostIn({ outcome, otherLeaseId, process, sinceMs }: CallRecord): string | undefined {
    if (outcome !== 'LockHeldError' || otherLeaseId === undefined) return undefined;
    // Callers in one process stand in line: theirs is held until its release is answered.
    const isOwn = processOf(otherLeaseId) === process;
    const wasHeldMs = Number.POSITIVE_INFINITY;
    const sinceInStoreMs = this.#inStoreSinceMs.get(otherLeaseId) ?? wasHeldMs;
    const sinceToldMs = isOwn ? (this.#toldSinceMs.get(otherLeaseId) ?? wasHeldMs) : sinceInStoreMs;
    return Math.max(sinceInStoreMs, sinceToldMs) < sinceMs
      ? `the lock is held by ${otherLeaseId}, which was gone before`
      : undefined;
  }
}

/** An acquire that gave up is giving its lease back for at least so long, if that is not done sooner. */
const givingBackMs = 500;

/**
 * Leases that acquires have left behind, and that their process knows of. Not one that the process may have taken for over
 * when the acquire ended, and has sent no release of since: the store tells its end, and nobody gives it back any more.
 */
class GivenUp {
  readonly #widthMs: number;
  readonly #granted = new Set<string>();
  readonly #sinceMs = new Map<string, number>();
  readonly #endsMs = new Map<string, number>();
  readonly #releaseSentMs = new Map<string, number>();

  /** @param widthMs by so much sooner its process may take a lease for over than the store, in milliseconds */
  constructor(widthMs: number) {
    this.#widthMs = widthMs;
  }

  note(record: HistoryRecord, handed: ReadonlySet<string>): void {
    // Of one that comes late nobody can know.
    if (record.kind === 'write' && isGrant(record) && !record.request?.isLate)
      this.#granted.add(textIn(record.after, 'leaseId')!);
    const leaseId = record.kind === 'write' ? textIn(record.after, 'leaseId') : undefined;
    if (record.kind === 'write' && leaseId !== undefined)
      this.#endsMs.set(leaseId, numberIn(record.after, 'expiresAt') ?? 0);
    if (record.kind === 'sent' && record.ends) this.#releaseSentMs.set(record.leaseId, record.atMs);
    if (record.kind !== 'call' || record.outcome === 'ok') return;
    for (let number = record.firstId + 1; number <= record.lastId; number++) {
      const leaseId = `${record.process}.${number}`;
      if (this.#granted.has(leaseId) && !handed.has(leaseId)) this.#sinceMs.set(leaseId, record.atMs);
    }
  }

  ghostIn({ outcome, otherLeaseId, process, atMs, isAlone }: CallRecord): string | undefined {
    if (outcome !== 'LockHeldError' || otherLeaseId === undefined || !isAlone) return undefined;
    if (processOf(otherLeaseId) !== process) return undefined;
    const sinceMs = this.#sinceMs.get(otherLeaseId) ?? Number.NEGATIVE_INFINITY;
    const mayBeOver = (this.#endsMs.get(otherLeaseId) ?? 0) < sinceMs + this.#widthMs;
    const isAsked = (this.#releaseSentMs.get(otherLeaseId) ?? Number.NEGATIVE_INFINITY) >= sinceMs;
    if (mayBeOver && !isAsked) return undefined;
    return atMs - sinceMs < givingBackMs
      ? `the lock is held by ${otherLeaseId}, which it gives back`
      : undefined;
  }
}

/** A refusal for a wrong reason. */
function findRefusal(call: CallRecord, premises: Premises, handed: ReadonlySet<string>): string | undefined {
  const { outcome, otherLeaseId, process, firstId, lastId, isAlone, waitMs = 0 } = call;
  if (outcome === 'LockHeldError' && otherLeaseId !== undefined && isAlone && !handed.has(otherLeaseId)) {
    const number = numberOfId(otherLeaseId);
    const isOfThisCall = processOf(otherLeaseId) === process && number > firstId && number <= lastId;
    if (isOfThisCall) return `the lock is held, by this very call's ${otherLeaseId}`;
  }
  const isMeasurable = premises.clocksHold && !premises.wallSteps;
  if (
    outcome === 'StoreError' &&
    isMeasurable &&
    call.what !== 'withLock' &&
    call.atMs - call.sinceMs < 0.9 * waitMs
  ) {
    return 'the store failed, although there was time left to try again';
  }
  return undefined;
}
