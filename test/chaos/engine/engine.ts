/** The DynamoDB that a run works on. */
export interface Engine extends AsyncDisposable {
  readonly name: string;
  /** On loopback; another one after a restart. */
  readonly port: number;
  /** Why it can't be restarted with its data kept; absent if it can. */
  readonly noRestart?: string;
  /** Kills it, and starts it with its data after `downMs` milliseconds. Restarts come one after the other. */
  restart(downMs: number): Promise<void>;
}
