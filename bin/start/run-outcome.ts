import type { ScanReport } from '../../lib/scan/index.js';
import type { Check } from './proof/proof.js';
import type { SliceEvidence } from './proof/slice-evidence.js';

/** What a run came to. */
export interface RunOutcome {
  readonly run: string;
  readonly engine: string;
  /** Absent when the state machine failed. */
  readonly report: ScanReport | undefined;
  readonly slices: readonly SliceEvidence[];
  readonly checks: readonly Check[];
  /** List requests as the endpoint counted them: those of workers that died are among them. */
  readonly listRequests: number;
  /** Objects that the walk after the run found. */
  readonly independentCount: number;
  /** From the start to the verdict, the proof's walk aside, in milliseconds. */
  readonly scanMs: number;
}

/** Whether everything that is claimed holds. */
export function isComplete({ checks }: Pick<RunOutcome, 'checks'>): boolean {
  return checks.every(({ holds }) => holds);
}
