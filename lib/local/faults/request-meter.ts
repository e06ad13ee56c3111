import type { FaultKind } from './fault-rule.js';
import type { ObservedRequest } from './http-exchange.js';

const readOperations = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan', 'TransactGetItems']);
const writeOperations = new Set([
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'BatchWriteItem',
  'TransactWriteItems',
]);

/** One HTTP attempt, as it went. */
export interface MeterEntry extends ObservedRequest {
  /** The faults that met it. */
  readonly faults: readonly FaultKind[];
  /** HTTP status that the caller saw. Absent while it runs and when there was no answer. */
  readonly status?: number;
  /** Name of the error that the caller saw instead of an answer. */
  readonly error?: string;
}

/**
 * Counts a client's HTTP attempts, the SDK's own retries included. Copies that faults send are in the log,
 * not in the counts.
 */
export interface RequestMeter {
  readonly total: number;
  /** Attempts that read items. */
  readonly reads: number;
  /** Attempts that write items, refused ones included. */
  readonly writes: number;
  /** Attempts per operation. */
  readonly operations: Readonly<Record<string, number>>;
  /** Attempts of one operation, for example `count('UpdateItem')`. */
  count(operation: string): number;
  /** The newest attempts, oldest first, copies included. */
  readonly log: readonly MeterEntry[];
  /** Starts again from nothing. */
  reset(): void;
}

type MutableEntry = { -readonly [K in keyof MeterEntry]: MeterEntry[K] };

/** The meter as its handler writes to it. */
export class RecordingMeter implements RequestMeter {
  readonly #counts = new Map<string, number>();
  #log: MutableEntry[] = [];

  /** @param logLimit entries kept in the log. */
  constructor(private readonly logLimit: number) {}

  get total(): number {
    return this.#sum(() => true);
  }

  get reads(): number {
    return this.#sum((operation) => readOperations.has(operation));
  }

  get writes(): number {
    return this.#sum((operation) => writeOperations.has(operation));
  }

  get operations(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  get log(): readonly MeterEntry[] {
    return this.#log;
  }

  count(operation: string): number {
    return this.#counts.get(operation) ?? 0;
  }

  reset(): void {
    this.#counts.clear();
    this.#log = [];
  }

  /** Notes an attempt that begins. The entry is completed by its handler when the attempt ends. */
  begin(request: ObservedRequest, faults: readonly FaultKind[]): MutableEntry {
    if (!request.copy) this.#counts.set(request.operation, this.count(request.operation) + 1);
    const entry: MutableEntry = { ...request, faults };
    this.#log.push(entry);
    if (this.#log.length > this.logLimit) this.#log.shift();
    return entry;
  }

  #sum(counted: (operation: string) => boolean): number {
    let sum = 0;
    for (const [operation, count] of this.#counts) if (counted(operation)) sum += count;
    return sum;
  }
}

/** Requests that faults send on their own, long after their caller has gone on. */
export class UnderWay {
  readonly #work = new Set<Promise<void>>();
  readonly #cancelled = new AbortController();

  /** @param limitMs bound for each piece of work, whatever its engine does. */
  constructor(private readonly limitMs: number) {}

  /** Begins a piece of work. Its failure is nobody's: whoever sent it is not there any more. */
  add(work: (signal: AbortSignal) => Promise<void>): void {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), this.limitMs);
    const running = work(AbortSignal.any([limit.signal, this.#cancelled.signal]))
      .catch(() => {})
      .finally(() => {
        clearTimeout(timer);
        this.#work.delete(running);
      });
    this.#work.add(running);
  }

  /** Resolves when nothing is under way, also nothing that began meanwhile. */
  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  /** Ends what is under way and waits for it. */
  async cancel(): Promise<void> {
    this.#cancelled.abort();
    await this.settled();
  }
}
