/** No schedule needs more; one that does goes round in circles. */
const defaultMaxEvents = 400_000;

const settled = Promise.resolve();

/** Something that will happen; it can be called off. */
export interface PendingEvent {
  readonly atMs: number;
  readonly order: number;
  run: (() => void) | undefined;
}

/**
 * True time and what happens in it, in one order. Between two events all promises settle that can: the next event
 * is a tick that is asked for from the microtask queue, and Node runs ticks only when that queue is empty.
 */
export class EventLoop {
  /** True time, milliseconds since the epoch. */
  nowMs: number;
  #order = 0;
  #events = 0;
  #heap: PendingEvent[] = [];

  readonly #maxEvents: number;

  constructor(startMs: number, maxEvents = defaultMaxEvents) {
    this.nowMs = startMs;
    this.#maxEvents = maxEvents;
  }

  /** Calls `run` after so much true time. Events of one moment happen in the order in which they were asked for. */
  after(delayMs: number, run: () => void): PendingEvent {
    const event = { atMs: this.nowMs + Math.max(0, delayMs), order: this.#order++, run };
    this.#push(event);
    return event;
  }

  /** A promise of that moment. */
  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  /** When something happens next; never, if nothing is left. */
  get nextAtMs(): number {
    while (this.#heap.length > 0 && !this.#heap[0]!.run) this.#pop();
    return this.#heap[0]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  /** Forgets everything that was to happen. */
  clear(): void {
    this.#heap = [];
  }

  /** Lets time pass until nothing is left to happen, or `isOver` says so, or true time has come to `untilMs`. */
  run(untilMs: number, isOver: () => boolean = () => false): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = () => {
        if (isOver()) return resolve();
        const next = this.#next(untilMs);
        if (!next) {
          if (Number.isFinite(untilMs)) this.nowMs = Math.max(this.nowMs, untilMs);
          return resolve();
        }
        this.nowMs = next.atMs;
        if (++this.#events > this.#maxEvents) return reject(new Error(`more than ${this.#maxEvents} events`));
        try {
          next.run!();
        } catch (error) {
          return reject(error);
        }
        // As `queueMicrotask`, which makes a resource for async hooks besides.
        settled.then(hop);
      };
      const hop = () => process.nextTick(step);
      hop();
    });
  }

  #next(untilMs: number): PendingEvent | undefined {
    while (this.#heap.length > 0 && this.#heap[0]!.atMs <= untilMs) {
      const event = this.#pop();
      if (event.run) return event;
    }
    return undefined;
  }

  #push(event: PendingEvent): void {
    const heap = this.#heap;
    let at = heap.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!comesBefore(event, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  #pop(): PendingEvent {
    const heap = this.#heap;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length > 0) {
      let at = 0;
      for (;;) {
        let child = 2 * at + 1;
        if (child >= heap.length) break;
        if (child + 1 < heap.length && comesBefore(heap[child + 1]!, heap[child]!)) child++;
        if (!comesBefore(heap[child]!, last)) break;
        heap[at] = heap[child]!;
        at = child;
      }
      heap[at] = last;
    }
    return first;
  }
}

function comesBefore(a: PendingEvent, b: PendingEvent): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
