import type { Violation } from '../check/violation.js';
import type { FaultKind } from '../faults/fault.js';

/** What a run came to; the object that `--json` prints. */
export interface ChaosReport {
  readonly seed: number;
  readonly minutes: number;
  /** Stopped by a signal before its time; what follows is what there was by then. */
  readonly interrupted: boolean;
  readonly engine: string;
  readonly workers: { readonly at: number; readonly processesStarted: number };
  readonly faults: {
    readonly total: number;
    readonly struck: Readonly<Record<FaultKind, number>>;
    /** Kinds that can't be done on this machine, and why. */
    readonly skipped: Readonly<Partial<Record<FaultKind, string>>>;
  };
  readonly locks: LockFigures;
  readonly workloads: {
    readonly hold: { readonly stays: number; readonly askedWhetherHeld: number };
    readonly plain: SetFigures;
    readonly fenced: SetFigures & { readonly refusedStaleWrites: number };
    /** Those who held a permit of a semaphore. */
    readonly permit: { readonly stays: number };
    /** Turns in line, and grants of which it could be told whether somebody alive had come before. */
    readonly line: { readonly turns: number; readonly compared: number };
    readonly scan: ScanFigures;
  };
  /** Absent when the run was interrupted. */
  readonly liveness?: { readonly locks: number; readonly slowestMs: number; readonly boundMs: number };
  /** How goes at a workload ended that came to no good end, by error. */
  readonly failures: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
}

/** Of all leases, of locks and slices. */
export interface LockFigures {
  readonly granted: number;
  /** Grants that ended a lease whose holder had not released it. */
  readonly takeovers: number;
  /** Takeovers of an earlier lease of the same seat, which need not wait. */
  readonly superseded: number;
  /** Grants whose answer was lost, found by a later attempt. */
  readonly adopted: number;
  readonly lost: Readonly<Record<string, number>>;
}

/** Of the sets of one workload. */
export interface SetFigures {
  readonly acknowledged: number;
  /** Begun, and nobody was told how it ended: may be there or not. */
  readonly unknown: number;
  /** Acknowledged, and not there in the end. */
  readonly lostUpdates: number;
}

/** Of all scans. */
export interface ScanFigures {
  readonly scans: number;
  readonly complete: number;
  readonly slices: number;
  readonly keysEach: number;
  readonly pages: number;
  /** Slices that a seat cut while another worked on them, and cuts that came too late. */
  readonly splits: number;
  readonly refusedSplits: number;
  readonly takeovers: number;
}
