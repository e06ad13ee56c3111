import type { ObservedRequest } from './http-exchange.js';

/** A fault that was planned, as tests hold it. */
export interface FaultHandle {
  /** How many requests have met this fault. */
  readonly hits: number;
  /** Resolves when the n-th request meets the fault (default: the first), at once if it has already. */
  reached(hits?: number): Promise<void>;
  /** Takes the fault out of the plan. What it did stays done. */
  remove(): void;
}

/** Which requests a fault is for. */
export interface FaultScope {
  /** Name of an operation, or `*`. */
  readonly operation: string;
  readonly predicates: readonly ((request: ObservedRequest) => boolean)[];
  /** Matching requests that pass before the first hit. */
  readonly skip: number;
  /** Hits at most. */
  readonly times: number;
}

/** One line of the plan. */
export class FaultRule implements FaultHandle {
  #hits = 0;
  #toSkip: number;
  #waiting: { readonly hits: number; readonly resolve: () => void }[] = [];

  constructor(
    readonly fault: Fault,
    private readonly scope: FaultScope,
    private readonly onRemove: (rule: FaultRule) => void,
  ) {
    this.#toSkip = scope.skip;
  }

  get hits(): number {
    return this.#hits;
  }

  reached(hits = 1): Promise<void> {
    if (this.#hits >= hits) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ hits, resolve }));
  }

  remove(): void {
    this.onRemove(this);
  }

  /** Whether the request meets this fault; counts it if so. */
  take(request: ObservedRequest): boolean {
    const { operation, predicates, times } = this.scope;
    if (operation !== '*' && operation !== request.operation) return false;
    if (this.#hits >= times || !predicates.every((matches) => matches(request))) return false;
    if (this.#toSkip > 0) {
      this.#toSkip--;
      return false;
    }
    this.#hits++;
    for (const { hits, resolve } of this.#waiting) if (this.#hits >= hits) resolve();
    this.#waiting = this.#waiting.filter(({ hits }) => this.#hits < hits);
    return true;
  }
}

/**
 * What can happen to one HTTP attempt between the SDK and the engine.
 *
 * | kind | the engine | the caller |
 * | --- | --- | --- |
 * | `drop-request` | never sees it | connection reset |
 * | `drop-answer` | does it | connection reset |
 * | `hang` | does it only if `sent` | waits until it aborts or its own timeout ends it |
 * | `delay` | does it `beforeMs` later | gets the answer another `afterMs` later; aborts and timeouts apply |
 * | `duplicate` | does it, and once more `afterMs` after the caller's own attempt has ended | gets the first answer |
 * | `late` | does it `afterMs` later | times out at once, or hangs as above |
 * | `throttle` | never sees it | 400 with the error named |
 * | `server-error` | does it only if `applied` | 500 `InternalServerError` |
 * | `clock` | does it | sees the `Date` header moved by `offsetMs`; combines with every other kind |
 */
export type Fault =
  | { readonly kind: 'drop-request' }
  | { readonly kind: 'drop-answer' }
  | { readonly kind: 'hang'; readonly sent?: boolean }
  | { readonly kind: 'delay'; readonly beforeMs?: number; readonly afterMs?: number }
  | { readonly kind: 'duplicate'; readonly afterMs: number }
  | { readonly kind: 'late'; readonly afterMs: number; readonly caller?: 'times-out' | 'hangs' }
  | { readonly kind: 'throttle'; readonly error?: ThrottleError }
  | { readonly kind: 'server-error'; readonly applied?: boolean }
  | { readonly kind: 'clock'; readonly offsetMs: number };

/** Discriminator of {@link Fault}. */
export type FaultKind = Fault['kind'];

/** Names under which DynamoDB throttles. */
export type ThrottleError = 'ThrottlingException' | 'ProvisionedThroughputExceededException';
