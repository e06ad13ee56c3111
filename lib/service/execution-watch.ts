import type { LeaseItem } from '../lease/index.js';

/** What the service asks Step Functions. */
export interface ExecutionWatch {
  /**
   * What becomes of an execution.
   *
   * @returns `unknown` when Step Functions could not be asked: denied, throttled, an express workflow. Never throws
   */
  findState(execution: string, signal?: AbortSignal): Promise<ExecutionState>;
}

/** `missing`: Step Functions does not know it, any more or yet. */
export type ExecutionState = 'running' | 'ended' | 'missing' | 'unknown';

/** Written with a grant whose holder is an execution; `lease` says of which grant, since others do not remove it. */
export interface ExecutionMark {
  readonly execution: string;
  readonly executionLease: string;
}

/** Attributes of {@link ExecutionMark}, to be taken away when the lease ends. */
export const executionAttributes = ['execution', 'executionLease'] as const;

/** What becomes of an execution shows in Step Functions only a while after it was started. */
const settledMs = 5 * 60_000;

/**
 * The execution that holds the item's lease. A mark that an earlier lease left behind says nothing about the present one.
 */
export function findExecution(item: LeaseItem): string | undefined {
  const { execution, executionLease, leaseId } = item;
  if (leaseId === undefined || executionLease !== leaseId) return undefined;
  return typeof execution === 'string' ? execution : undefined;
}

/** Whether the lease's holder was an execution that will never go on with it. */
export async function holderHasEnded(
  watch: ExecutionWatch | undefined,
  item: LeaseItem,
  earliest: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const execution = findExecution(item);
  if (!watch || execution === undefined) return false;
  const state = await watch.findState(execution, signal);
  return state === 'ended' || (state === 'missing' && (item.acquiredAt ?? earliest) < earliest - settledMs);
}
