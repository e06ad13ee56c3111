import type { S3Client } from '@aws-sdk/client-s3';
import type { LeaseContext } from '../../lease/index.js';
import type { Runtime } from '../../runtime/index.js';
import type { Processor } from '../results/processor.js';
import type { ScanRun } from '../slices/scan-run.js';

/** What the parts of a seat share. */
export interface SeatHost {
  readonly context: LeaseContext;
  readonly s3: Pick<S3Client, 'send'>;
  readonly run: ScanRun;
  readonly seat: number;
  readonly processor: Processor;
  readonly time: SeatTime;
  readonly pageTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** The owner of a seat's leases: a retried seat is the same owner. */
export function seatOwner(run: string, seat: number): string {
  return `scan/${run}/seat-${seat}`;
}

/** The time that an invocation has, less a margin to give the slice back in. */
export class SeatTime {
  readonly #runtime: Runtime;
  readonly #remainingMs: (() => number) | undefined;
  readonly #marginMs: number;
  #longestPageMs = 0;

  /**
   * @param remainingMs until the invocation is cut off, in milliseconds; absent: no end
   * @param marginMs kept free at the end, in milliseconds
   */
  constructor(runtime: Runtime, remainingMs: (() => number) | undefined, marginMs: number) {
    this.#runtime = runtime;
    this.#remainingMs = remainingMs;
    this.#marginMs = marginMs;
  }

  /** Until work must stop, in milliseconds; `Infinity` without an end. */
  get leftMs(): number {
    return this.#remainingMs ? this.#remainingMs() - this.#marginMs : Number.POSITIVE_INFINITY;
  }

  /** Until the invocation is cut off, in milliseconds. */
  get remainingMs(): number {
    return this.#remainingMs?.() ?? Number.POSITIVE_INFINITY;
  }

  /** Whether there is no time for another page, going by the longest so far. */
  get isShort(): boolean {
    return this.leftMs <= this.#longestPageMs;
  }

  /** Measures a page. */
  async measured<T>(work: () => Promise<T>): Promise<T> {
    const startMs = this.#runtime.monotonicMs();
    try {
      return await work();
    } finally {
      this.#longestPageMs = Math.max(this.#longestPageMs, this.#runtime.monotonicMs() - startMs);
    }
  }
}
