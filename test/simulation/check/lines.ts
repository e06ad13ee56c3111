import type {
  CallRecord,
  Check,
  History,
  HistoryRecord,
  OpenRecord,
  PauseRecord,
  Violation,
  WriteRecord,
} from '../history/history.js';
import type { Item } from '../store/attribute-values.js';
import {
  isGrant,
  isLeaseWrite,
  isLineWrite,
  lockOfLine,
  numberIn,
  numberOfId,
  processOf,
  textIn,
} from './lease-writes.js';
import { freeFrom } from './turns.js';

/** A waiter that does not use its turn for so long has given it away: for each place, in milliseconds. */
const graceMs = 2_000;
/** Everybody looks at least so often, and those behind the head in a long line so many times less often than it. */
const lookWithinMs = 1_400;
const longLine = 8;
/** Looks and answers of a calm network, and timers that drift. */
const tripsMs = 300;
const drift = 1.002;
/** A deadline is told by clocks that lie apart and know the time within a second. */
const deadlineWidthMs = 3_000;
const dayMs = 24 * 3_600_000;

interface StoredTicket {
  readonly id: string;
  readonly deadline: number;
}

/** A ticket that stands in a line, since when, and behind which others since when. */
interface Standing extends StoredTicket {
  readonly sinceMs: number;
  readonly behind: readonly { readonly sinceMs: number; readonly tickets: readonly StoredTicket[] }[];
}

/**
 * The kit page, section 7. Whoever waits in line and is alive is granted the lock before those behind it, and none who is to
 * stand in line goes past it; a lock that can be had is had within a grace for each waiter ahead that is dead; a call that has
 * ended leaves no ticket; and one that nobody takes out goes with its line. The order, and the time, where nothing is wrong
 * with the network.
 */
export const checkLines: Check = (history) => {
  const { premises, records } = history;
  const violations: Violation[] = [];
  const tell = (atMs: number, what: string) => violations.push({ rule: 'line', atMs, what });
  for (const write of records) {
    if (!isLineWrite(write) || !write.after) continue;
    const ttlMs = (numberIn(write.after, 'ttl') ?? 0) * 1000;
    const last = ticketsOf(write.after).at(-1);
    const ids = ticketsOf(write.after).map(({ id }) => id);
    if (new Set(ids).size < ids.length) tell(write.atMs, `${write.key} has a ticket twice`);
    if (ttlMs === 0 || (last && ttlMs < last.deadline))
      tell(write.atMs, `${write.key} does not go by itself`);
    if (last && ttlMs > Math.max(last.deadline, write.atMs) + 2 * dayMs)
      tell(write.atMs, `${write.key} stays for long`);
  }
  const isMeasurable = premises.isNetworkCalm && premises.clocksHold && !premises.wallSteps;
  const isUndisturbed =
    premises.deletedEarlyAtMs === undefined && !records.some(({ kind }) => kind === 'restore');
  if (!isMeasurable || !isUndisturbed || (premises.isService && !premises.isCalm)) return violations;
  const facts = new Facts(history);
  const lines = new Map<string, readonly Standing[]>();
  const locks = new Map<string, WriteRecord>();
  for (const record of records) {
    if (isLineWrite(record)) {
      const name = lockOfLine(record.key);
      const before = lines.get(name) ?? [];
      const stored = ticketsOf(record.after);
      const robbed = facts.findRobbed(record, before, stored);
      if (robbed) tell(record.atMs, `${record.request?.process} takes the ticket of ${robbed}, who waits`);
      lines.set(
        name,
        stored.map((ticket, place) => standingOf(ticket, stored.slice(0, place), before, record.atMs)),
      );
    }
    if (isLeaseWrite(record)) {
      const line = lines.get(record.key) ?? [];
      const late = facts.longestWait(locks.get(record.key), record.atMs, line, record.key);
      if (late) tell(record.atMs, late);
      if (isGrant(record)) {
        const past = facts.findPassed(record, line);
        if (past)
          tell(record.atMs, `${textIn(record.after, 'leaseId')} is granted ${record.key} before ${past}`);
        facts.notePassed(record, line);
      }
      locks.set(record.key, record);
    }
    const left = record.kind === 'call' && facts.findLeft(record, lines);
    if (left) tell(record.atMs, `${record.kind === 'call' ? record.process : ''} leaves ${left}`);
  }
  return violations;
};

