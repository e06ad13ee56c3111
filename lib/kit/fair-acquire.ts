import type { AcquireOptions } from '../client/acquire-options.js';
import { canBeHad, type LockInfo } from '../client/lock-info.js';
import type { WaitPacing } from '../client/wait-pacing.js';
import { elapsedBetween, type LocalInstant, type StoreClock } from '../clock/store-clock.js';
import { LockHeldError, StoreError } from '../errors/index.js';
import { publish } from '../events/events.js';
import type { Lease } from '../lease/index.js';
import { deadlineAfter, sleep } from '../runtime/index.js';
import type { LineStore, Ticket } from './line-store.js';
import { holderIn, isOver, type LockHost, passingFailure, type Sight } from './lock-host.js';

/** What a fair acquire works with, besides leases. */
export interface FairHost extends LockHost {
  readonly clock: StoreClock;
  readonly lines: LineStore;
  readonly pollFloorMs: number;
}

/** A waiter that does not use its turn for so long has given it away, in milliseconds for each place. */
const graceMs = 2_000;
/**
 * Everybody looks at least so often, in milliseconds: lines move, and whoever has come to be the first must see it before the
 * next one's grace is over.
 */
const lookWithinMs = 1_400;
/** Those behind the head look so many times as often as the head may, all together: a little less than two do. */
const behindHead = 0.6;

/**
 * Acquires a lock first come, first served among those who ask so (kit page, section 7). The line only orders who tries:
 * the lock's own condition decides who gets it, so whoever does not queue may come in between.
 *
 * @throws LockHeldError when its time is over; LineFullError; StoreError; UsageError; the signal's own reason
 */
export async function fairAcquire(
  host: FairHost,
  name: string,
  { waitMs, ...options }: AcquireOptions,
): Promise<Lease> {
  const pacing = host.pacing(waitMs);
  for (;;) {
    const turn = new Turn(host, name, options, pacing);
    const lease = await untilGranted(turn, host, options.signal);
    if (lease.isHeld) return lease;
    // It was over before its ticket was out: handed out, it would be lost already.
    await lease[Symbol.asyncDispose]();
    if (pacing.leftMs <= 0) throw turn.gaveUp();
  }
}

async function untilGranted(turn: Turn, { runtime }: FairHost, signal: AbortSignal | undefined) {
  try {
    for (;;) {
      const lease = await turn.take();
      if (lease) return lease;
      if (turn.leftMs <= 0) throw turn.gaveUp();
      await sleep(runtime, Math.min(turn.pauseMs, turn.leftMs), signal);
    }
  } finally {
    await turn.leave();
  }
}

/** One waiter's turn: its place in the line, and since when it has seen the lock free. */
class Turn {
  readonly #host: FairHost;
  readonly #name: string;
  readonly #options: AcquireOptions;
  readonly #owner: string;
  readonly #pacing: WaitPacing;
  #ticket: Ticket | undefined;
  /** What stands before its ticket, as it was seen last. */
  #ahead: readonly Ticket[] = [];
  #place = 0;
  #length = 1;
  #sight: Sight = { info: undefined, isLeftBehind: false };
  #freeSince: { readonly token: number | undefined; readonly at: LocalInstant } | undefined;
  #refusal: LockHeldError | undefined;
  #lastError: StoreError | undefined;
  /** How its own last try failed: it may have left a lease that is being given back. Until somebody else was seen to hold. */
  #lastTryError: StoreError | undefined;
  #isGranted = false;

  constructor(host: FairHost, name: string, options: AcquireOptions, pacing: WaitPacing) {
    this.#host = host;
    this.#name = name;
    this.#options = options;
    this.#owner = options.owner ?? host.owner;
    this.#pacing = pacing;
  }

  /** How much of the wait is left, in milliseconds. */
  get leftMs(): number {
    return this.#pacing.leftMs;
  }

  /** A look, and a try if it is this waiter's turn. What passes counts as "not yet". */
  async take(): Promise<Lease | undefined> {
    try {
      const lease = this.#ticket ? await this.#takeInLine() : await this.#takeFirst();
      this.#isGranted = lease !== undefined;
      return lease;
    } catch (error) {
      this.#lastError = passingFailure(error, this.#options.signal);
      return undefined;
    }
  }

  /** Where nobody waits there is nothing to queue for: a try tells who holds the lock. Refused, it joins the line. */
  async #takeFirst(): Promise<Lease | undefined> {
    const { lines, clock } = this.#host;
    const tickets = await lines.readLine(this.#name, this.#options.signal);
    const isFirst = liveTickets(tickets, clock).length === 0;
    const lease = isFirst ? await this.#try() : undefined;
    if (!lease && this.leftMs > 0) await this.#join(tickets);
    return lease;
  }

