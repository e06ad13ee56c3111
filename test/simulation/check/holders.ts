import type { Check, LeaseView, Violation } from '../history/history.js';
import { supersedesSibling } from './hand-overs.js';
import { isGrant, textIn } from './lease-writes.js';

/** On waking up timers and answers come in any order, within some milliseconds. */
const wakingMs = 5;

/**
 * I2: two leases of one name, superseded and broken ones aside, are never valid at the same true time; and a holder that runs
 * is told before anybody else can take its lock over.
 */
export const checkHolders: Check = ({ premises, records }) => {
  if (!premises.clocksHold) return [];
  const violations: Violation[] = [];
  /** Superseded or broken: such a holder finds out by its next renewal. Or given back, and about to know. */
  const excused = new Set<string>();
  let takenFrom: string | undefined;
  const tell = (atMs: number, what: string) => violations.push({ rule: 'I2', atMs, what });
  for (const record of records) {
    if (premises.deletedEarlyAtMs !== undefined && record.atMs >= premises.deletedEarlyAtMs) break;
    if (record.kind === 'write') {
      const leaseBefore = textIn(record.before, 'leaseId');
      takenFrom = isGrant(record) ? leaseBefore : undefined;
      const isOwn = textIn(record.before, 'owner') === textIn(record.after, 'owner');
      if (takenFrom !== undefined && (isOwn || supersedesSibling(record))) excused.add(takenFrom);
      const isEnd = leaseBefore !== undefined && textIn(record.after, 'leaseId') === undefined;
      if (isEnd) excused.add(leaseBefore);
    }
    if (record.kind !== 'survey') continue;
    const valid = record.leases.filter(({ isValid, leaseId }) => isValid && !excused.has(leaseId));
    if (valid.length > 1) tell(record.atMs, `${record.name} has valid leases ${listed(valid)}`);
    if (record.why !== 'grant' || takenFrom === undefined || excused.has(takenFrom)) continue;
    const loser = record.leases.find(({ leaseId }) => leaseId === takenFrom);
    if (loser?.isValid)
      tell(record.atMs, `${record.name} is taken over from ${listed([loser])}, which is valid`);
    // A scan's own code gives leases back unseen: who has is not told, and need not be.
    else if (loser && !premises.keys && !loser.isTold && loser.runningMs > wakingMs) {
      tell(record.atMs, `${record.name} is taken over from ${listed([loser])}, which was not told`);
    }
  }
  return violations;
};

function listed(leases: readonly LeaseView[]): string {
  return leases.map(({ leaseId }) => leaseId).join(' and ');
}
