import type { InvocationKeys } from './invocation-keys.js';

/** What is known of an invocation besides its event. */
export type InvocationContext = Readonly<Record<string, unknown>>;

/** One of logs, metrics and tracing: what goes around every invocation. */
export interface Observer {
  /**
   * Called before the handler.
   *
   * @returns what is called after it, with its error if it failed; neither throws
   */
  readonly begin: (context: InvocationContext, keys: InvocationKeys) => (failure?: Failure) => void;
}

/** That the handler threw, and what. */
export interface Failure {
  readonly error: unknown;
}
