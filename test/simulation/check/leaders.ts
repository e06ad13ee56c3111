import type { CallRecord, Check, History, Violation, WriteRecord } from '../history/history.js';
import { isGrant, leaseWrites, numberIn, processOf, textIn } from './lease-writes.js';

/** Whoever has stepped down leaves the lead to the others for so long, by its own clock. */
const stepDownPauseMs = 2_990;
/** An answer of a calm network, and what is done about it. */
const tripMs = 300;
/** A waiter's clock knows the time within a second and a round trip. */
const widthMs = 1_300;

/**
 * The kit page, sections 3 and 4: a campaign ends by its work, its error or its caller only; a holder that is asked to let go
 * knows with its next renewal, and nobody else believes so; whoever steps down leaves the lead to the others; and who leads is
 * told truly.
 */
export const checkLeaders: Check = (history) => {
  const { records, premises } = history;
  const violations: Violation[] = [];
  const tell = (atMs: number, what: string) => violations.push({ rule: 'leaders', atMs, what });
  const isUndisturbed =
    premises.deletedEarlyAtMs === undefined && !records.some(({ kind }) => kind === 'restore');
  if (!isUndisturbed) return [];
  const asked = new Map<string, number>();
  /** When a renewal after that was applied. */
  const told = new Map<string, number>();
  const steppedDown = new Map<string, number>();
  /** When leases were granted, and when each process's campaign last ended: a lease that is let go after that is no stepping down. */
  const granted = new Map<string, number>();
  const ended = new Map<string, number>();
  /**
   * When a process first sent a release of a lease: it has stepped down then, as far as it knows. A release that arrives late,
   * or only when it is repeated, frees the lead later, and leaves the others less of the pause.
   */
  const letGo = new Map<string, number>();
  /** Leases that were held when their holder knew. */
  const knew = new Set<string>();
  for (const record of records) {
    if (record.kind === 'sent' && record.ends && !letGo.has(record.leaseId))
      letGo.set(record.leaseId, record.atMs);
    if (record.kind === 'write' && record.table === 'leases') {
      const leaseId = textIn(record.after, 'leaseId');
      const wasAsked = textIn(record.before, 'releaseRequested') !== undefined;
      const isAsked = textIn(record.after, 'releaseRequested') !== undefined;
      if (leaseId !== undefined && isAsked && !wasAsked) asked.set(leaseId, record.atMs);
      if (isAsked && wasAsked && isRenewal(record) && !told.has(leaseId!)) told.set(leaseId!, record.atMs);
      const from = textIn(record.before, 'leaseId');
      const endedMs = from === undefined ? undefined : ended.get(processOf(from));
      const isSameCampaign = endedMs === undefined || (granted.get(from!) ?? 0) > endedMs;
      if (from !== undefined && knew.has(from) && leaseId === undefined && isSameCampaign)
        steppedDown.set(`${record.key} ${processOf(from)}`, letGo.get(from) ?? record.atMs);
      if (isGrant(record)) {
        granted.set(leaseId!, record.atMs);
        const key = `${record.key} ${processOf(leaseId!)}`;
        const sinceMs = record.atMs - (steppedDown.get(key) ?? Number.NEGATIVE_INFINITY);
        const isLead = record.key.startsWith('lead/') && premises.clocksHold;
        if (isLead && sinceMs < stepDownPauseMs)
          tell(record.atMs, `${leaseId} leads ${sinceMs.toFixed(0)} ms after its process has stepped down`);
        steppedDown.delete(key);
      }
    }
    if (record.kind === 'survey') {
      for (const { leaseId, isAsked, isValid, runningMs } of record.leases) {
        if (isAsked && isValid) knew.add(leaseId);
        if (isAsked && !asked.has(leaseId)) tell(record.atMs, `${leaseId} is asked to let go, by nobody`);
        const sinceMs = record.atMs - (told.get(leaseId) ?? Number.POSITIVE_INFINITY);
        const mustKnow = premises.isNetworkCalm && !premises.isService && isValid && runningMs > tripMs;
        if (!isAsked && mustKnow && sinceMs > tripMs)
          tell(record.atMs, `${leaseId} was renewed after it was asked to let go, and does not know`);
      }
    }
    if (record.kind !== 'call') continue;
    const { what, outcome, process, otherLeaseId, atMs, value } = record;
    // A new campaign of the same process is no stepping down.
    if (what === 'lead') {
      ended.set(process, atMs);
      for (const key of steppedDown.keys()) if (key.endsWith(` ${process}`)) steppedDown.delete(key);
    }
    if (what === 'lead' && /LockLost|LockHeld|StoreError/.test(outcome))
      tell(atMs, `a campaign of ${process} ends with ${outcome}`);
    if (what === 'lead' && outcome === 'ok' && value === 'told to stop')
      tell(atMs, `a campaign of ${process} ends although its work was told to stop`);
    if (what === 'requestRelease' && outcome === 'ok' && !asked.has(otherLeaseId!))
      tell(atMs, `${process} has asked ${otherLeaseId}, and that is not written down`);
    const lie = what === 'leader' && outcome === 'ok' && findLie(record, history);
    if (lie) tell(atMs, `${process} is told that ${lie}`);
  }
  return violations;
};

function isRenewal({ before, after }: WriteRecord): boolean {
  return (
    textIn(before, 'leaseId') === textIn(after, 'leaseId') &&
    numberIn(after, 'renewals') !== numberIn(before, 'renewals')
  );
}

/** Who leads, as a call is told, and as it never was while the call lasted. */
function findLie({ name, otherLeaseId, sinceMs, atMs }: CallRecord, history: History): string | undefined {
  const writes = leaseWrites(history).filter(({ key }) => key === name);
  let before: WriteRecord | undefined;
  let isTrue = false;
  for (const write of [...writes, undefined]) {
    const isMeanwhile = (before?.atMs ?? 0) <= atMs && (write?.atMs ?? Number.POSITIVE_INFINITY) >= sinceMs;
    const leaseId = textIn(before?.after, 'leaseId');
    const endsMs = numberIn(before?.after, 'expiresAt') ?? 0;
    if (isMeanwhile && otherLeaseId !== '' && leaseId === otherLeaseId) isTrue = true;
    const mayBeOver = leaseId === undefined || endsMs < atMs + widthMs + 2 * history.premises.skewMs;
    if (isMeanwhile && otherLeaseId === '' && mayBeOver) isTrue = true;
    before = write;
  }
  if (isTrue || (otherLeaseId === '' && !history.premises.clocksHold)) return undefined;
  return otherLeaseId === '' ? `nobody has ${name}` : `${otherLeaseId} has ${name}`;
}
