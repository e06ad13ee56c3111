import type { TimeInterval } from '../clock/store-clock.js';
import { StoreError, UsageError } from '../errors/index.js';

/*
 * What is said where the store's time is not known, or not well enough. Loaded with the first such case.
 */

/** No response tells the time: no retry helps. */
export function noStoreTime(tableName: string): StoreError {
  const message = `The responses of table "${tableName}" carry no Date header: there is no store time`;
  return new StoreError(message, undefined, { retryable: false, mayHaveApplied: false });
}

/** The interval is too wide, although it was to be narrowed. */
export function tooVague(tableName: string, { earliest, latest }: TimeInterval): StoreError {
  const message = `Nothing was granted: the time of table "${tableName}" is only known to ${Math.round(latest - earliest)} ms, and asking for it failed`;
  return new StoreError(message, undefined, { retryable: true, mayHaveApplied: false });
}

/** Tokens are numbers, and this is the largest of them. */
export function noTokenLeft(lockName: string, last: number): UsageError {
  return new UsageError(`No token is left for "${lockName}": the last one is ${last}`, lockName);
}
