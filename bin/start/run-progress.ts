import { performance } from 'node:perf_hooks';
import type { PlannedStrike, Strike } from './faults/strike.js';
import type { WorkerEvent } from './worker-event.js';

/** What kind of moment it is: it decides the sign and the colour. */
export type MomentKind =
  | 'note'
  | 'killed'
  | 'stopped'
  | 'taken-over'
  | 'woken'
  | 'refused'
  | 'lost'
  | 'split'
  | 'done';

/** Something worth a line of its own. */
export interface Moment {
  readonly kind: MomentKind;
  /** Since the start, in milliseconds. */
  readonly atMs: number;
  readonly text: string;
}

/** How a slice stands, as its workers tell it. */
export interface SliceView {
  readonly id: string;
  state: 'waiting' | 'working' | 'struck' | 'done' | 'quarantined';
  seat?: number;
  token?: number;
  /** Pages claimed. */
  pages: number;
  /** Objects of the pages that are done. */
  objects: number;
  takeovers: number;
}

/** What a seat is at, and in which process. */
export interface SeatProgress {
  readonly seat: number;
  state: 'starting' | 'looking' | 'working' | 'killed' | 'stopped' | 'done';
  pid?: number;
  slice?: string;
  /** When it first had a slice, and how long it has worked on slices since, in milliseconds since the start. */
  firstMs?: number;
  busyMs: number;
  /** Since when it works on the slice that it has. */
  busySinceMs?: number | undefined;
}

/** How much of the time seats worked, as shares of 1. */
export interface SeatShares {
  readonly all: number;
  readonly min: number;
  readonly max: number;
}

/** A slice that got a new holder although the one before had not given it back. */
interface Takeover {
  readonly slice: string;
  readonly seat: number;
  readonly pid: number;
  readonly token: number;
  readonly previousToken: number | undefined;
  /** `retry`: a seat that was started again superseded its own lease. `expiry`: another's lease had run out. */
  readonly how: 'retry' | 'expiry';
}

/** A write under an old token that the store refused. */
interface RefusedWrite {
  readonly slice: string;
  readonly pid: number;
  readonly token: number;
  readonly currentToken: number | undefined;
}

/** All that is known of a run while it goes on. Views read it; nothing is decided by it but when to wake a worker. */
export class RunProgress {
  readonly slices = new Map<string, SliceView>();
  readonly seats = new Map<number, SeatProgress>();
  readonly takeovers: Takeover[] = [];
  readonly refusedWrites: RefusedWrite[] = [];
  readonly strikes: Strike[] = [];
  readonly moments: Moment[] = [];
  /** Slices that were cut while another seat worked on them. */
  splits = 0;
  /** When the last slice was done, in milliseconds since the start. */
  #lastDoneMs = 0;
  /** Leases that workers found to be over, a refused write or claim being how they noticed. */
  lostLeases = 0;
  /** What goes on, in two words. */
  phase = 'starting';
  /** The DynamoDB that is used, once it is known. */
  engine: string | undefined;
  /** Which faults were ordered, and why they are less than a kill and a stop. */
  ordered: readonly PlannedStrike[] = [];
  faultNotes: readonly string[] = [];
  /** List requests so far. */
  listRequests: () => number = () => 0;
  /** What the walk of the directory has found so far, and whether it is through. */
  walked = { objects: 0, bytes: 0, done: false };
  readonly #startedAtMs = performance.now();
  readonly #onMoment: (moment: Moment) => void;

  constructor(onMoment: (moment: Moment) => void) {
    this.#onMoment = onMoment;
  }

  /** Since the start, in milliseconds. */
  get elapsedMs(): number {
    return performance.now() - this.#startedAtMs;
  }

  /** Objects of all pages that are done. */
  get objects(): number {
    let objects = 0;
    for (const slice of this.slices.values()) objects += slice.objects;
    return objects;
  }

