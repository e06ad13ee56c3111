import {
  type Fault,
  type FaultHandle,
  type FaultKind,
  FaultRule,
  type FaultScope,
  type ThrottleError,
} from './fault-rule.js';
import type { ObservedRequest } from './http-exchange.js';

const everyRequest: FaultScope = {
  operation: '*',
  predicates: [],
  skip: 0,
  times: Number.POSITIVE_INFINITY,
};

/**
 * Which requests of a client go wrong, and how. Rules are tried in the order in which they were planned, the
 * first that matches wins; `clock` rules stand apart, all that match apply.
 */
export interface FaultPlan {
  /** Begins a rule for an operation, for example `UpdateItem`, or for all (`*`). */
  on(operation: string): FaultBuilder;
  /** Every request meets the fault. */
  always(fault: Fault): FaultHandle;
  /** Every request for which the predicate is true meets the fault. */
  when(predicate: (request: ObservedRequest) => boolean, fault: Fault): FaultHandle;
  /** Forgets all rules. Requests that hang stay hung; copies that are under way still land. */
  clear(): void;
  /** Resolves when every copy and every late request so far has landed. Never rejects. */
  settled(): Promise<void>;
}

/** What a request meets. */
export interface FaultDecision {
  readonly fault?: Exclude<Fault, { kind: 'clock' }>;
  /** Sum of the `clock` rules, ms. */
  readonly offsetMs: number;
  readonly kinds: readonly FaultKind[];
}

/** The plan as the handler asks it. */
export class PlannedFaults implements FaultPlan {
  #rules: FaultRule[] = [];

  /** @param settled waits for what faults have put under way. */
  constructor(readonly settled: () => Promise<void>) {}

  on(operation: string): FaultBuilder {
    return new FaultBuilder({ ...everyRequest, operation }, (fault, scope) => this.#add(fault, scope));
  }

  always(fault: Fault): FaultHandle {
    return this.#add(fault, everyRequest);
  }

  when(predicate: (request: ObservedRequest) => boolean, fault: Fault): FaultHandle {
    return this.#add(fault, { ...everyRequest, predicates: [predicate] });
  }

  clear(): void {
    this.#rules = [];
  }

  /** Decides on one request, and counts the hits of the rules that it meets. */
  decide(request: ObservedRequest): FaultDecision {
    let fault: FaultDecision['fault'];
    let offsetMs = 0;
    const kinds: FaultKind[] = [];
    for (const rule of this.#rules) {
      if (rule.fault.kind === 'clock') {
        if (!rule.take(request)) continue;
        offsetMs += rule.fault.offsetMs;
      } else {
        if (fault || !rule.take(request)) continue;
        fault = rule.fault;
      }
      kinds.push(rule.fault.kind);
    }
    return { fault, offsetMs, kinds };
  }

  #add(fault: Fault, scope: FaultScope): FaultHandle {
    const rule = new FaultRule(fault, scope, (removed) => {
      this.#rules = this.#rules.filter((other) => other !== removed);
    });
    this.#rules.push(rule);
    return rule;
  }
}

/**
 * Says in one line which requests meet which fault: `faults.on('UpdateItem').skip(1).once().dropAnswer()`.
 * The fault's name comes last and puts it into the plan. See {@link Fault} for what each does.
 */
export class FaultBuilder {
  constructor(
    private readonly scope: FaultScope,
    private readonly add: (fault: Fault, scope: FaultScope) => FaultHandle,
  ) {}

  /** At most this many requests. Without it: all. */
  times(count: number): FaultBuilder {
    return new FaultBuilder({ ...this.scope, times: count }, this.add);
  }

  /** One request. */
  once(): FaultBuilder {
    return this.times(1);
  }

  /** Lets this many matching requests pass first. */
  skip(count: number): FaultBuilder {
    return new FaultBuilder({ ...this.scope, skip: count }, this.add);
  }

  /** Only requests for which the predicate, too, is true. */
  when(predicate: (request: ObservedRequest) => boolean): FaultBuilder {
    return new FaultBuilder({ ...this.scope, predicates: [...this.scope.predicates, predicate] }, this.add);
  }

  /** Never sent; the caller's connection is reset. */
  dropRequest(): FaultHandle {
    return this.add({ kind: 'drop-request' }, this.scope);
  }

  /** Sent and applied, then the connection is reset. */
  dropAnswer(): FaultHandle {
    return this.add({ kind: 'drop-answer' }, this.scope);
  }

  /** No answer, ever. With `sent` the engine does it all the same. */
  hang(options: { readonly sent?: boolean } = {}): FaultHandle {
    return this.add({ kind: 'hang', ...options }, this.scope);
  }

  /** Slow on the way there (`beforeMs`), on the way back (`afterMs`), or both. */
  delay(options: { readonly beforeMs?: number; readonly afterMs?: number }): FaultHandle {
    return this.add({ kind: 'delay', ...options }, this.scope);
  }

  /** Applied again `afterMs` after the caller's own attempt has ended. */
  duplicate(options: { readonly afterMs: number }): FaultHandle {
    return this.add({ kind: 'duplicate', ...options }, this.scope);
  }

  /** Given up by the caller, applied `afterMs` later. */
  late(options: { readonly afterMs: number; readonly caller?: 'times-out' | 'hangs' }): FaultHandle {
    return this.add({ kind: 'late', ...options }, this.scope);
  }

  /** Refused for lack of capacity. */
  throttle(error: ThrottleError = 'ThrottlingException'): FaultHandle {
    return this.add({ kind: 'throttle', error }, this.scope);
  }

  /** 500; with `applied` after the engine has done it. */
  serverError(options: { readonly applied?: boolean } = {}): FaultHandle {
    return this.add({ kind: 'server-error', ...options }, this.scope);
  }

  /** Moves the `Date` header of the answers. */
  clock(options: { readonly offsetMs: number }): FaultHandle {
    return this.add({ kind: 'clock', ...options }, this.scope);
  }
}
