import type { Fault } from './fault.js';
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
