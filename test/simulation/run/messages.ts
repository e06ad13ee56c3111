import type { Played, Suite } from './play.js';

/** What a worker is told to do: the seeds from `from` on, every `stride`-th, until `until`. */
export interface Order {
  readonly suite: Suite;
  readonly from: number;
  readonly until: number;
  readonly stride: number;
  /** Ends at the first violation. */
  readonly stopsAtFirst: boolean;
  /** Of this rule; of any, if it is left out. */
  readonly rule?: string;
}

/** What a worker tells. */
export type Report =
  | { readonly kind: 'progress'; readonly played: number; readonly records: number }
  | { readonly kind: 'violation'; readonly played: Played }
  | { readonly kind: 'done'; readonly cpuMs: number; readonly counts: Readonly<Record<string, number>> };
