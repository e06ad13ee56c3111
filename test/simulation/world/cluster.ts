import type { CurrentLease } from '../../../lib/fence/index.js';
import type { Lease } from '../../../lib/lease/index.js';
import type {
  History,
  LeaseView,
  Premises,
  RequestInfo,
  SharerRole,
  SurveyRecord,
  Terms,
} from '../history/history.js';
import { Tally } from '../history/tally.js';
import type { FrontEnds } from '../net/front-ends.js';
import type { Fate, Network } from '../net/network.js';
import type { Transport } from '../net/sim-client.js';
import { internalError, type StoreAnswer, throttled } from '../store/answers.js';
import type { Item } from '../store/attribute-values.js';
import { GroupIndex } from '../store/group-index.js';
import { carryOut, isRead } from '../store/operations.js';
import { type ItemWrite, SimStore } from '../store/sim-store.js';
import { EventLoop } from './event-loop.js';
import type { Random } from './random.js';
import type { SimProcess } from './sim-process.js';
import { shownArrival, shownSending, shownWrite, type Trace } from './trace.js';

/** When all schedules begin: any moment will do. */
export const startMs = Date.UTC(2031, 4, 7, 11, 13, 17);

/** The lease table of every schedule. */
export const leaseTable = 'leases';

/** What is written here is demanded to be written under the current lease, whatever its token. */
export const heldTable = 'accounts';

// biome-ignore lint/suspicious/noExplicitAny: the inputs of the SDK's commands, told apart by the command's name
type AnyInput = any;

/**
 * Inputs that were sent before, and when at first: what comes again is a retry of the SDK's. One for all schedules: in the
 * simulator's bundle it is a property of each input, and one of its own for each schedule is dear.
 */
const firstSentAtMsOf = new WeakMap<object, number>();

/** A lease in somebody's hands. */
interface HeldLease {
  readonly lease: Lease;
  readonly process: SimProcess;
  /** Kept, as its holder keeps it. */
  readonly signal: AbortSignal;
  readonly releaseRequested: AbortSignal;
  readonly terms: Terms | undefined;
  readonly clock: { readonly isSet: boolean; now(): { readonly earliest: number; readonly latest: number } };
}

/** Who holds a part of what several share. */
interface Sharer {
  readonly role: SharerRole;
  readonly process: SimProcess;
  readonly leases: readonly Lease[];
}

/** In whose name a request is sent, and whether for something that came a second time. */
export interface Sender {
  readonly process: string;
  readonly isLate: boolean;
}

