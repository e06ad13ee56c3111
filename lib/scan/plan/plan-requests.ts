import {
  allGroups,
  firstKeyAfter,
  type ListedPage,
  type ListingTarget,
  listPage,
} from '../listing/s3-listing.js';
import type { S3Requests } from '../listing/s3-requests.js';
import type { ScanObject } from '../results/processor.js';

/** The end of the one pass for groups, in milliseconds: some S3 walk all keys for it. */
const groupsTimeoutMs = 5_000;

/** The requests of one planning: all with the user's own prefix, no more than the limit. */
export class PlanRequests {
  readonly prefix: string;
  readonly #requests: S3Requests;
  readonly #target: ListingTarget;
  readonly #pageSize: number;
  readonly #limit: number;
  readonly #signal: AbortSignal | undefined;

  /** @param limit requests in all; a step asks only while there are some {@link left} */
  constructor(
    requests: S3Requests,
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

  /** The groups by `/`; none where that is denied or takes too long: they are only a help. */
  async groups(): Promise<readonly string[]> {
    try {
      return await allGroups(this.#requests, this.#target, groupsTimeoutMs, this.#signal);
    } catch (error) {
      if (this.#signal?.aborted || !(error instanceof Error) || error.name !== 'StoreError') throw error;
      return [];
    }
  }
}
