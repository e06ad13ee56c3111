import {
  firstKeyAfter,
  foldersIn,
  type ListedPage,
  type ListingTarget,
  listPage,
} from '../listing/s3-listing.js';
import type { S3Sender } from '../listing/s3-requests.js';
import type { ScanObject } from '../results/processor.js';

/** The end of a request for folders, in milliseconds: some S3 walk all keys for it. */
const foldersTimeoutMs = 5_000;

/** The requests of one planning: all with the user's own prefix, no more than the limit. */
export class PlanRequests {
  readonly prefix: string;
  readonly #requests: S3Sender;
  readonly #target: ListingTarget;
  readonly #pageSize: number;
  readonly #limit: number;
  readonly #signal: AbortSignal | undefined;

  /** @param limit requests in all; a step asks only while there are some {@link left} */
  constructor(
    requests: S3Sender,
    target: ListingTarget,
    options: { readonly pageSize: number; readonly limit: number; readonly signal: AbortSignal | undefined },
  ) {
    this.prefix = target.prefix;
    this.#requests = requests;
    this.#target = target;
    this.#pageSize = options.pageSize;
    this.#limit = options.limit;
    this.#signal = options.signal;
  }

  /** Requests that may still be sent. */
  get left(): number {
    return Math.max(0, this.#limit - this.#requests.count);
  }

  /** Requests sent. */
  get used(): number {
    return this.#requests.count;
  }

  /** A whole page. */
  page(after: string | undefined): Promise<ListedPage> {
    return listPage(this.#requests, this.#target, { after, pageSize: this.#pageSize }, this.#signal);
  }

  /** A probe. */
  firstKeyAfter(after: string): Promise<ScanObject['key'] | undefined> {
    return firstKeyAfter(this.#requests, this.#target, after, this.#signal);
  }

  /**
   * The folders in one; `undefined` where there are too many, where that is denied or takes too long: they are only a help.
   *
   * @param path of the folder, the prefix included
   */
  async foldersIn(path: string): Promise<readonly string[] | undefined> {
    const target = { ...this.#target, prefix: path };
    try {
      return await foldersIn(this.#requests, target, foldersTimeoutMs, this.#signal);
    } catch (error) {
      if (this.#signal?.aborted || !(error instanceof Error) || error.name !== 'StoreError') throw error;
      return undefined;
    }
  }
}
