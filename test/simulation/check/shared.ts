import type { Check, SharedSurveyRecord, SharerView, Violation, WriteRecord } from '../history/history.js';
import { Excused } from './holders.js';
import { isGrant, isLeaseWrite, numberIn, textIn } from './lease-writes.js';

/**
 * What several share: never more valid holders of permits than the largest number that anybody has asked for; no reader
 * valid together with a writer; no reader comes in past a writer that stands at the gate.
 */
export const checkShared: Check = ({ premises, records }) => {
  if (!premises.clocksHold) return [];
  const violations: Violation[] = [];
  const excused = new Excused();
  const gates = new Gates(premises.skewMs);
  const entered = new Set<string>();
  for (const record of records) {
    if (premises.deletedEarlyAtMs !== undefined && record.atMs >= premises.deletedEarlyAtMs) break;
    if (record.kind === 'restore') gates.forget();
    if (isLeaseWrite(record)) {
      excused.note(record);
      gates.note(record);
    }
    if (record.kind !== 'shared survey') continue;
    const { atMs, name } = record;
    const tell = (rule: string, what: string) => violations.push({ rule, atMs, what: `${name}: ${what}` });
    tellCrowd(record, excused, tell);
    for (const sharer of record.sharers) {
      const [leaseId] = sharer.leaseIds;
      if (entered.has(leaseId!)) continue;
      entered.add(leaseId!);
      const writer = sharer.role === 'reader' && gates.passedBy(name, leaseId!, atMs);
      if (writer) tell('writers first', `${leaseId} reads, past ${writer}, which stands at the gate`);
    }
  }
  return violations;
};

function tellCrowd(
  { sharers, permits }: SharedSurveyRecord,
  excused: Excused,
  tell: (rule: string, what: string) => void,
): void {
  const valid = sharers.filter(({ isValid, leaseIds }) => isValid && !leaseIds.some((id) => excused.has(id)));
  const inRole = (...roles: readonly string[]) => valid.filter(({ role }) => roles.includes(role));
  const holders = inRole('permit');
  if (holders.length > permits)
    tell('permits', `${holders.length} valid holders of ${permits} permits: ${listed(holders)}`);
  const [writers, all] = [inRole('writer'), inRole('writer', 'reader')];
  if (writers.length > 0 && all.length > 1) tell('readers and writer', `${listed(all)} are valid together`);
}

/** Which writer stood at a gate when a reader was granted its permit. */
class Gates {
  readonly #skewMs: number;
  readonly #gates = new Map<string, { readonly leaseId: string; readonly expiresAt: number } | undefined>();
  readonly #atGrant = new Map<string, { readonly leaseId: string; readonly expiresAt: number }>();

  constructor(skewMs: number) {
    this.#skewMs = skewMs;
  }

  note(write: WriteRecord): void {
    const { key, after } = write;
    const leaseId = textIn(after, 'leaseId');
    const gate = /^(.*)#w$/.exec(key)?.[1];
    if (gate !== undefined) {
      const expiresAt = numberIn(after, 'expiresAt') ?? 0;
      this.#gates.set(gate, leaseId === undefined ? undefined : { leaseId, expiresAt });
    }
    const readers = /^(.*)#r#\d+$/.exec(key)?.[1];
    if (readers === undefined || leaseId === undefined || !isGrant(write)) return;
    const standing = this.#gates.get(readers);
    if (standing) this.#atGrant.set(leaseId, standing);
  }

  /** An older backup of the table: who stands there is not known. */
  forget(): void {
    this.#gates.clear();
    this.#atGrant.clear();
  }

  /** The writer that stood there all the time from the grant of a reader's permit until it came in. */
  passedBy(name: string, leaseId: string, atMs: number): string | undefined {
    const before = this.#atGrant.get(leaseId);
    const isSame = before !== undefined && this.#gates.get(name)?.leaseId === before.leaseId;
    return isSame && before.expiresAt > atMs + this.#skewMs ? before.leaseId : undefined;
  }
}

function listed(sharers: readonly SharerView[]): string {
  return sharers.map(({ role, leaseIds }) => `${role} ${leaseIds[0]}`).join(' and ');
}
