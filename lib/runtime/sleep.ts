import { whenAborted } from './abort.js';
import type { Runtime } from './runtime.js';

/**
 * Waits, and can be interrupted.
 *
 * @param delayMs how long, in milliseconds
 * @param signal ends the wait at once
 * @param options.background whether the wait may be cut off by the end of the process. @default false
 * @throws the signal's own reason when it aborts
 */
export function sleep(
  runtime: Runtime,
  delayMs: number,
  signal?: AbortSignal,
  options: { readonly background?: boolean } = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const setTimer = options.background ? runtime.setTimer : runtime.setAwaitedTimer;
    const cancel = setTimer(() => {
      leave();
      resolve();
    }, delayMs);
    const leave = whenAborted(signal, () => {
      cancel();
      reject(signal?.reason);
    });
  });
}
