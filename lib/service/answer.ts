// Apart from the schemas of `answers.ts`: these types are public, and users don't have the package that those are made with.

/** Store time when the service answered, in milliseconds since the epoch: somewhere between these. */
export interface ShownTime {
  readonly earliest: number;
  readonly latest: number;
}

/** What the service answers when it did what it was asked: a JSON object. */
export interface ServiceSuccess {
  readonly ok: true;
  readonly now: ShownTime;
  /** What was done, by operation; see the reference of the JSON interface. */
  readonly [field: string]: unknown;
}

/** What the service answers when it did not. */
export interface ServiceRefusal {
  readonly ok: false;
  readonly error: {
    readonly name:
      | 'LockHeldError'
      | 'LockLostError'
      | 'AlreadyCompletedError'
      | 'LineFullError'
      | 'StoreError'
      | 'UsageError';
    /** Stable, for programs. */
    readonly code: string;
    /** For people; its words may change. */
    readonly message: string;
    readonly lockName?: string | undefined;
  };
  readonly now?: ShownTime | undefined;
}

/** Any answer. */
export type ServiceAnswer = ServiceSuccess | ServiceRefusal;