/** Store, network, processes and true time of one schedule, and the record of what happens in it. */
export class Cluster {
  readonly loop = new EventLoop(startMs);
  readonly random: Random;
  readonly store: SimStore;
  readonly network: Network;
  readonly history: History;
  readonly trace: Trace;
  /** Nothing that is late arrives any more. */
  lateIsLost = false;
  /** All leases that any code has had in hand: JSON travels. */
  readonly former: CurrentLease[] = [];
  /** The longest lease that anybody has asked for beside what the clients were made with, in milliseconds. */
  longestAskedMs = 0;
  /** What was thrown where nothing may be thrown. */
  failure: unknown;
  readonly #index: GroupIndex;
  readonly #frontEnds: FrontEnds;
  readonly #held = new Map<string, Set<HeldLease>>();
  /** By the name of the semaphore, or of the readers and the writer. */
  readonly #sharers = new Map<string, Set<Sharer>>();
  /** The largest number of permits that anybody has asked for, by name. */
  readonly #permits = new Map<string, number>();
  /** As they were handed out. */
  readonly #tokens = new Map<string, number>();
  #current: RequestInfo | undefined;
  #requests = 0;
  /** What was sent before belongs to a table that is no longer there. */
  #restoredAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    random: Random,
    premises: Premises,
    maxIndexLagMs: number,
    parts: (loop: EventLoop) => { readonly network: Network; readonly frontEnds: FrontEnds },
    trace: Trace,
  ) {
    this.random = random;
    this.history = { premises, records: [], tally: new Tally() };
    this.trace = trace;
    this.#index = new GroupIndex(this.loop, random, maxIndexLagMs);
    this.store = new SimStore(this.#index, (write) => this.#recordWrite(write));
    const { network, frontEnds } = parts(this.loop);
    this.network = network;
    this.#frontEnds = frontEnds;
  }

  get nowMs(): number {
    return this.loop.nowMs;
  }

  /** Since the start, for people. */
  get elapsedMs(): number {
    return this.nowMs - startMs;
  }

  /** Something threw that must not: the schedule can't go on. */
  fail(error: unknown): void {
    this.failure ??= error;
  }

  /** Somebody asks for a lease of this length. */
  asksFor(leaseMs: number): void {
    this.longestAskedMs = Math.max(this.longestAskedMs, leaseMs);
  }

  /** Something went wrong, as it was meant to. */
  countTrouble(kind: string): void {
    this.history.tally.count(`trouble: ${kind}`);
  }

  note(who: string, what: string): void {
    this.trace?.(this.elapsedMs, who, what);
  }

  /**
   * The way of a process to the tables. `count` is told of every attempt that is sent.
   *
   * @param sender in whose name it sends, if not in its own
   */
  makeTransport(process: SimProcess, count: (operation: string) => void, sender?: () => Sender): Transport {
    const backend = { store: this.store, index: this.#index, random: this.random };
    const way = this.wayOf(process, (operation, input) => carryOut(backend, operation, input), sender);
    return (operation, input, onReply) => {
      count(operation);
      if (!sender) this.#recordSent(process, input);
      way(operation, input, onReply);
    };
  }

  /** The way of a process to a service: what is sent arrives, or not, or late, or twice. */
  wayOf(
    process: SimProcess,
    service: (operation: string, input: unknown) => StoreAnswer,
    sender: () => Sender = () => ({ process: process.id, isLate: false }),
  ): Transport {
    return (operation, input, onReply) => {
      const { nowMs: sentAtMs } = this;
      const firstSentAtMs = firstSentAtMsOf.get(input) ?? sentAtMs;
      if (firstSentAtMs === sentAtMs) firstSentAtMsOf.set(input, firstSentAtMs);
      const { process: from, isLate: isFromLate } = sender();
      const number = ++this.#requests;
      const request = {
        process: from,
        isLate: isFromLate,
        number,
        sentAtMs,
        firstSentAtMs,
        operation,
        input,
      };
      const fate = this.network.describeFate(process.id);
      this.#countFate(fate, isRead(operation));
      const arrive = (isLate: boolean) => {
        if ((isLate && this.lateIsLost) || request.sentAtMs < this.#restoredAtMs) return;
        if (isLate) this.countTrouble('a request comes twice');
        this.#current = isLate ? { ...request, isLate } : request;
        const answer = toAnswer(fate, () => service(operation, input));
        this.#current = undefined;
        this.trace && this.note('store', shownArrival(request, isLate, answer));
        if (isLate || fate.backMs === undefined || this.network.isCut(process.id, 'back')) return;
        const reply = { date: this.#frontEnds.date(), answer };
        this.network.carry(
          'answer',
          process.id,
          fate.backMs,
          () => process.deliver(() => onReply(reply)),
          fate,
        );
      };
      if (fate.thereMs !== undefined)
        this.network.carry('request', process.id, fate.thereMs, () => arrive(false), fate);
      // A read that comes again changes nothing.
      if (fate.againMs !== undefined && !isRead(operation)) {
        this.network.carry('again', process.id, (fate.thereMs ?? 0) + fate.againMs, () => arrive(true), fate);
      }
      this.trace && this.note(process.id, shownSending(request, fate.thereMs === undefined));
    };
  }

  /** The lease table becomes what it was: a backup is restored. What is under way belongs to the old one. */
  restore(backup: ReadonlyMap<string, Item>): void {
    this.#restoredAtMs = this.nowMs;
    const items = this.store.itemsOf(leaseTable);
    items.clear();
    for (const [name, item] of backup) items.set(name, item);
    this.history.records.push({ kind: 'restore', atMs: this.nowMs, items: backup });
    this.countTrouble('an older backup of the table is restored');
    this.note('somebody', 'restores an older backup of the table');
  }

  /** Somebody has the lease in hand from now on. */
  hold(process: SimProcess, lease: Lease, clock: HeldLease['clock'], terms?: Terms): void {
    const held = this.#held.get(lease.name) ?? new Set();
    this.#held.set(lease.name, held);
    const { signal, releaseRequested } = lease;
    held.add({ lease, process, clock, terms, signal, releaseRequested });
    this.#tokens.set(lease.leaseId, lease.token);
    const { name, leaseId, token } = lease;
    this.history.records.push({
      kind: 'handed',
      atMs: this.nowMs,
      process: process.id,
      name,
      leaseId,
      token,
      terms,
    });
    this.survey(name, 'handed');
  }

  /** Its holder does not count on it any more. */
  letGo(lease: Lease): void {
    for (const held of this.#held.get(lease.name) ?? []) {
      if (held.lease === lease) this.#held.get(lease.name)!.delete(held);
    }
  }

  /**
   * Asks all leases of a name at once. What they answer is computed from their own clocks, and asking changes
   * nothing.
   *
   * @param claimedBy a lease that has just said that it is valid
   */
  survey(name: string, why: SurveyRecord['why'], claimedBy?: string): void {
    const held = this.#held.get(name);
    if (!held) return;
    const leases: LeaseView[] = [];
    for (const { lease, process, clock, signal, releaseRequested, terms } of held) {
      if (process.isCrashed) continue;
      const { earliest, latest } = clock.now();
      leases.push({
        leaseId: lease.leaseId,
        process: process.id,
        isValid: lease.remainingMs > 0 || lease.leaseId === claimedBy,
        isTold: signal.aborted,
        isAsked: releaseRequested.aborted,
        isPastEnd: (terms?.endsInMs?.() ?? 1) <= 0,
        runningMs: this.nowMs - process.runningSinceMs,
        earliest,
        latest,
      });
    }
    if (leases.length > 0) this.history.records.push({ kind: 'survey', atMs: this.nowMs, name, leases, why });
  }

  /** Somebody asks for one of so many permits of a name. */
  asksForPermit(name: string, permits: number): void {
    this.#permits.set(name, Math.max(permits, this.#permits.get(name) ?? 0));
  }

  /** Somebody holds a part of it from now on; what comes back says that it does not count on it any more. */
  holdShared(name: string, sharer: Sharer): () => void {
    const sharers = this.#sharers.get(name) ?? new Set();
    this.#sharers.set(name, sharers);
    sharers.add(sharer);
    this.surveyShared(name);
    return () => void sharers.delete(sharer);
  }

  /** Asks all who hold a part of it at once whether their leases are valid. */
  surveyShared(name: string): void {
    const alive = [...(this.#sharers.get(name) ?? [])].filter(({ process }) => !process.isCrashed);
    if (alive.length === 0) return;
    const sharers = alive.map(({ role, process, leases }) => ({
      role,
      process: process.id,
      leaseIds: leases.map(({ leaseId }) => leaseId),
      isValid: leases.every(({ remainingMs }) => remainingMs > 0),
    }));
    const permits = this.#permits.get(name) ?? 0;
    this.history.records.push({ kind: 'shared survey', atMs: this.nowMs, name, sharers, permits });
  }

  #countFate({ thereMs, backMs, trouble }: Fate, isReading: boolean): void {
    if (thereMs === undefined) this.countTrouble('a request is lost');
    else if (trouble) this.countTrouble(troubleNames[trouble]);
    else if (backMs === undefined && !isReading) this.countTrouble('the answer to a write is lost');
  }

  /** Only where nothing else would have let the taker write yet. */
  #countWatched(endsMs: number): void {
    const { history, nowMs } = this;
    if (nowMs <= endsMs + history.premises.skewMs / 2)
      history.tally.count(
        `seen: taken over by watching${nowMs <= endsMs ? ', before its end in the store' : ''}`,
      );
  }

  #recordSent(process: SimProcess, input: SentInput): void {
    const update = input?.UpdateExpression;
    if (update === undefined || input.TableName !== leaseTable) return;
    const told = toldBy(update, input.ConditionExpression ?? '');
    const leaseId = input.ExpressionAttributeValues?.[told.leaseIdValue ?? '']?.S;
    if (leaseId === undefined) return;
    this.history.records.push({
      kind: 'sent',
      atMs: this.nowMs,
      process: process.id,
      leaseId,
      beginsRenewal: told.renews && !firstSentAtMsOf.has(input),
      ends: told.ends,
    });
  }

  #recordWrite({ table, key, before, after }: ItemWrite): void {
    const { records } = this.history;
    const request = this.#current;
    const { nowMs } = this;
    records.push({ kind: 'write', atMs: nowMs, table, key, before, after, request });
    this.trace && this.note('store', shownWrite(table, key, before, after));
    if (table === leaseTable) {
      const granted = after?.leaseId !== undefined && after.leaseId.S !== before?.leaseId?.S;
      if (granted) this.survey(key, 'grant');
      if (granted && watches(request)) this.#countWatched(Number(before?.expiresAt?.N));
      if (granted && key.includes('#')) this.surveyShared(key.slice(0, key.indexOf('#')));
      return;
    }
    if (request === undefined) return;
    // Who wrote says so itself, where the guard has no part in it.
    const by = after?.by?.S ?? deleterOf(request, table, key);
    const token = (by !== undefined && this.#tokens.get(by)) || Number(after?.fence?.N);
    records.push({
      kind: 'accepted',
      atMs: nowMs,
      resource: `${table}/${key}`,
      by,
      token,
      request: request.number,
      ...(after === undefined ? { isDeleted: true } : { fence: Number(after.fence?.N) }),
      ...(table === heldTable && { lease: this.store.itemsOf(leaseTable).get(key) }),
    });
  }
}

/** Who deletes says so in its own condition. */
function deleterOf({ input }: RequestInfo, table: string, key: string): string | undefined {
  const deletes = input.TransactItems?.map((part: AnyInput) => part.Delete) ?? [input];
  const own = deletes.find((one: AnyInput) => one?.TableName === table && one.Key?.id === key);
  return own?.ExpressionAttributeValues?.[':by'];
}

/** Whether a grant demands that a lease still has the end that somebody was shown. */
function watches(request: RequestInfo | undefined): boolean {
  return valueFor('expiresAt', request?.input?.ConditionExpression ?? '') !== undefined;
}

/** What an update's input tells. */
interface SentInput {
  readonly TableName?: string;
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeValues?: Readonly<Record<string, { readonly S?: string }>>;
}

const troubleNames = {
  throttled: 'a request is throttled',
  'failed-before': 'an internal error before the write',
  'failed-after': 'an internal error after the write',
} as const;

/** What the texts of a write to the lease table tell of it. */
interface ToldByTexts {
  /** The placeholder of the lease that it names. */
  readonly leaseIdValue: string | undefined;
  readonly renews: boolean;
  readonly ends: boolean;
}

/** The product writes few texts, again and again. */
const toldByTexts = new Map<string, Map<string, ToldByTexts>>();

function toldBy(update: string, condition: string): ToldByTexts {
  const known = toldByTexts.get(update) ?? new Map<string, ToldByTexts>();
  toldByTexts.set(update, known);
  const found = known.get(condition);
  if (found) return found;
  const written = valueFor('leaseId', update);
  const told = {
    leaseIdValue: written ?? valueFor('leaseId', condition),
    renews: written === undefined && valueFor('expiresAt', update) !== undefined,
    ends: valueFor('lastLeaseId', update) !== undefined,
  };
  known.set(condition, told);
  return told;
}

/** The placeholder that an attribute is set to, or compared with: first, where there are several. */
function valueFor(attribute: string, text: string): string | undefined {
  return new RegExp(`(?<!\\w)${attribute} ?= ?(:\\w+)`).exec(text)?.[1];
}

/** Trouble at the store: nothing is done, or it is done and nobody is told. */
function toAnswer({ trouble }: Fate, carryOut: () => StoreAnswer): StoreAnswer {
  if (trouble === 'throttled') return throttled;
  if (trouble === 'failed-before') return internalError;
  const answer = carryOut();
  return trouble === 'failed-after' ? internalError : answer;
}
