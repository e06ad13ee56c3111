import { childSignal, orAborted } from './abort.js';
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
  const child = childSignal(parent);
  let ranOut = false;
  const cancel = runtime.setAwaitedTimer(() => {
    ranOut = !child.signal.aborted;
    child.abort(new DOMException(`no answer within ${afterMs} ms`, 'TimeoutError'));
  }, afterMs);
  return {
    signal: child.signal,
    expired: () => ranOut,
    clear: () => {
      cancel();
      child.clear();
    },
  };
}

/**
 * One request that ends by its own deadline and with the caller's signal, whatever the client underneath does: an SDK
 * looks at its signal only once it has credentials, and those may hang.
 *
 * @param deadline cleared when the request has ended
 * @throws the signal's reason when it aborts; what `send` throws
 */
export async function sendUntil<T>(
  deadline: Deadline,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    deadline.signal.throwIfAborted();
    return await orAborted(send(deadline.signal), deadline.signal);
  } finally {
    deadline.clear();
  }
}

/** What is used of a client of the AWS SDK. */
export interface SdkClient {
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's commands share no type that names their input and output
  send(command: any, options?: { readonly abortSignal?: AbortSignal }): Promise<any>;
}

/**
 * The client, each of whose requests ends within `afterMs` and with the request's signal.
 *
 * @param afterMs the end of one request over all its attempts, in milliseconds
 */
export function boundedClient<Client extends SdkClient>(
  client: Client,
  runtime: Runtime,
  afterMs: number,
): Client {
  const send: SdkClient['send'] = (command, options) =>
    sendUntil(deadlineAfter(runtime, afterMs, options?.abortSignal), (abortSignal) =>
      client.send(command, { ...options, abortSignal }),
    );
  return { send } as Client;
}
