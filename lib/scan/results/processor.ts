import type { Lease } from '../../lease/index.js';
import type { Runtime } from '../../runtime/index.js';

/** An object as a listing tells of it. */
export interface ScanObject {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly lastModifiedMs: number;
  readonly storageClass: string;
  readonly etag: string;
}

/** What a processor is handed: one page of one slice, claimed for it. */
export interface ScanPage {
  readonly run: string;
  /** The slice's id. */
  readonly slice: string;
  /** The name of the slice's lease. */
  readonly sliceName: string;
  /** Counts the claims of the slice; never the same twice. */
  readonly number: number;
  readonly bucket: string;
  readonly prefix: string;
  /** When the run was planned: store time in milliseconds. The same for all pages, so that ages add up. */
  readonly startedAtMs: number;
  /** In key order, at least one. */
  readonly objects: readonly ScanObject[];
  /** The last key of `objects`. */
  readonly lastKey: string;
}

/** Where a slice's output goes. */
export interface SliceOutput {
  /**
   * Writes an object under a key that carries the lease's token and the page; it counts only when the slice is
   * completed under that token (scan page, "The run").
   *
   * @param relativeKey its place below `<output prefix>/<run>/<slice>/<token>/<page>/`
   * @throws UsageError when the run has no output bucket; LockLostError; StoreError
   */
  put(
    relativeKey: string,
    body: string | Uint8Array,
    options?: { readonly contentType?: string },
  ): Promise<{ readonly bucket: string; readonly key: string }>;
}

/** What a processor works with besides the page. */
export interface ProcessContext {
  /** The slice's lease: hand its `token` to what you write to. */
  readonly lease: Lease;
  /** Aborts when the lease is in danger, the time is up, or the caller gives up. Pass it on. */
  readonly signal: AbortSignal;
  readonly output: SliceOutput;
  /** Records that one object could not be worked on: it is named in the slice's result, and the scan goes on. */
  readonly failed: (key: string, error: unknown) => void;
  readonly runtime: Runtime;
}

/**
 * What is done with the objects. Its partial results are JSON values.
 *
 * `process` may be called again for keys that a crashed holder had claimed. An error that it throws ends this
 * attempt at the slice; after four grants without progress the slice is quarantined and the run fails.
 */
export interface Processor<Partial = unknown> {
  /** The result of nothing; neutral in `merge`. */
  empty(): Partial;
  /** Works on a page and answers its result. */
  process(page: ScanPage, context: ProcessContext): Partial | Promise<Partial>;
  /** Two results as one: associative and commutative, changes neither. */
  merge(a: Partial, b: Partial): Partial;
  /** The same result in bounded size: what is stored after each page. */
  compact?(partial: Partial): Partial;
  /**
   * Stored in the slice's item up to this many bytes of JSON, above that in the output bucket. Up to some 8 KB
   * the item's write units cost less than a PUT.
   *
   * @default 400
   */
  readonly inlineBytes?: number;
}
