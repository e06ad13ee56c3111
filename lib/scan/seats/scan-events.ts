import type { LossReason } from '../../errors/index.js';
import { channelOf } from '../../events/events.js';
import type { Lease } from '../../lease/index.js';

/** What every event of a slice that is held tells. Plain data, `lease` apart. */
export interface SliceEvent {
  readonly run: string;
  readonly seat: number;
  /** The slice's id. */
  readonly slice: string;
  /** The slice's lease name. */
  readonly name: string;
  readonly token: number;
  readonly lease: Lease;
}

/** Why a slice was given back before its end. */
export type ReleaseCause = 'out-of-time' | 'aborted' | 'failed';

/** A split: the slice that is cut, and whose it is. */
export interface ScanSplit {
  readonly run: string;
  /** The one that splits. */
  readonly seat: number;
  readonly slice: string;
  readonly name: string;
  /** Who holds the slice. */
  readonly owner: string | undefined;
  readonly cut: string;
}

/** What a seat did, at its end. */
export interface SeatSummary {
  readonly status: 'done' | 'more' | 'superseded';
  readonly slices: number;
  readonly pages: number;
  readonly objects: number;
  readonly splits: number;
  /** Milliseconds that it held a slice, of those since its start. */
  readonly busyMs: number;
  readonly tookMs: number;
}

/** The events of a scan, by name; the channel is `leasehold:<name>`. */
export interface ScanEvents {
  readonly 'scan-planned': {
    readonly run: string;
    readonly slices: number;
    readonly listRequests: number;
    readonly existed: boolean;
  };
  /** `takenOver`: the holder before had not given it back. */
  readonly 'scan-slice-acquired': SliceEvent & {
    readonly takenOver: boolean;
    readonly takenOverFrom: { readonly owner: string; readonly token: number } | undefined;
    readonly cursor: string | undefined;
    readonly lo: string | undefined;
    readonly hi: string | undefined;
    readonly attempts: number;
  };
  /** Published synchronously when the claim is confirmed, before the processor is called. */
  readonly 'scan-page-claimed': SliceEvent & {
    /** Pages of the slice claimed so far, this one included. */
    readonly pages: number;
    readonly objects: number;
    readonly firstKey: string;
    readonly lastKey: string;
  };
  /** The page's result is in hand; it is stored with the next write. */
  readonly 'scan-page-done': SliceEvent & {
    readonly pages: number;
    readonly objects: number;
    readonly bytes: number;
    /** Of the slice, up to here. */
    readonly totalObjects: number;
  };
  /** Counts are those of the slice in all, over all its holders. */
  readonly 'scan-slice-completed': SliceEvent & {
    readonly pages: number;
    readonly objects: number;
    readonly bytes: number;
  };
  readonly 'scan-slice-lost': SliceEvent & {
    readonly reason: LossReason | 'stale-token' | 'superseded';
    readonly error: unknown;
  };
  readonly 'scan-slice-released': SliceEvent & { readonly why: ReleaseCause; readonly error: unknown };
  /** A seat that found no free slice has cut one that another works on; it takes the part behind the cut next. */
  readonly 'scan-slice-split': ScanSplit & {
    /** The id of the new slice. */
    readonly child: string;
    /** Where it ends; absent: open. */
    readonly hi: string | undefined;
    /** What was left before the cut, as a guess. */
    readonly pagesLeft: number;
  };
  /** The slice had moved since it was read: nothing was written. */
  readonly 'scan-split-refused': ScanSplit;
  /** A seat finds no slice to work on and waits, in milliseconds, for others to move on. */
  readonly 'scan-seat-waits': {
    readonly run: string;
    readonly seat: number;
    readonly waitMs: number;
    /** Slices of others that it read. */
    readonly held: number;
  };
  /** A seat ends: nothing is left that it could work on, its time is up, or a later instance goes on. */
  readonly 'scan-seat-ended': { readonly run: string; readonly seat: number } & SeatSummary;
  /** An item in the run's group that is no slice of it is passed over; told once per seat. */
  readonly 'scan-foreign-item': { readonly run: string; readonly name: string; readonly why: string };
  /** Seen by a seat that looked for work; once per seat. */
  readonly 'scan-slice-quarantined': {
    readonly run: string;
    readonly seat: number;
    readonly slice: string;
    readonly name: string;
    readonly attempts: number;
    readonly lo: string | undefined;
    readonly hi: string | undefined;
    readonly error: string | undefined;
  };
}

const names: readonly (keyof ScanEvents)[] = [
  'scan-planned',
  'scan-slice-acquired',
  'scan-page-claimed',
  'scan-page-done',
  'scan-slice-completed',
  'scan-slice-lost',
  'scan-slice-released',
  'scan-slice-quarantined',
  'scan-slice-split',
  'scan-split-refused',
  'scan-seat-waits',
  'scan-seat-ended',
  'scan-foreign-item',
];

/** The names of all channels. */
export const scanChannels: readonly string[] = names.map((name) => `leasehold:${name}`);

/** Publishes an event on Node's `diagnostics_channel`; subscribers are called before it returns. */
export function publishScan<Name extends keyof ScanEvents>(name: Name, event: ScanEvents[Name]): void {
  channelOf(name).publish(event);
}
