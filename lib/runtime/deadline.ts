import type { Runtime } from './runtime.js';

/** A signal with an end of its own, and the means to put it away. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Whether the time ran out (as opposed to the caller's signal). */
  readonly expired: () => boolean;
  /** Removes the timer and the listener. Call it always. */
  readonly clear: () => void;
}

/**
 * A signal that aborts after `afterMs` or with the caller's signal, whichever is first.
 * Unlike `AbortSignal.any` and `AbortSignal.timeout` it runs on the injected timers and leaves no listener behind.
 *
 * @param afterMs milliseconds from now
 * @param parent the caller's signal
 */
export function deadlineAfter(runtime: Runtime, afterMs: number, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  let ranOut = false;
  const onAbort = () => controller.abort(parent?.reason);
  const cancel = runtime.setAwaitedTimer(() => {
    ranOut = true;
    controller.abort(new DOMException(`no answer within ${afterMs} ms`, 'TimeoutError'));
  }, afterMs);
  if (parent?.aborted) onAbort();
  else parent?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    expired: () => ranOut,
    clear: () => {
      cancel();
      parent?.removeEventListener('abort', onAbort);
    },
  };
}
