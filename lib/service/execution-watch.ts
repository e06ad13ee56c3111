import { StoreError, UsageError } from '../errors/index.js';
import type { LeaseItem } from '../lease/index.js';

/** What the service asks Step Functions. */
export interface ExecutionWatch {
  /**
   * What becomes of an execution.
   *
   * @returns `unknown` when Step Functions can't be asked: an express workflow, another account's, one that this service
   *   may not ask for; `unreachable` when it could not be asked this time. Never throws
   */
  findState(execution: string, signal?: AbortSignal): Promise<ExecutionState>;
}

/** `missing`: Step Functions does not know it, any more or yet. */
export type ExecutionState = 'running' | 'ended' | 'missing' | 'unknown' | 'unreachable';

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

/** A lease that is longer than callers may ask for, which an execution is to hold. */
export interface LongLease {
  readonly name: string;
  readonly execution: string | undefined;
  /** The field that asks for it, and what it may be at the most. */
  readonly field: 'leaseMs' | 'expiresAt';
  readonly limit: string;
  readonly value: number;
}

/**
 * A lease may be longer than callers' may be only while an execution runs that Step Functions knows and that this service
 * may ask for: any text can look like an ARN.
 *
 * @throws UsageError where that can't be said, or the execution has ended; StoreError where it can't be said now
 */
export async function checkRuns(
  watch: ExecutionWatch | undefined,
  { name, execution, field, limit, value }: LongLease,
  signal: AbortSignal,
): Promise<void> {
  const state = execution && watch ? await watch.findState(execution, signal) : 'unknown';
  signal.throwIfAborted();
  if (state === 'running') return;
  if (state === 'missing' || state === 'unreachable') {
    const why = state === 'missing' ? 'does not know it, or not yet' : 'could not be asked';
    const message = `"${name}" can't be held for so long by ${execution}: Step Functions ${why}`;
    throw new StoreError(message, name, { retryable: true, mayHaveApplied: false });
  }
  const whose = {
    ended: `, since ${execution} has ended`,
    unknown: `, since this service can't ask Step Functions about ${execution}; see watchExecutions`,
  }[state];
  throw new UsageError(
    `${field}: must be at most ${limit} in this deployment${execution ? whose : ''}; got ${value}`,
    name,
  );
}
