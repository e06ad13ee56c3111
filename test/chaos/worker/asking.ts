import { AsyncLocalStorage } from 'node:async_hooks';
import { machineMs } from '../machine-clock.js';

const asked = new AsyncLocalStorage<number>();

/** Does something that asks for locks. Since when, the worker knows itself: what the product says of it is not believed. */
export function asking<T>(work: () => Promise<T>): Promise<T> {
  return asked.run(machineMs(), work);
}

/**
 * Before this moment, by the machine's monotonic clock in milliseconds, nothing had been asked for of what is granted now.
 *
 * @throws Error where nobody asks
 */
export function askedAtMs(): number {
  const atMs = asked.getStore();
  if (atMs === undefined) throw new Error('a grant that nobody asked for');
  return atMs;
}
