import type { Runtime } from './runtime.js';

/**
 * Waits, and can be interrupted.
 *
 * @param delayMs how long, in milliseconds
 * @param signal ends the wait at once
 * @throws the signal's own reason when it aborts
 */
export function sleep(runtime: Runtime, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = runtime.setAwaitedTimer(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
