import { setMaxListeners } from 'node:events';

/** Who waits for a signal, and how to stop listening to it. */
interface Listeners {
  readonly acts: Set<() => void>;
  readonly leave: () => void;
}

const listening = new WeakMap<AbortSignal, Listeners>();

/** Signals of our own keep their listener: nobody counts it, and to add and remove one for each request is slow. */
const own = new WeakSet<AbortSignal>();

const nothing = () => {};

/**
 * Calls `act` once when the signal aborts, or now if it has. However many wait, the signal gets one listener: a caller's
 * signal may end fifty requests, and Node warns of a leak at eleven.
 *
 * @returns stops waiting; call it always
 */
export function whenAborted(signal: AbortSignal | undefined, act: () => void): () => void {
  if (!signal) return nothing;
  if (signal.aborted) {
    act();
    return nothing;
  }
  const { acts, leave } = listening.get(signal) ?? listenTo(signal);
  // Of its own: the same function may wait twice.
  const entry = () => act();
  acts.add(entry);
  return () => {
    if (acts.delete(entry) && acts.size === 0 && !own.has(signal)) leave();
  };
}

function listenTo(signal: AbortSignal): Listeners {
  const acts = new Set<() => void>();
  const onAbort = () => {
    leave();
    for (const act of acts) act();
  };
  const leave = () => {
    signal.removeEventListener('abort', onAbort);
    listening.delete(signal);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  const listeners = { acts, leave };
  listening.set(signal, listeners);
  return listeners;
}

/** A controller whose signal is handed to others: they may listen to it as often as they like without a warning. */
export function sharedController(): AbortController {
  const controller = new AbortController();
  own.add(controller.signal);
  // One that stands in for the platform's, as the simulator's does, warns of nothing.
  if (controller.signal instanceof EventTarget) setMaxListeners(0, controller.signal);
  return controller;
}

/** A signal that follows others, and the means to let go of them. */
export interface ChildSignal {
  readonly signal: AbortSignal;
  /** Aborts it from here. */
  readonly abort: (reason: unknown) => void;
  /** Lets go of the parents. Call it always. */
  readonly clear: () => void;
}

/** A signal that aborts with the first of its parents, with that one's reason. */
export function childSignal(...parents: readonly (AbortSignal | undefined)[]): ChildSignal {
  const controller = sharedController();
  const abort = (reason: unknown) => controller.abort(reason);
  const leaves = parents.map((parent) => whenAborted(parent, () => abort(parent!.reason)));
  return {
    signal: controller.signal,
    abort,
    clear: () => {
      for (const leave of leaves) leave();
    },
  };
}

/** As {@link childSignal}, for who aborts nothing: where there is one parent alone it is that one. */
export function firstOf(
  signal: AbortSignal | undefined,
  other: AbortSignal,
): Pick<ChildSignal, 'signal' | 'clear'> {
  return signal ? childSignal(signal, other) : { signal: other, clear: nothing };
}

/**
 * What the promise comes to, or the signal's reason, whichever is first: for what does not end by itself when its signal
 * aborts. What becomes of it later is of no interest any more.
 */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const leave = whenAborted(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(leave);
  });
}
