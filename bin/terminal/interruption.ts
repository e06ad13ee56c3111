import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { sharedController } from '../../lib/runtime/index.js';

/** These mean "end now": Ctrl-C, a termination, a terminal that is closed. */
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What a shell expects of a program whose reader has gone away. */
const brokenPipeCode = 141;

/**
 * One wish to stop may come more than once: the terminal signals the whole group, and npm passes what it got on to its
 * child; a service manager sends SIGTERM and SIGHUP together. What comes within this time of a signal that counted is
 * the same wish, in milliseconds. Nobody who wants it twice is that fast.
 */
export const sameWishMs = 250;

/** What a shell says of a process that a signal ended. */
export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/**
 * Tells a new wish from a repeat of the last one.
 *
 * @returns a function to be asked at each signal; `true`: it counts
 */
export function wishCounter(nowMs: () => number = () => performance.now()): () => boolean {
  let countedMs = Number.NEGATIVE_INFINITY;
  return () => {
    const atMs = nowMs();
    if (atMs - countedMs < sameWishMs) return false;
    countedMs = atMs;
    return true;
  };
}

/**
 * Listens to signals until it is disposed of. A repeat of a signal that it had then is still taken, and nothing is done
 * about it: the process may be about to end in order, and without a listener the repeat would kill it.
 */
export function listenToSignals(
  names: readonly NodeJS.Signals[],
  onSignal: (name: NodeJS.Signals) => void,
): Disposable {
  let heardMs = Number.NEGATIVE_INFINITY;
  let listening = true;
  const listener = (name: NodeJS.Signals): void => {
    if (!listening) return;
    heardMs = performance.now();
    onSignal(name);
  };
  for (const name of names) process.on(name, listener);
  const forget = (): void => {
    for (const name of names) process.off(name, listener);
  };
  return {
    [Symbol.dispose]() {
      listening = false;
      const leftMs = heardMs + sameWishMs - performance.now();
      if (leftMs > 0) setTimeout(forget, leftMs).unref();
      else forget();
    },
  };
}

/** The user, or the system, wants the command to end. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly code = 'INTERRUPTED';
  /** What a shell expects after this. */
  readonly exitCode: number;
  /** What else is known, for `--json`. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(
    message: string,
    exitCode: number,
    data: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.exitCode = exitCode;
    this.data = data;
  }
}

/** What ends a command early, for a command that has something to put away. */
export interface Interruption extends Disposable {
  /** Aborts once; its reason is an {@link Interrupted}. */
  readonly signal: AbortSignal;
  /** The end of the command, in its own words. Call it only once `signal` has aborted. */
  ended(how: string, data?: Readonly<Record<string, unknown>>): Interrupted;
  /**
   * What to tell of an error: the interruption, if there is one. A terminal signals the whole group, so that the end of a
   * child may be heard of before the signal itself: that is waited for as long as a repeat of it.
   */
  reasonFor(error: unknown): Promise<unknown>;
}

/** How to listen. */
export interface InterruptionOptions {
  /** Told at the first signal, before anything ends. */
  readonly onFirst?: (signalName: NodeJS.Signals) => void;
  /**
   * A crash of this process and a reader that goes away (`npm start | head`) interrupt, too: for a command that has
   * processes to put away.
   *
   * @default false
   */
  readonly alsoCrashes?: boolean;
}

/**
 * Listens for SIGINT, SIGTERM and SIGHUP: the first aborts, so that the command can end in order; a second wish ends
 * the process at once, and what lives outside of it is then killed by the exit listeners of those who started it.
 */
export function listenForInterruption(options: InterruptionOptions = {}): Interruption {
  const controller = sharedController();
  const counts = wishCounter();
  const onSignal = (signalName: NodeJS.Signals): void => {
    if (!counts()) return;
    const exitCode = exitCodeOfSignal(signalName);
    if (controller.signal.aborted) process.exit(exitCode);
    options.onFirst?.(signalName);
    controller.abort(new Interrupted(`stopped by ${signalName}`, exitCode));
  };
  const listening = listenToSignals(endingSignals, onSignal);
  const forgetCrashes = options.alsoCrashes ? listenForCrashes(controller) : () => {};
  return {
    signal: controller.signal,
    ended(how, data) {
      const { message, exitCode } = controller.signal.reason as Interrupted;
      return new Interrupted(`${message}; ${how}`, exitCode, data);
    },
    async reasonFor(error) {
      const { signal } = controller;
      // The aborted wait is the answer, too.
      if (!signal.aborted) await sleep(sameWishMs, undefined, { signal }).catch(() => {});
      return signal.aborted ? signal.reason : error;
    },
    [Symbol.dispose]() {
      listening[Symbol.dispose]();
      forgetCrashes();
    },
  };
}

function listenForCrashes(controller: AbortController): () => void {
  const onCrash = (cause: unknown): void => {
    const message = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    controller.abort(new Interrupted(message, 1, {}, { cause }));
  };
  const onPipe = (cause: Error): void => {
    controller.abort(new Interrupted('nobody reads the output any more', brokenPipeCode, {}, { cause }));
  };
  process.on('uncaughtException', onCrash);
  process.on('unhandledRejection', onCrash);
  // Not taken away again: what is still to be written must not end the process in another way.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', onPipe);
  return () => {
    process.off('uncaughtException', onCrash);
    process.off('unhandledRejection', onCrash);
  };
}
