import type { Fault, FaultKind } from './fault.js';
import { FaultBuilder } from './fault-builder.js';
import { type FaultHandle, FaultRule, type FaultScope } from './fault-rule.js';
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
