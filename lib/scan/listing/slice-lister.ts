import { type ChildSignal, childSignal } from '../../runtime/index.js';
import { isWithin } from '../keys/key-order.js';
import type { ScanObject } from '../results/processor.js';
import { type ListingTarget, listPage } from './s3-listing.js';
import type { S3Sender } from './s3-requests.js';

/** One page of a slice, as listed: what lies above `hi` is for {@link withinSlice} to drop. */
export interface SlicePage {
  readonly objects: readonly ScanObject[];
  /** Whether S3 has more behind it. */
  readonly truncated: boolean;
}

type Listed = { readonly page: SlicePage } | { readonly error: unknown };

/**
 * Lists a slice page by page, and the next one while a page is worked on: two pages in memory, no more. Each page
 * is one request.
 */
export class SliceLister {
  readonly #requests: S3Sender;
  readonly #target: ListingTarget;
  readonly #pageSize: number;
  readonly #stop: ChildSignal;
  #ahead: { readonly after: string | undefined; readonly listed: Promise<Listed> } | undefined;

  constructor(
    requests: S3Sender,
    target: ListingTarget,
    pageSize: number,
    signals: readonly (AbortSignal | undefined)[],
  ) {
    this.#requests = requests;
    this.#target = target;
    this.#pageSize = pageSize;
    this.#stop = childSignal(...signals);
  }

  /** Begins to list the page behind a key. Its failure, if any, shows when the page is asked for. */
  prefetch(after: string | undefined): void {
    this.#ahead = { after, listed: this.#list(after) };
  }

  /**
   * The page behind a key, prefetched or not.
   *
   * @throws UsageError, StoreError, the reason of a signal
   */
  async page(after: string | undefined): Promise<SlicePage> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    const listed = await (ahead && ahead.after === after ? ahead.listed : this.#list(after));
    if ('error' in listed) throw listed.error;
    return listed.page;
  }

  /** Ends a request in flight. Call it always. */
  close(): void {
    this.#stop.abort(new DOMException('the slice was given back', 'AbortError'));
    this.#stop.clear();
  }

  async #list(after: string | undefined): Promise<Listed> {
    try {
      const request = { after, pageSize: this.#pageSize };
      return { page: await listPage(this.#requests, this.#target, request, this.#stop.signal) };
    } catch (error) {
      return { error };
    }
  }
}

/** The objects of a page that belong to the slice: those above the `hi` that is known now are dropped. */
export function withinSlice(objects: readonly ScanObject[], hi: string | undefined): readonly ScanObject[] {
  if (hi === undefined || objects.length === 0 || isWithin(objects.at(-1)!.key, undefined, hi))
    return objects;
  return objects.filter(({ key }) => isWithin(key, undefined, hi));
}
