/** Stands in for the platform's `AbortSignal`: what the production code uses of it, and nothing of events in general. */
export class PlainAbortSignal {
  aborted = false;
  reason: unknown = undefined;
  /** A chain, as the platform's is: what is added while it is walked is met if the last one was not yet. */
  #first: Listening | undefined;

  /** A signal that has aborted already. */
  static abort(reason: unknown = plainReason()): PlainAbortSignal {
    const signal = new PlainAbortSignal();
    signal.fire(reason);
    return signal;
  }

  addEventListener(type: 'abort', listener: Listener, options: { readonly once?: boolean } = {}): void {
    checkAbort(type);
    const added: Listening = { listener, once: options.once ?? false, isRemoved: false, next: undefined };
    let last = this.#first;
    if (!last) this.#first = added;
    for (; last; last = last.next) {
      if (last.listener === listener) return;
      if (last.next) continue;
      last.next = added;
      return;
    }
  }

  removeEventListener(type: 'abort', listener: Listener): void {
    checkAbort(type);
    let before: Listening | undefined;
    for (let known = this.#first; known; before = known, known = known.next) {
      if (known.listener !== listener) continue;
      known.isRemoved = true;
      if (before) before.next = known.next;
      else this.#first = known.next;
      return;
    }
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  /** Aborts once. A listener that throws stops no other, and is told of by an uncaught exception. */
  fire(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (let known = this.#first, next: Listening | undefined; known; known = next) {
      next = known.next;
      if (known.isRemoved) continue;
      if (known.once) this.removeEventListener('abort', known.listener);
      try {
        known.listener({ type: 'abort', target: this });
      } catch (error) {
        process.nextTick(() => {
          throw error;
        });
      }
    }
  }
}

/** Stands in for the platform's `AbortController`. */
export class PlainAbortController {
  readonly signal = new PlainAbortSignal();

  abort(reason: unknown = plainReason()): void {
    this.signal.fire(reason);
  }
}

/**
 * Puts both in the platform's place, in this thread. The platform's are events, with a price that was a seventh of a
 * schedule; each request and each lease has one.
 */
export function usePlainAbort(): void {
  Object.assign(globalThis, { AbortController: PlainAbortController, AbortSignal: PlainAbortSignal });
}

type Listener = (event: { readonly type: 'abort'; readonly target: PlainAbortSignal }) => void;

interface Listening {
  readonly listener: Listener;
  readonly once: boolean;
  isRemoved: boolean;
  next: Listening | undefined;
}

function plainReason(): DOMException {
  return new DOMException('This operation was aborted', 'AbortError');
}

function checkAbort(type: string): void {
  if (type !== 'abort') throw new Error(`not simulated: the event ${type}`);
}
