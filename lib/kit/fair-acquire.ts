import type { AcquireOptions } from '../client/acquire-options.js';
import { canBeHad, type LockInfo } from '../client/lock-info.js';
import { elapsedBetween, type LocalInstant, type StoreClock } from '../clock/store-clock.js';
import { LockHeldError, StoreError } from '../errors/index.js';
import { publish } from '../events/events.js';
import type { Lease } from '../lease/index.js';
import { deadlineAfter, sleep } from '../runtime/index.js';
import type { LineStore, Ticket } from './line-store.js';
import type { LockHost } from './lock-host.js';

/** What a fair acquire works with, besides leases. */
export interface FairHost extends LockHost {
  readonly clock: StoreClock;
  readonly lines: LineStore;
  readonly pollFloorMs: number;
  /** The end of one request, in milliseconds. */
  readonly callTimeoutMs: number;
}

/** A waiter that does not use its turn for so long has given it away, in milliseconds for each place. */
const graceMs = 2_000;

/**
 * Acquires a lock first come, first served among those who ask so (kit page, section 7). The line only orders who tries:
 * the lock's own condition decides who gets it, so whoever does not queue may come in between.
 *
 * @throws LockHeldError when its time is over; LineFullError; StoreError; UsageError; the signal's own reason
 */
export async function fairAcquire(
  host: FairHost,
  name: string,
  { waitMs = 0, ...options }: AcquireOptions,
): Promise<Lease> {
  const pacing = host.pacing(waitMs);
  const { signal } = options;
  // The end of the wait is said in the store's time, which the first request tells.
  const [info] = await host.inspectMany([name], signal, options.lockDelayMs);
  const waiting = liveTickets(await host.lines.readLine(name, signal), host.clock);
  if (waiting.length === 0 && mayTry(info)) {
    const lease = await host.tryAcquire(name, options);
    if (lease) return lease;
  }
  const ticket: Ticket = { id: host.runtime.randomId(), deadline: host.clock.now().latest + pacing.leftMs };
  const turn = new Turn(host, name, ticket, options);
  try {
    await host.lines.joinLine(name, ticket, signal);
    const owner = options.owner ?? host.owner;
    publish('line-joined', { name, owner, length: waiting.length + 1 });
    for (;;) {
      const lease = await turn.take();
      if (lease) return lease;
      if (pacing.leftMs <= 0) throw turn.gaveUp(pacing.waitedMs);
      await sleep(host.runtime, Math.min(turn.pauseMs, pacing.leftMs), signal);
    }
  } finally {
    // Those ahead that did not use their turn have given it away: they cost nobody a second wait.
    await leave(host, name, [ticket, ...turn.passedOver]);
  }
}

/** One waiter's turn: its place in the line, and since when it has seen the lock free. */
class Turn {
  readonly #host: FairHost;
  readonly #name: string;
  readonly #ticket: Ticket;
  readonly #options: AcquireOptions;
  /** Tickets ahead of this one when it was granted the lock. */
  passedOver: readonly Ticket[] = [];
  #ahead: readonly Ticket[] = [];
  #place = 0;
  #info: LockInfo | undefined;
  #freeSince: { readonly token: number | undefined; readonly at: LocalInstant } | undefined;
  #lastError: StoreError | undefined;

  constructor(host: FairHost, name: string, ticket: Ticket, options: AcquireOptions) {
    this.#host = host;
    this.#name = name;
    this.#ticket = ticket;
    this.#options = options;
  }

  /** A look, and a try if it is this waiter's turn. */
  async take(): Promise<Lease | null> {
    try {
      await this.#look();
      if (!this.#isMyTurn()) return null;
      const lease = await this.#host.tryAcquire(this.#name, this.#options);
      if (lease) this.passedOver = this.#ahead;
      return lease;
    } catch (error) {
      const passes = error instanceof StoreError && error.retryable && !this.#options.signal?.aborted;
      if (!passes) throw error;
      this.#lastError = error;
      return null;
    }
  }

  /**
   * Until the next look, in milliseconds. The head looks at the floor; the others farther apart with each place, so that
   * a crowd reads no more than two or three waiters do, but often enough to use a turn that a dead waiter leaves.
   */
  get pauseMs(): number {
    const { pollFloorMs, runtime } = this.#host;
    if (this.#place <= 0) return pollFloorMs * (1 + runtime.random() / 2);
    const pauseMs = Math.min(pollFloorMs * (this.#place + 1) ** 2, this.#place * graceMs);
    return pauseMs * (1 + runtime.random() / 2);
  }

  gaveUp(waitedMs: number): Error {
    const info = this.#info;
    const holder = info?.state === 'held' && {
      owner: info.owner ?? 'unknown',
      token: info.token,
      leaseId: info.leaseId,
      acquiredAt: info.acquiredAt ?? 0,
      remainingMs: info.remainingMs,
    };
    if (!holder && this.#lastError) return this.#lastError;
    return new LockHeldError(this.#name, holder || undefined, waitedMs, { cause: this.#lastError });
  }

  async #look(): Promise<void> {
    const host = this.#host;
    const name = this.#name;
    const { signal, lockDelayMs } = this.#options;
    const [tickets, [info]] = await Promise.all([
      host.lines.readLine(name, signal),
      host.inspectMany([name], signal, lockDelayMs),
    ]);
    this.#lastError = undefined;
    this.#info = info;
    const live = liveTickets(tickets, host.clock);
    const place = live.findIndex(({ id }) => id === this.#ticket.id);
    this.#place = place < 0 ? live.length : place;
    this.#ahead = live.slice(0, this.#place);
    // Somebody took it for that of a dead waiter, or for too old: at the end of the line, then.
    if (!tickets.some(({ id }) => id === this.#ticket.id))
      await host.lines.joinLine(name, this.#ticket, signal);
    // Whoever is first clears away what stands before it: waiters that are gone.
    if (place === 0) {
      for (const ticket of tickets.slice(0, tickets.indexOf(live[0]!)))
        await host.lines.leaveLine(name, ticket, signal);
    }
    if (!mayTry(info)) this.#freeSince = undefined;
    else if (this.#freeSince?.token !== info?.token || this.#freeSince === undefined) {
      this.#freeSince = { token: info?.token, at: host.clock.instant() };
    }
  }

  #isMyTurn(): boolean {
    if (!this.#freeSince) return false;
    if (this.#place === 0) return true;
    const freeMs = elapsedBetween(this.#freeSince.at, this.#host.clock.instant()).least;
    return freeMs >= this.#place * graceMs;
  }
}

/** Takes tickets out on a signal of its own: the caller's may have aborted. If that fails they age out. */
async function leave(host: FairHost, name: string, tickets: readonly Ticket[]): Promise<void> {
  const deadline = deadlineAfter(host.runtime, host.callTimeoutMs);
  try {
    for (const ticket of tickets) await host.lines.leaveLine(name, ticket, deadline.signal);
  } catch (error) {
    if (!(error instanceof StoreError) && !deadline.signal.aborted) throw error;
  } finally {
    deadline.clear();
  }
}

function liveTickets(tickets: readonly Ticket[], clock: StoreClock): readonly Ticket[] {
  const { earliest } = clock.now();
  return tickets.filter(({ deadline }) => deadline >= earliest);
}

/** Nobody has it, or a try tells at once that its work is completed. */
function mayTry(info: LockInfo | undefined): boolean {
  return info?.state === 'completed' || canBeHad(info);
}
