import type { CallRecord, Check, Violation, WriteRecord } from '../history/history.js';
import { isGrant, leaseWrites, numberOfId, processOf, textIn } from './lease-writes.js';

/** What can't be given back at once is, in the background; and a call that is aborted ends before that is answered. */
const givingBackMs = 500;

/**
 * The kit page, sections 2 and 3: what is held together says of itself what its leases say, and is told with the first that
 * is told; callers of several locks never wait for each other in a circle; and whoever does not get all, or has ended, holds
 * none.
 */
export const checkTogether: Check = (history) => {
  const { records, premises } = history;
  const violations: Violation[] = [];
  for (const record of records) {
    if (record.kind !== 'joint') continue;
    const { atMs, process, what, isTold, isHeld, parts } = record;
    const tell = (told: string) =>
      violations.push({ rule: 'together', atMs, what: `${what} of ${process} ${told}` });
    if (isTold !== parts.some((part) => part.isTold))
      tell(isTold ? 'is told, and nothing that it goes by is' : 'is not told, although a part of it is');
    if (isHeld !== undefined && isHeld !== parts.every(({ isValid }) => isValid))
      tell(`says that it is ${isHeld ? '' : 'not '}held, and its leases say otherwise`);
  }
  const groups = records.filter(
    (record): record is CallRecord => record.kind === 'call' && record.wants !== undefined && record.isAlone,
  );
  const held = groups.map((call) => holdsOf(call, leaseWrites(history)));
  for (const [at, call] of groups.entries()) {
    for (const [other, second] of groups.entries()) {
      if (other > at && isCircle(call, held[at]!, second, held[other]!)) {
        const what = `${call.process} and ${second.process} each hold what the other waits for`;
        violations.push({ rule: 'together', atMs: Math.max(call.sinceMs, second.sinceMs), what });
      }
    }
    if (!premises.isNetworkCalm || premises.deletedEarlyAtMs !== undefined || premises.isService) continue;
    if (call.what === 'acquireAll' && call.outcome === 'ok') continue;
    // What is given back in the background needs a live process.
    const isCutOff = records.some(
      (record) =>
        (record.kind === 'pause' && record.process === call.process && record.untilMs >= call.sinceMs) ||
        (record.kind === 'crash' &&
          record.process === call.process &&
          record.atMs <= call.atMs + givingBackMs),
    );
    const kept = isCutOff ? undefined : held[at]!.find(({ untilMs }) => untilMs > call.atMs + givingBackMs);
    if (!kept) continue;
    const what = `${call.process} holds ${kept.name} after ${call.what} has ended (${call.outcome})`;
    violations.push({ rule: 'together', atMs: call.atMs, what });
  }
  return violations;
};

interface Held {
  readonly name: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** What was granted by a call, and until when it stood in the store. */
function holdsOf(call: CallRecord, writes: readonly WriteRecord[]): readonly Held[] {
  const holds: Held[] = [];
  for (const [at, write] of writes.entries()) {
    const leaseId = textIn(write.after, 'leaseId');
    if (leaseId === undefined || !isGrant(write) || processOf(leaseId) !== call.process) continue;
    const number = numberOfId(leaseId);
    if (number <= call.firstId || number > call.lastId) continue;
    const end = writes
      .slice(at + 1)
      .find(({ key, after }) => key === write.key && textIn(after, 'leaseId') !== leaseId);
    holds.push({ name: write.key, fromMs: write.atMs, untilMs: end?.atMs ?? Number.POSITIVE_INFINITY });
  }
  return holds;
}

/** Each holds something that the other waits for, at one time. */
function isCircle(a: CallRecord, ofA: readonly Held[], b: CallRecord, ofB: readonly Held[]): boolean {
  const lacksUntil = (call: CallRecord, holds: readonly Held[], name: string) =>
    call.wants!.includes(name) ? (holds.find((held) => held.name === name)?.fromMs ?? call.atMs) : 0;
  return ofA.some((x) =>
    ofB.some((y) => {
      const fromMs = Math.max(x.fromMs, y.fromMs);
      const untilMs = Math.min(x.untilMs, y.untilMs, lacksUntil(a, ofA, y.name), lacksUntil(b, ofB, x.name));
      return x.name !== y.name && fromMs < untilMs;
    }),
  );
}