function standingOf(
  ticket: StoredTicket,
  tickets: readonly StoredTicket[],
  before: readonly Standing[],
  atMs: number,
): Standing {
  const { sinceMs = atMs, behind = [] } = before.find(({ id }) => id === ticket.id) ?? {};
  return { ...ticket, sinceMs, behind: [...behind, { sinceMs: atMs, tickets }] };
}

function ticketsOf(item: Item | undefined): readonly StoredTicket[] {
  return (item?.tickets?.L ?? []).map(({ S: text }) => {
    const gap = text!.indexOf(' ');
    return { deadline: Number(text!.slice(0, gap)), id: text!.slice(gap + 1) };
  });
}

type Call = CallRecord | OpenRecord;

/** What is known of processes and their calls. */
class Facts {
  readonly #history: History;
  readonly #calls = new Map<string, Call[]>();
  readonly #crashedAtMs = new Map<string, number>();
  readonly #pauses: PauseRecord[] = [];
  readonly #passed = new Map<string, readonly Standing[]>();

  constructor(history: History) {
    this.#history = history;
    for (const record of history.records) this.#note(record);
  }

  #note(record: HistoryRecord): void {
    if (record.kind === 'crash') this.#crashedAtMs.set(record.process, record.atMs);
    if (record.kind === 'pause') this.#pauses.push(record);
    if (record.kind !== 'call' && record.kind !== 'open') return;
    const calls = this.#calls.get(record.process) ?? [];
    this.#calls.set(record.process, calls);
    calls.push(record);
  }

  /** Whose ticket, or lease, of those that stand in line: two scripts of a process are told apart by nothing. */
  #callOf(id: string): Call | undefined {
    const calls = (this.#calls.get(processOf(id)) ?? []).filter(
      ({ firstId, lastId }) => firstId < numberOfId(id) && numberOfId(id) <= lastId,
    );
    return calls.length === 1 ? calls[0] : undefined;
  }

  /** Whether the ticket's waiter runs all the time, and is still waiting a while later. */
  #waits({ id, deadline }: StoredTicket, fromMs: number, untilMs: number): boolean {
    const process = processOf(id);
    const call = this.#callOf(id);
    if (call?.kind !== 'call' || call.name === '' || call.what === 'lead' || !call.isAlone) return false;
    // Who gives up takes its ticket out last; whom it was granted to, too.
    const endsMs = Math.min(call.outcome === 'ok' ? Number.POSITIVE_INFINITY : call.atMs, deadline);
    if (untilMs > endsMs - deadlineWidthMs || untilMs > call.atMs || fromMs < call.sinceMs) return false;
    if ((call.lockDelayMs ?? 0) > 0) return false;
    return this.#runs(process, fromMs, untilMs);
  }

  #runs(process: string, fromMs: number, untilMs: number): boolean {
    if ((this.#crashedAtMs.get(process) ?? Number.POSITIVE_INFINITY) <= untilMs) return false;
    return !this.#pauses.some(
      (pause) => pause.process === process && pause.atMs <= untilMs && pause.untilMs + tripsMs >= fromMs,
    );
  }

  /** A waiter that is alive, stands before whoever is granted the lock, and is passed over. */
  findPassed({ before, after, request, key }: WriteRecord, line: readonly Standing[]): string | undefined {
    const leaseId = textIn(after, 'leaseId')!;
    // Who supersedes goes on with what it has.
    if (textIn(before, 'owner') === textIn(after, 'owner')) return undefined;
    const call = this.#callOf(leaseId);
    if (!request || !call || !('isFair' in call) || !call.isFair || call.name !== key) return undefined;
    const own = line.findIndex(({ id }) => this.#callOf(id) === call);
    const madeUpMs = request.firstSentAtMs;
    return line
      .slice(0, own < 0 ? undefined : own)
      .find(
        (ticket) =>
          ticket.sinceMs < (own < 0 ? call.sinceMs : madeUpMs) &&
          this.#waits(ticket, Math.max(ticket.sinceMs, madeUpMs - 2 * graceMs), madeUpMs),
      )?.id;
  }

  /** Remembers who stands before whoever is granted the lock. */
  notePassed({ before, after }: WriteRecord, line: readonly Standing[]): void {
    const leaseId = textIn(after, 'leaseId')!;
    // Who supersedes goes on with what it has, and nobody before it has missed a turn.
    if (textIn(before, 'owner') === textIn(after, 'owner')) return;
    const call = this.#callOf(leaseId);
    const own = line.findIndex(({ id }) => this.#callOf(id) === call);
    if (call && own > 0) this.#passed.set(leaseId, line.slice(0, own));
  }

  /** Somebody who waits, and whose ticket is taken out by somebody else. */
  findRobbed(
    { atMs, request }: WriteRecord,
    before: readonly Standing[],
    after: readonly StoredTicket[],
  ): string | undefined {
    return before.find(
      (ticket) =>
        request !== undefined &&
        request.process !== processOf(ticket.id) &&
        !after.some(({ id }) => id === ticket.id) &&
        this.#waits(ticket, Math.max(ticket.sinceMs, atMs - 2 * graceMs), atMs),
    )?.id;
  }

  /**
   * That a lock could be had for longer than the first who is alive in line may take to see it. It may take a grace for each
   * that stood before it then; those that are gone only now have kept it waiting until now.
   */
  longestWait(
    before: WriteRecord | undefined,
    untilMs: number,
    line: readonly Standing[],
    name: string,
  ): string | undefined {
    const fromMs = freeFrom(before, this.#history);
    for (const ticket of line) {
      const sinceMs = Math.max(fromMs, ticket.sinceMs);
      if (sinceMs >= untilMs || !this.#waits(ticket, sinceMs, untilMs)) continue;
      const { pollFloorMs = 0 } = this.#history.premises;
      let farthest = 0;
      for (const stretch of ticket.behind) {
        const stretchMs = untilMs - Math.max(fromMs, stretch.sinceMs);
        const isLive = ({ deadline }: StoredTicket) => deadline > Math.max(fromMs, 0) - deadlineWidthMs;
        const place = stretch.tickets.filter(isLive).length;
        // Its pause may be one of the place that it had before.
        farthest = Math.max(farthest, place);
        const lookMs = Math.min(pollFloorMs * 1.5 * (1 + longLine * farthest), 1.25 * lookWithinMs);
        if (stretchMs > drift * (place * graceMs + lookMs) + tripsMs)
          return `${name} could be had for ${stretchMs.toFixed(0)} ms while ${ticket.id} stands at place ${place}`;
      }
      return undefined;
    }
    return undefined;
  }

  /** A ticket that a call leaves behind although its process runs; its own, or one that it was granted the lock before. */
  findLeft(call: CallRecord, lines: ReadonlyMap<string, readonly Standing[]>): string | undefined {
    if (!call.isAlone || call.what === 'lead' || !this.#runs(call.process, call.sinceMs, call.atMs))
      return undefined;
    for (const [name, line] of lines) {
      const own = line.find(({ id }) => this.#callOf(id) === call);
      if (own) return `its ticket in the line of ${name}`;
      const passed = this.#passed.get(call.leaseId ?? '') ?? [];
      const left = line.find((ticket) =>
        passed.some(({ id, sinceMs }) => id === ticket.id && sinceMs === ticket.sinceMs),
      );
      if (left) return `the ticket of ${left.id}, before which it was granted ${name}`;
    }
    return undefined;
  }
}
