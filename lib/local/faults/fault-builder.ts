import type { Fault, ThrottleError } from './fault.js';
import type { FaultHandle, FaultScope } from './fault-rule.js';
import type { ObservedRequest } from './http-exchange.js';

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
