import { setMaxListeners } from 'node:events';

const signals = { SIGINT: 130, SIGTERM: 143 } as const;

/** The signals that end a command in order. */
export type SignalName = keyof typeof signals;

/** The user, or the system, wants the command to end. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly code = 'INTERRUPTED';
  readonly signalName: SignalName;
  /** What a shell expects after this signal. */
  readonly exitCode: number;
  /** What else is known, for `--json`. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(signalName: SignalName, message: string, data: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.signalName = signalName;
    this.data = data;
    this.exitCode = signals[signalName];
  }
}

/** Ctrl-C, for a command that has something to put away. */
export interface Interruption extends Disposable {
  /** Aborts at the first signal; its reason is an {@link Interrupted}. */
  readonly signal: AbortSignal;
  /** The end of the command, in its own words. Call it only once `signal` has aborted. */
  ended(how: string, data?: Readonly<Record<string, unknown>>): Interrupted;
}

/**
 * Listens for SIGINT and SIGTERM: the first aborts, so that the command can end in order; the second ends the
 * process at once.
 *
 * @param onFirst told at the first signal, before anything ends
 */
export function listenForInterruption(onFirst: (signalName: SignalName) => void): Interruption {
  const controller = new AbortController();
  // Each seat listens several times; Node would take more than ten listeners for a leak and warn.
  setMaxListeners(0, controller.signal);
  const onSignal = (signalName: SignalName): void => {
    if (controller.signal.aborted) process.exit(signals[signalName]);
    onFirst(signalName);
    controller.abort(new Interrupted(signalName, `stopped by ${signalName}`));
  };
  const names = Object.keys(signals) as SignalName[];
  for (const name of names) process.on(name, onSignal);
  return {
    signal: controller.signal,
    ended(how, data) {
      const { signalName } = controller.signal.reason as Interrupted;
      return new Interrupted(signalName, `stopped by ${signalName}; ${how}`, data);
    },
    [Symbol.dispose]() {
      for (const name of names) process.off(name, onSignal);
    },
  };
}
