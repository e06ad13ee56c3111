import type { Check, LeaseView, Violation, WriteRecord } from '../history/history.js';
import { supersedesSibling } from './hand-overs.js';
import { isGrant, textIn } from './lease-writes.js';

/** On waking up timers and answers come in any order, within some milliseconds. */
const wakingMs = 5;

/** Leases that were superseded or broken: such a holder finds out by its next renewal. Or given back, and about to know. */
export class Excused {
  readonly #leaseIds = new Set<string>();

  note(write: WriteRecord): void {
    const from = textIn(write.before, 'leaseId');
    if (from === undefined) return;
    const isOwn = textIn(write.before, 'owner') === textIn(write.after, 'owner');
    const isEnd = textIn(write.after, 'leaseId') === undefined;
    if (isEnd || (isGrant(write) && (isOwn || supersedesSibling(write)))) this.#leaseIds.add(from);
  }

  has(leaseId: string): boolean {
    return this.#leaseIds.has(leaseId);
  }
}

/**
 * I2: two leases of one name, superseded and broken ones aside, are never valid at the same true time; and a holder that runs
 * is told before anybody else can take its lock over.
 */
export const checkHolders: Check = ({ premises, records }) => {
  if (!premises.clocksHold) return [];
  const violations: Violation[] = [];
  const excused = new Excused();
  let takenFrom: string | undefined;
  const tell = (atMs: number, what: string) => violations.push({ rule: 'I2', atMs, what });
  for (const record of records) {
    if (premises.deletedEarlyAtMs !== undefined && record.atMs >= premises.deletedEarlyAtMs) break;
    if (record.kind === 'write') {
      takenFrom = isGrant(record) ? textIn(record.before, 'leaseId') : undefined;
      excused.note(record);
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
