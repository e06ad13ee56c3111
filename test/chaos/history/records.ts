import type { LossReason } from '../../../lib/errors/index.js';
import type { LockWorkload } from '../terms.js';

/** What every line of a journal tells: when it was written, by the machine's monotonic clock, in milliseconds. */
interface Timed {
  readonly atMs: number;
}

/** A process of a worker is up. */
export interface BornRecord extends Timed {
  readonly kind: 'born';
  readonly pid: number;
}

/** A lease was granted to this worker, of a lock or of a slice. */
export interface GrantedRecord extends Timed {
  readonly kind: 'granted';
  readonly name: string;
  readonly token: number;
  readonly leaseId: string;
  readonly owner: string;
  /** Before this moment nothing had been asked for. */
  readonly askedAtMs: number;
  readonly adopted: boolean;
  /** Whose lease ended by this grant without having been released. */
  readonly takenFrom?: { readonly owner: string; readonly token: number };
  /** Store time no later than this. */
  readonly latest: number;
}

/** The worker asked its lease whether it is held, and it was; `atMs` is before the question. */
export interface HeldRecord extends Timed {
  readonly kind: 'held';
  readonly name: string;
  readonly token: number;
  /** Store time before the question, no earlier than this. */
  readonly earliest: number;
}

/** The worker is done with what it did under the lock of workload `hold`. */
export interface LeftRecord extends Timed {
  readonly kind: 'left';
  readonly name: string;
  readonly token: number;
}

/** A lease ended before its holder ended it. */
export interface LostRecord extends Timed {
  readonly kind: 'lost';
  readonly name: string;
  readonly token: number;
  readonly reason: LossReason;
}

/** An element is about to be written into a set; `atMs` is before the write. */
export interface AddingRecord extends Timed {
  readonly kind: 'adding';
  readonly set: string;
  readonly element: string;
  readonly token: number;
}

/** The store said that the write of an element was applied. */
export interface AddedRecord extends Timed {
  readonly kind: 'added';
  readonly set: string;
  readonly element: string;
  readonly token: number;
}

/** The guard refused a write under an old token. */
export interface RefusedRecord extends Timed {
  readonly kind: 'refused';
  readonly name: string;
  readonly token: number;
  readonly currentToken?: number;
}

/** A worker asks for a lock of which everybody waits in line; each go has an id of its own. */
export interface AsksRecord extends Timed {
  readonly kind: 'asks';
  readonly name: string;
  readonly turn: string;
}

/** Its ticket stands in the line. */
export interface QueuedRecord extends Timed {
  readonly kind: 'queued';
  readonly name: string;
  readonly turn: string;
}

/** While it waits a request of its was answered, that was sent at `sinceMs`. */
export interface LookedRecord extends Timed {
  readonly kind: 'looked';
  readonly name: string;
  readonly turn: string;
  readonly sinceMs: number;
}

/** It was granted the lock. */
export interface TurnRecord extends Timed {
  readonly kind: 'turn';
  readonly name: string;
  readonly turn: string;
  readonly token: number;
}

/** It waits and holds no longer. */
export interface LineLeftRecord extends Timed {
  readonly kind: 'line-left';
  readonly name: string;
  readonly turn: string;
}

/** One go at a workload came to no good end, in a way that is to be expected under faults. */
export interface FailedRecord extends Timed {
  readonly kind: 'failed';
  readonly workload: LockWorkload | 'permit' | 'line' | 'scan';
  readonly error: string;
}

/** An error that no fault explains. */
export interface UnexpectedRecord extends Timed {
  readonly kind: 'unexpected';
  readonly error: string;
  readonly message: string;
}

/** A seat of a scan has answered. */
export interface SeatRecord extends Timed {
  readonly kind: 'seat';
  readonly run: string;
  readonly status: string;
  readonly pages: number;
  readonly lost: number;
}

/** A seat has split a slice that another worked on, or saw that it had moved meanwhile. */
export interface SplitRecord extends Timed {
  readonly kind: 'split' | 'split-refused';
  readonly run: string;
  readonly slice: string;
}

/** A line of a worker's journal. */
export type JournalRecord =
  | BornRecord
  | GrantedRecord
  | HeldRecord
  | LeftRecord
  | LostRecord
  | AddingRecord
  | AddedRecord
  | RefusedRecord
  | AsksRecord
  | QueuedRecord
  | LookedRecord
  | TurnRecord
  | LineLeftRecord
  | FailedRecord
  | UnexpectedRecord
  | SeatRecord
  | SplitRecord;

/** A record, and the line it was read from: `<journal>:<line>`. */
export type Logged<Record extends JournalRecord = JournalRecord> = Record & { readonly source: string };
