import type { Item } from '../store/attribute-values.js';
import type { Tally } from './tally.js';

/** Where a write came from. */
export interface RequestInfo {
  readonly process: string;
  readonly number: number;
  /** True time at which this attempt was sent. */
  readonly sentAtMs: number;
  /** When its first attempt was: what it asks for was made up then. */
  readonly firstSentAtMs: number;
  readonly operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's input, as it was sent
  readonly input: any;
  /** Arrived a second time, or much later than its answer was waited for. */
  readonly isLate: boolean;
}

/** The store has changed an item. Without a request it was Time to Live, or a person with too many rights. */
export interface WriteRecord {
  readonly kind: 'write';
  readonly atMs: number;
  readonly table: string;
  readonly key: string;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  readonly request: RequestInfo | undefined;
}

/** A write to the lease table was sent. */
export interface SentRecord {
  readonly kind: 'sent';
  readonly atMs: number;
  readonly process: string;
  /** The lease that its condition names. */
  readonly leaseId: string;
  /** The first attempt of a renewal. */
  readonly beginsRenewal: boolean;
  /** It would end the lease. */
  readonly ends: boolean;
}

/** A lease was handed to the code that asked for it. */
export interface HandedRecord {
  readonly kind: 'handed';
  readonly atMs: number;
  readonly process: string;
  readonly name: string;
  readonly leaseId: string;
  readonly token: number;
  readonly terms: Terms | undefined;
}

/** How a lease was asked for. All in milliseconds. */
export interface Terms {
  readonly leaseMs: number;
  readonly maxHoldMs?: number;
  /** How long its caller has left, asked at each look. */
  readonly endsInMs?: () => number;
}

/** What a lease says of itself at a moment of true time. */
export interface LeaseView {
  readonly leaseId: string;
  readonly process: string;
  readonly isValid: boolean;
  /** Its signal has fired. */
  readonly isTold: boolean;
  /** It knows that somebody has asked for it. */
  readonly isAsked: boolean;
  /** Its caller's own time was over. */
  readonly isPastEnd: boolean;
  /** How long its process has run without a pause; negative while it is paused. */
  readonly runningMs: number;
  readonly earliest: number;
  readonly latest: number;
}

/** All leases of a name that are in somebody's hands, and what they say. */
export interface SurveyRecord {
  readonly kind: 'survey';
  readonly atMs: number;
  readonly name: string;
  readonly leases: readonly LeaseView[];
  /** What occasioned it. */
  readonly why: 'grant' | 'asked' | 'handed' | 'woken' | 'page';
}

/** Who holds a part of what several share: a permit, a read lock, or the write lock. */
export interface SharerView {
  readonly role: SharerRole;
  readonly process: string;
  /** All that it is made of: the write lock has several. */
  readonly leaseIds: readonly string[];
  /** All of them are valid. */
  readonly isValid: boolean;
}

/** What it holds. */
export type SharerRole = 'permit' | 'reader' | 'writer';

/** All who hold a part of a semaphore, or of readers and a writer, and whether they are valid, at a moment of true time. */
export interface SharedSurveyRecord {
  readonly kind: 'shared survey';
  readonly atMs: number;
  readonly name: string;
  readonly sharers: readonly SharerView[];
  /** The largest number of permits that anybody has asked for by then. */
  readonly permits: number;
}

/** A call has ended. */
export interface CallRecord {
  readonly kind: 'call';
  readonly atMs: number;
  readonly sinceMs: number;
  readonly process: string;
  readonly what: string;
  readonly name: string;
  readonly leaseId: string | undefined;
  /** `ok`, `lost`, or the name of the error. */
  readonly outcome: string;
  /** The lease that a refusal names as the holder, or an operator named. */
  readonly otherLeaseId?: string | undefined;
  /** The checkpoint that was saved. */
  readonly checkpoint?: number;
  /** The result that was got, or the slot that was asked for. */
  readonly value?: string;
  /** How long the hand-over is to last. */
  readonly gapMs?: number;
  /** What it writes to. */
  readonly touches?: readonly string[];
  /** So many writes that stand or fall together. */
  readonly parts?: number;
  /** How long the caller was willing to wait. */
  readonly waitMs?: number;
  /** How many permits it takes a semaphore to have. */
  readonly permits?: number;
  /** How long nobody was to get the lock after its grant, and how much longer a lease that ran out was to be left. */
  readonly minHoldMs?: number;
  readonly lockDelayMs?: number;
  /** It stood in line, or was to. */
  readonly isFair?: boolean;
  /** The locks that it wants all of. */
  readonly wants?: readonly string[];
  /** No other call of the same process was under way. */
  readonly isAlone: boolean;
  /** The last lease ids that its process had made up before the call and by its end, by number. */
  readonly firstId: number;
  readonly lastId: number;
  readonly writes: number;
  readonly reads: number;
}