  /**
   * How much of the time the seats had a slice to work on: for each from its first look until the last slice of all was
   * done, so that a seat that finds nothing more counts as idle. Undefined before anything is done.
   */
  get seatShares(): SeatShares | undefined {
    const endMs = this.#lastDoneMs;
    const seats = [...this.seats.values()].filter(({ firstMs }) => firstMs !== undefined && firstMs < endMs);
    if (seats.length === 0) return undefined;
    const figures = seats.map((seat) => ({ busyMs: seat.busyMs, spanMs: endMs - seat.firstMs! }));
    const shares = figures.map(({ busyMs, spanMs }) => Math.min(1, busyMs / spanMs));
    const total = (figure: 'busyMs' | 'spanMs') => figures.reduce((sum, seat) => sum + seat[figure], 0);
    return {
      all: Math.min(1, total('busyMs') / total('spanMs')),
      min: Math.min(...shares),
      max: Math.max(...shares),
    };
  }

  /** Seats that work on a slice now. */
  get busySeats(): number {
    return [...this.seats.values()].filter(({ busySinceMs }) => busySinceMs !== undefined).length;
  }

  /** Adds a line to the log. */
  tell(kind: MomentKind, text: string): void {
    const moment: Moment = { kind, text, atMs: this.elapsedMs };
    this.moments.push(moment);
    this.#onMoment(moment);
  }

  /** The plan is made. */
  planned(ids: readonly string[]): void {
    for (const id of ids) this.#slice(id);
  }

