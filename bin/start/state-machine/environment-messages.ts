/** Parent to child: one invocation. */
export interface InvokeMessage {
  readonly leasehold: 'invoke';
  readonly requestId: string;
  /** The event, as JSON text: what crosses is exactly what JSON can carry, as with the real service. */
  readonly event: string;
  /** When the invocation ends at the latest, milliseconds of the wall clock. */
  readonly deadlineAtMs: number;
}

/** An error on its way out of a child; `name` becomes the error name that a state machine matches. */
export interface CarriedError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
}

/** Child to parent. Whatever else a child sends (telemetry of a preload module) lacks the mark and goes to `onMessage`. */
export type EnvironmentMessage =
  | { readonly leasehold: 'ready' }
  | { readonly leasehold: 'init-failed'; readonly error: CarriedError }
  | { readonly leasehold: 'answer'; readonly requestId: string; readonly payload: string }
  | { readonly leasehold: 'failed'; readonly requestId: string; readonly error: CarriedError };

/** Tells our own messages from a preload module's. */
export function isEnvironmentMessage(message: unknown): message is EnvironmentMessage {
  return typeof message === 'object' && message !== null && 'leasehold' in message;
}
