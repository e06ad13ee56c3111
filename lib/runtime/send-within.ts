import { sharedController, whenAborted } from './abort.js';
import type { Runtime } from './runtime.js';

/** Controllers whose request has ended by itself, for later requests: to make one costs more than all else here. */
const idle: AbortController[] = [];
const maxIdle = 100;

/**
 * One request, as `sendUntil` sends it, where the signal is of no use to anybody once the request has ended: another one gets it then.
 *
 * @param afterMs the end of the request over all its attempts, in milliseconds
 * @param parent the caller's signal
 * @throws the signal's reason when it aborts; what `send` throws
 */
export function sendWithin<T>(
  runtime: Runtime,
  afterMs: number,
  parent: AbortSignal | undefined,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (parent?.aborted) return reject(parent.reason);
    const controller = idle.pop() ?? sharedController();
    const clear = () => {
      cancel();
      leave();
    };
    const end = (reason: unknown) => {
      clear();
      reject(reason);
      controller.abort(reason);
    };
    const cancel = runtime.setAwaitedTimer(
      () => end(new DOMException(`no answer within ${afterMs} ms`, 'TimeoutError')),
      afterMs,
    );
    const leave = whenAborted(parent, () => end(parent!.reason));
    const ended = () => {
      if (controller.signal.aborted) return;
      clear();
      if (idle.length < maxIdle) idle.push(controller);
    };
    const sent = async () => send(controller.signal);
    sent().then(resolve, reject).then(ended);
  });
}

/**
 * The settings of a client of the AWS SDK that bound each attempt of a request. Without `throwOnRequestTimeout` the SDK
 * only warns when the time is up.
 *
 * @param requestTimeoutMs the end of one attempt, in milliseconds
 * @param connectionTimeoutMs the end of connecting, in milliseconds. @default as the attempt
 */
export function sdkTimeOuts(requestTimeoutMs: number, connectionTimeoutMs = requestTimeoutMs) {
  return {
    requestHandler: {
      requestTimeout: requestTimeoutMs,
      connectionTimeout: connectionTimeoutMs,
      throwOnRequestTimeout: true,
    },
  };
}