/** A fenced resource has taken a write. */
export interface AcceptedRecord {
  readonly kind: 'accepted';
  readonly atMs: number;
  readonly resource: string;
  /** The lease under which it was written, where the write says so. */
  readonly by: string | undefined;
  readonly token: number;
  /** The request that it came with: the writes of a transaction share theirs. */
  readonly request?: number;
  /** What the item keeps of it. */
  readonly fence?: number;
  /** The item is gone, and its fence with it. */
  readonly isDeleted?: boolean;
  /** Where the resource demands a current lease: the item of the lease as it was. */
  readonly lease?: Item | undefined;
}

/** What is held together, or led under one lease, says of itself, and what its parts say at the same moment. */
export interface JointRecord {
  readonly kind: 'joint';
  readonly atMs: number;
  readonly process: string;
  readonly what: 'group' | 'lead';
  /** Its own signal has fired. */
  readonly isTold: boolean;
  /** Whether it says that it is held; a lead says nothing of the kind. */
  readonly isHeld?: boolean;
  /** What it goes by. */
  readonly parts: readonly { readonly isTold: boolean; readonly isValid: boolean }[];
}

/** A page was handed to a processor. */
export interface PageRecord {
  readonly kind: 'page';
  readonly atMs: number;
  readonly process: string;
  readonly slice: string;
  readonly leaseId: string;
  readonly token: number;
  readonly keys: readonly string[];
}

/** What a process knows of the time, when it must know it. */
export interface ClockRecord {
  readonly kind: 'clock';
  readonly atMs: number;
  readonly process: string;
  readonly earliest: number;
  readonly latest: number;
}

/** Something never came to its end although nothing was in its way any more, or came too late. */
export interface StuckRecord {
  readonly kind: 'stuck';
  readonly atMs: number;
  readonly what: string;
  readonly name: string;
  readonly withinMs: number;
}

export type HistoryRecord =
  | CompletingRecord
  | PauseRecord
  | OpenRecord
  | WriteRecord
  | SentRecord
  | HandedRecord
  | SurveyRecord
  | SharedSurveyRecord
  | CallRecord
  | AcceptedRecord
  | PageRecord
  | JointRecord
  | StuckRecord
  | ClockRecord
  | VerdictRecord
  | CrashRecord
  | RestoreRecord;

/** The lease table was replaced by an older backup of itself: with these items. */
export interface RestoreRecord {
  readonly kind: 'restore';
  readonly atMs: number;
  readonly items: ReadonlyMap<string, Item>;
}

/** A holder is about to complete its name. */
export interface CompletingRecord {
  readonly kind: 'completing';
  readonly atMs: number;
  readonly leaseId: string;
  /** How long the result is to be kept; for good, if it is left out. */
  readonly retainMs: number | undefined;
}

/** A call whose process has ended before it did: nobody knows how it went. */
export type OpenRecord = Pick<
  CallRecord,
  'process' | 'what' | 'name' | 'leaseId' | 'sinceMs' | 'firstId' | 'lastId' | 'touches' | 'atMs'
> & { readonly kind: 'open' };

/** A process stands still until then, true time. */
export interface PauseRecord {
  readonly kind: 'pause';
  readonly atMs: number;
  readonly process: string;
  readonly untilMs: number;
}

/** A process has ended: what it was about to do nobody does. */
export interface CrashRecord {
  readonly kind: 'crash';
  readonly atMs: number;
  readonly process: string;
}

/** What a scan's verification said. */
export interface VerdictRecord {
  readonly kind: 'verdict';
  readonly atMs: number;
  readonly status: string;
  readonly keys: readonly string[];
  readonly reason: string | undefined;
}

/** What holds in a schedule, and what it is made with: for the checkers. */
export interface Premises {
  /** Section 3's assumptions on clocks and front ends hold. */
  readonly clocksHold: boolean;
  /** Wall clocks are set by hand: local measures of time are then too long or too short. */
  readonly wallSteps: boolean;
  readonly skewMs: number;
  readonly retentionMs: number;
  /** No fault of any kind. */
  readonly isCalm: boolean;
  /** Nothing is wrong with the network, whatever befalls processes and clocks. */
  readonly isNetworkCalm?: boolean;
  /** A waiter looks at least this often, in milliseconds. */
  readonly pollCeilingMs?: number;
  /** Who is first in line looks at least one and a half times as seldom as that. */
  readonly pollFloorMs?: number;
  /** Nobody gives up either: then requests can be counted. */
  readonly isPatient: boolean;
  /** An item was deleted before its time: two holders may then believe. */
  deletedEarlyAtMs: number | undefined;
  /** Leases are reached through the lock service, which grants none that is shorter than a second. */
  readonly isService?: boolean;
  /** The keys of the bucket that is scanned. */
  readonly keys?: readonly string[];
}

/** What happened, in the order of true time. */
export interface History {
  readonly premises: Premises;
  readonly records: HistoryRecord[];
  readonly tally: Tally;
}

/** A rule that was broken. */
export interface Violation {
  /** The invariant's number or name. */
  readonly rule: string;
  readonly atMs: number;
  readonly what: string;
}

/** Looks at a history, and knows nothing of the code that made it. */
export type Check = (history: History) => Violation[];
