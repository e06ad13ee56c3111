/** Environment variables, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What the handlers need of the context that Lambda hands to each invocation. */
export interface RemainingTime {
  readonly getRemainingTimeInMillis: () => number;
  /** The function's own ARN; its account is the deployment's. */
  readonly invokedFunctionArn?: string;
}