  async #takeInLine(): Promise<Lease | undefined> {
    await this.#look();
    if (!this.#isMyTurn()) return undefined;
    // Who takes its own earlier lease over comes before the living.
    if (this.#isOwn(this.#sight.info)) this.#ahead = [];
    return this.#try();
  }

  async #try(): Promise<Lease | undefined> {
    if (isOver(this.#options)) return undefined;
    try {
      return await this.#host.acquire(this.#name, this.#options);
    } catch (error) {
      if (error instanceof StoreError) this.#lastTryError = error;
      if (!(error instanceof LockHeldError)) throw error;
      this.#refusal = error;
      if (error.holder) this.#lastTryError = undefined;
      return undefined;
    }
  }

  /** The end of the wait is said in the store's time, which an earlier request has told. */
  async #join(tickets: readonly Ticket[]): Promise<void> {
    const { lines, clock, runtime } = this.#host;
    const deadline = clock.now().latest + this.leftMs;
    // Before the request: it may be applied although nobody is told.
    this.#ticket ??= { id: runtime.randomId(), deadline };
    // Not ended by the caller's signal: a request that is still under way would leave a ticket that nobody takes out.
    await lines.joinLine(this.#name, this.#ticket);
    this.#place = liveTickets(tickets, clock).length;
    this.#length = this.#place + 1;
    publish('line-joined', { name: this.#name, owner: this.#owner, length: this.#length });
  }

  /**
   * Until the next look, in milliseconds. The head looks at the floor; the others farther apart with each place, and more so
   * in a longer line, so that ten read no more than three do; but all often enough to use their turn.
   */
  get pauseMs(): number {
    const { pollFloorMs, runtime } = this.#host;
    const place = this.#place;
    if (place <= 0) return Math.min(pollFloorMs * (1 + runtime.random() / 2), lookWithinMs);
    const spacedMs = pollFloorMs * 2 * place * shareOf(this.#length);
    return Math.min(spacedMs, lookWithinMs) * (3 / 4 + runtime.random() / 2);
  }

  gaveUp(): Error {
    const { info } = this.#sight;
    const holder = holderIn(this.#sight, this.#lastTryError && this.#owner);
    const refusal = this.#refusal;
    if (info?.state === 'held' && !holder && this.#lastTryError) return this.#lastTryError;
    // Never heard of a holder: the store is what stood in the way.
    if (!holder && !refusal && this.#lastError) return this.#lastError;
    return new LockHeldError(this.#name, holder ?? refusal?.holder, this.#pacing.waitedMs, {
      cause: this.#lastError,
      heldHere: !holder && refusal?.heldHere === true,
      freeInMs: info?.freeFrom === undefined ? refusal?.freeInMs : info.remainingMs,
    });
  }

  /**
   * Takes its ticket out, on a signal of its own: the caller's may have aborted. Those ahead that did not use their turn have
   * given it away, and go with it: they cost nobody a second wait. What can't be taken out ages out.
   */
  async leave(): Promise<void> {
    if (!this.#ticket) return;
    const { runtime, callTimeoutMs, lines } = this.#host;
    const deadline = deadlineAfter(runtime, callTimeoutMs);
    try {
      for (const ticket of [this.#ticket, ...(this.#isGranted ? this.#ahead : [])])
        await lines.leaveLine(this.#name, ticket, deadline.signal);
    } catch {
      // A line may cost time, and never the lease that was granted.
    } finally {
      deadline.clear();
    }
  }

  async #look(): Promise<void> {
    const host = this.#host;
    const name = this.#name;
    const { signal, lockDelayMs } = this.#options;
    const ticket = this.#ticket!;
    const [tickets, [sight]] = await Promise.all([
      host.lines.readLine(name, signal),
      host.look([name], signal, lockDelayMs),
    ]);
    this.#lastError = undefined;
    this.#sight = sight!;
    // Who refused an earlier try may have gone since.
    this.#refusal = undefined;
    const { info } = this.#sight;
    const live = liveTickets(tickets, host.clock);
    const place = live.findIndex(({ id }) => id === ticket.id);
    this.#place = place < 0 ? live.length : place;
    this.#length = Math.max(live.length, this.#place + 1);
    const before = tickets.findIndex(({ id }) => id === ticket.id);
    this.#ahead = before < 0 ? tickets : tickets.slice(0, before);
    // Somebody took it for that of a dead waiter, or for too old: at the end of the line, then.
    if (before < 0) await host.lines.joinLine(name, ticket);
    // Whoever is first clears away what stands before it: waiters that are gone.
    if (place === 0) {
      for (const gone of this.#ahead) await host.lines.leaveLine(name, gone, signal);
    }
    if (!this.#mayTry(info)) this.#freeSince = undefined;
    else if (this.#freeSince?.token !== info?.token || this.#freeSince === undefined) {
      this.#freeSince = { token: info?.token, at: host.clock.instant() };
    }
  }

  #isMyTurn(): boolean {
    if (!this.#freeSince) return false;
    // What is completed, or its own, keeps nobody waiting.
    const { info } = this.#sight;
    if (this.#place === 0 || info?.state === 'completed' || this.#isOwn(info)) return true;
    const freeMs = elapsedBetween(this.#freeSince.at, this.#host.clock.instant()).least;
    return freeMs >= this.#place * graceMs;
  }

  /** Nobody has it, or this very owner does and may take it over; or a try tells at once that its work is completed. */
  #mayTry(info: LockInfo | undefined): boolean {
    return info?.state === 'completed' || canBeHad(info) || this.#isOwn(info);
  }

  #isOwn(info: LockInfo | undefined): boolean {
    return this.#options.supersede === true && info?.state === 'held' && info.owner === this.#owner;
  }
}

/** By how much those behind the head are to look less often than in a line of three. */
function shareOf(length: number): number {
  let looks = 0;
  for (let place = 1; place < length; place++) looks += 1 / (2 * place);
  return length > 3 ? looks / behindHead : 1;
}

function liveTickets(tickets: readonly Ticket[], clock: StoreClock): readonly Ticket[] {
  const { earliest } = clock.now();
  return tickets.filter(({ deadline }) => deadline >= earliest);
}
