import { type History, ofKind } from '../history/read-history.js';
import type { Violation } from './violation.js';

/** A worker's process that ended although nobody killed it. */
export interface OwnEnd {
  readonly worker: number;
  readonly generation: number;
  readonly code: number | null;
  readonly signal: string | null;
  /** The end of what it wrote to stderr. */
  readonly stderr: string;
}

/** No worker ends by itself, and none meets an error that no fault explains. */
export function workerEnds(history: History, ends: readonly OwnEnd[]): Violation[] {
  const errors = ofKind(history, 'unexpected').map(
    (record): Violation => ({
      kind: 'worker-failed',
      what: `a worker met a ${record.error} that no fault explains`,
      evidence: [record],
    }),
  );
  const exits = ends.map(
    (end): Violation => ({
      kind: 'worker-failed',
      what: `worker ${end.worker} ended by itself with ${end.signal ?? `exit code ${end.code}`}`,
      evidence: [end],
    }),
  );
  return [...errors, ...exits];
}
