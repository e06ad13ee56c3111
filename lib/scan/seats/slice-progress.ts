import type { Lease } from '../../lease/index.js';
import type { ItemChange } from '../../table/index.js';
import { laterKey } from '../keys/key-order.js';
import { withinSlice } from '../listing/slice-lister.js';
import type { PartialStore } from '../results/partial-store.js';
import type { Processor, ScanObject } from '../results/processor.js';
import { emptyTally, type Tally, withPage } from '../results/tally.js';
import { claimable, completable } from '../slices/scan-conditions.js';
import type { SliceItem, SliceResult } from '../slices/slice.js';
import type { PageResult } from './page-processing.js';

/** A claim that is to be written. */
export interface Claim {
  readonly claimed: string;
  readonly progress: number;
  readonly change: ItemChange;
}

/**
 * What a holder knows of its slice: the range, how far it is claimed and done, and the result up to there. Makes the
 * changes that ride on the lease's writes.
 */
export class SliceProgress {
  readonly #before: SliceItem;
  readonly #lease: Lease;
  readonly #processor: Processor;
  readonly #partials: PartialStore;
  readonly #listRequests: () => number;
  #hi: string | undefined;
  #claimed: string | undefined;
  #number: number;
  #cursor: string | undefined;
  #partial: unknown;
  #tally: Tally;

  /**
   * @param before the slice as the lease found it
   * @param partial the result so far
   * @param listRequests list requests under this lease so far
   */
  constructor(
    before: SliceItem,
    partial: unknown,
    lease: Lease,
    processor: Processor,
    partials: PartialStore,
    listRequests: () => number,
  ) {
    this.#before = before;
    this.#partial = partial;
    this.#lease = lease;
    this.#processor = processor;
    this.#partials = partials;
    this.#listRequests = listRequests;
    this.#hi = before.hi;
    this.#claimed = before.claimed;
    this.#number = before.progress;
    this.#cursor = before.cursor;
    const tally = before.tally ?? emptyTally;
    this.#tally = { ...tally, takeovers: tally.takeovers + (lease.takenOverFrom ? 1 : 0) };
  }

  /** The upper bound, as far as is known. */
  get hi(): string | undefined {
    return this.#hi;
  }

  /** Pages claimed so far. */
  get number(): number {
    return this.#number;
  }

  /** The listing goes on behind this key. */
  get from(): string | undefined {
    return this.#cursor ?? this.#before.lo;
  }

  /** Counts up to the cursor. */
  get tally(): Tally {
    const listRequests = (this.#before.tally?.listRequests ?? 0) + this.#listRequests();
    return { ...this.#tally, listRequests };
  }

  /** Progress is a cursor that has moved, not a claim: a page that kills its workers is claimed, too. */
  get hasMoved(): boolean {
    return this.#cursor !== this.#before.cursor;
  }

  /** The objects that belong to the slice. */
  within(objects: readonly ScanObject[]): readonly ScanObject[] {
    return withinSlice(objects, this.#hi);
  }

  /** The claim of a page: what is done so far, how far may be acted on, and what must hold for that. */
  async claimOf(objects: readonly ScanObject[]): Promise<Claim> {
    const claimed = laterKey(this.#claimed, objects.at(-1)!.key)!;
    const progress = this.#number + 1;
    const set = { ...(await this.done()), claimed, progress };
    const condition = claimable(this.#hi, { next: claimed, known: this.#claimed });
    return { claimed, progress, change: { set, condition } };
  }

  /** The store has taken the claim. */
  confirmed({ claimed, progress }: Claim): void {
    this.#claimed = claimed;
    this.#number = progress;
  }

  /** A refusal showed the item as it is: a thief has lowered `hi`. */
  learned(item: SliceItem): void {
    this.#hi = item.hi;
    this.#claimed = laterKey(this.#claimed, item.claimed);
  }

  /** A page is done. */
  add(objects: readonly ScanObject[], { partial, failures }: PageResult): void {
    const { merge, compact } = this.#processor;
    const merged = merge.call(this.#processor, this.#partial, partial);
    this.#partial = compact ? compact.call(this.#processor, merged) : merged;
    this.#cursor = objects.at(-1)!.key;
    const { token } = this.#lease;
    this.#tally = withPage(this.#tally, { token, number: this.#number, objects, failures });
  }

  /** The checkpoint: what is done so far, all of it or nothing in one write. */
  async done(): Promise<Record<string, unknown>> {
    const { tally } = this;
    if (this.#cursor === undefined) return { tally };
    const partial = await this.#partials.store(this.#partial, this.#number, this.#lease.signal);
    return { cursor: this.#cursor, partial, tally, ...(this.hasMoved && { attempts: 0 }) };
  }

  /** The completion. */
  async completion(output: SliceResult['output']): Promise<{ result: SliceResult; change: ItemChange }> {
    const result = {
      token: this.#lease.token,
      partial: await this.#partials.store(this.#partial, this.#number, this.#lease.signal),
      tally: this.tally,
      ...(output && { output }),
    };
    const change = {
      set: { cursor: this.#cursor },
      // The result has them.
      remove: ['partial', 'tally', 'attempts', 'lastError'],
      condition: completable(this.#hi),
    };
    return { result, change };
  }
}
