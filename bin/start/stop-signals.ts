const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
/** What a shell expects of a program whose reader has gone away. */
const brokenPipeCode = 141;

type SignalName = keyof typeof exitCodes;

/** Somebody wants the run to end before it is done. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';

  /** @param exitCode what a shell expects after this */
  constructor(
    message: string,
    readonly exitCode: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** What ends a run early. */
export interface StopRequest extends Disposable {
  /** Aborts once; its reason is a {@link StoppedError}. */
  readonly signal: AbortSignal;
}

/**
 * Turns Ctrl-C, a termination, a terminal that is closed, a reader that goes away (`npm start | head`) and a crash of
 * this process into one signal, so that the run puts everything away in order. A second Ctrl-C ends the process at once; what lives outside of it is then
 * killed by the exit listeners of those who started it.
 */
export function listenForStop(): StopRequest {
  const controller = new AbortController();
  const onSignal = (name: SignalName): void => {
    if (controller.signal.aborted) process.exit(exitCodes[name]);
    controller.abort(new StoppedError(`stopped by ${name}`, exitCodes[name]));
  };
  const onCrash = (cause: unknown): void => {
    const message = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    controller.abort(new StoppedError(message, 1, { cause }));
  };
  const onPipe = (error: Error): void => {
    controller.abort(new StoppedError('nobody reads the output any more', brokenPipeCode, { cause: error }));
  };
  const names = Object.keys(exitCodes) as SignalName[];
  for (const name of names) process.on(name, onSignal);
  process.on('uncaughtException', onCrash);
  process.on('unhandledRejection', onCrash);
  // Not taken away again: what is still to be written must not end the process in another way.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', onPipe);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const name of names) process.off(name, onSignal);
      process.off('uncaughtException', onCrash);
      process.off('unhandledRejection', onCrash);
    },
  };
}