  /** A seat's invocation begins, or has answered. */
  seatIs(seat: number, state: 'starting' | 'done'): void {
    this.#idle(seat);
    Object.assign(this.#seat(seat), {
      state,
      slice: undefined,
      ...(state === 'starting' && { pid: undefined }),
    });
  }

  /** A worker was struck. */
  struck(strike: Strike): void {
    this.strikes.push(strike);
    this.#seat(strike.seat).state = strike.kind === 'kill' ? 'killed' : 'stopped';
    this.#idle(strike.seat);
    const slice = this.#slice(strike.slice);
    if (slice.token === strike.token) slice.state = 'struck';
    const what = strike.kind === 'kill' ? 'killed' : 'stopped';
    const where = `slice ${formatSlice(strike.slice)}, page ${strike.page}`;
    this.tell(
      what,
      `worker ${strike.pid} (seat ${strike.seat}) ${what} in ${where}, token ${formatToken(strike.token)}`,
    );
  }

  /** The stopped worker goes on. */
  woken(strike: Strike, why: string): void {
    this.#seat(strike.seat).state = 'working';
    this.tell('woken', `worker ${strike.pid} woken: ${why}`);
  }

  /** Takes in what a worker told. */
  apply(pid: number, event: WorkerEvent): void {
    switch (event.type) {
      case 'scan-planned':
        return;
      case 'scan-slice-acquired':
        this.#acquired(pid, event);
        return;
      case 'scan-page-claimed':
      case 'scan-page-done':
        this.#paged(event);
        return;
      case 'scan-slice-completed': {
        const slice = this.#slice(event.slice);
        Object.assign(slice, { state: 'done', token: event.token, objects: event.objects });
        this.#lastDoneMs = this.elapsedMs;
        this.#looking(event.seat, event.slice);
        return;
      }
      case 'scan-slice-lost':
        this.lostLeases++;
        this.#lost(pid, event);
        return;
      case 'scan-slice-released': {
        const slice = this.#slice(event.slice);
        if (slice.token === event.token) slice.state = 'waiting';
        this.#looking(event.seat, event.slice);
        return;
      }
      case 'scan-slice-split':
        this.#split(event);
        return;
      case 'scan-seat-ended': {
        const seat = this.#seat(event.seat);
        const sinceMs = this.elapsedMs - event.tookMs;
        seat.firstMs = Math.min(seat.firstMs ?? sinceMs, Math.max(0, sinceMs));
        return;
      }
      case 'scan-split-refused':
      case 'scan-seat-waits':
      case 'scan-foreign-item':
        return;
      case 'scan-slice-quarantined': {
        const slice = this.#slice(event.slice);
        if (slice.state !== 'quarantined')
          this.tell('lost', `slice ${formatSlice(event.slice)} quarantined after ${event.attempts} attempts`);
        slice.state = 'quarantined';
        return;
      }
      case 'stale-write-refused':
        this.#refused(pid, event);
        return;
    }
  }

  #acquired(pid: number, event: Extract<WorkerEvent, { type: 'scan-slice-acquired' }>): void {
    const slice = this.#slice(event.slice);
    const { seat, token } = event;
    // Events of two workers may cross on their way: the higher token is the newer holder.
    if (token >= (slice.token ?? 0)) Object.assign(slice, { state: 'working', seat, token });
    const nowMs = this.elapsedMs;
    const holder = this.#seat(seat);
    holder.firstMs ??= nowMs;
    holder.busySinceMs ??= nowMs;
    Object.assign(holder, { state: 'working', pid, slice: event.slice });
    if (!event.takenOver) return;
    const how = event.takenOverFrom?.owner.endsWith(`/seat-${seat}`) ? 'retry' : 'expiry';
    const previousToken = event.takenOverFrom?.token;
    slice.takeovers++;
    this.takeovers.push({ slice: event.slice, seat, pid, token, previousToken, how });
    const reason = how === 'retry' ? 'superseding its own lease from before' : 'the lease before had run out';
    this.tell(
      'taken-over',
      `slice ${formatSlice(event.slice)} taken over by worker ${pid} (seat ${seat}), ${reason}; ` +
        `token ${formatToken(previousToken)} → ${formatToken(token)}`,
    );
  }

  #split({ seat, slice, child }: Extract<WorkerEvent, { type: 'scan-slice-split' }>): void {
    this.splits++;
    this.#slice(child);
    this.tell('split', `seat ${seat} splits slice ${formatSlice(slice)}: ${formatSlice(child)} is new`);
  }

  #idle(number: number): void {
    const seat = this.#seat(number);
    if (seat.busySinceMs === undefined) return;
    seat.busyMs += this.elapsedMs - seat.busySinceMs;
    seat.busySinceMs = undefined;
  }

  #paged(event: Extract<WorkerEvent, { type: 'scan-page-claimed' | 'scan-page-done' }>): void {
    const slice = this.#slice(event.slice);
    if (event.token < (slice.token ?? 0) || slice.state === 'done') return;
    if (event.type === 'scan-page-claimed') slice.pages = event.pages;
    else slice.objects = event.totalObjects;
  }

  #lost(pid: number, event: Extract<WorkerEvent, { type: 'scan-slice-lost' }>): void {
    const { slice, seat, token, reason } = event;
    // The refused write has had its line.
    if (reason !== 'stale-token')
      this.tell(
        'lost',
        `worker ${pid} lost slice ${formatSlice(slice)} (${reason}), token ${formatToken(token)}`,
      );
    this.#looking(seat, slice);
  }

  #refused(pid: number, event: Extract<WorkerEvent, { type: 'stale-write-refused' }>): void {
    const { token, currentToken } = event;
    const slice = event.name.slice(event.name.lastIndexOf('/') + 1);
    this.refusedWrites.push({ slice, pid, token, currentToken });
    this.tell(
      'refused',
      `stale write of worker ${pid} refused: it came under token ${formatToken(token)}, ` +
        `the ledger of slice ${formatSlice(slice)} has ${currentToken === undefined ? 'a newer one' : formatToken(currentToken)}`,
    );
  }

  #looking(number: number, slice: string): void {
    const seat = this.#seat(number);
    if (seat.slice !== slice) return;
    this.#idle(number);
    Object.assign(seat, { state: 'looking', slice: undefined });
  }

  #slice(id: string): SliceView {
    return known(this.slices, id, () => ({ id, state: 'waiting', pages: 0, objects: 0, takeovers: 0 }));
  }

  #seat(seat: number): SeatProgress {
    return known(this.seats, seat, () => ({ seat, state: 'starting', busyMs: 0 }));
  }
}

function known<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

const shownLength = 8;

/** A slice's id, short: those of children are hashes, of which the first digits tell them apart. */
export function formatSlice(id: string): string {
  return id.length > shownLength ? `${id.slice(0, shownLength - 1)}…` : id;
}

/** Digits of a token that are shown where room is scarce. */
const shownDigits = 6;

/**
 * A fencing token, short: its last digits. Tokens of one run begin with the time of day in milliseconds and share
 * their first digits; those shown tell all that changes within a quarter of an hour.
 */
export function formatToken(token: number | undefined): string {
  if (token === undefined) return 'none';
  const text = String(token);
  return text.length > shownDigits ? `…${text.slice(-shownDigits)}` : text;
}
