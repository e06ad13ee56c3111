import type { TimeInterval } from '../../clock/store-clock.js';
import { takeoverBefore } from '../../lease/index.js';
import { plannedSlices } from '../slices/scan-run.js';
import {
  findSlice,
  findState,
  isSliceName,
  parseSliceId,
  type SliceItem,
  sliceGroup,
  sliceName,
} from '../slices/slice.js';
import { hasPendingChild, materialiseChild, type PlannedSlice } from '../slices/slice-creation.js';
import { childrenWanted, type LaidSlice } from '../slices/tiling.js';
import { publishScan } from './scan-events.js';
import { type SeatHost, seatOwner } from './seat-host.js';

/** Slices read at once: with large partial results in them they are still far below DynamoDB's 16 MB. */
const batchSize = 25;

/** So many slices that others hold are enough to choose from, if none is free so far. */
const enoughHeld = 25;

/** `Date` headers tell whole seconds: so wide is what a first answer shows of the store's time. */
const wholeSecondMs = 1_000;

/** A slice that may be taken. */
export interface Candidate {
  readonly slice: SliceItem;
  /** The lease in it is this seat's own, of an instance that was started earlier. */
  readonly own: boolean;
}

/**
 * Finds slices to work on. The planned ones follow from the run item, children from the index on `group`, and while that
 * lags from the cuts, as for the proof; all are read consistently, in shuffled batches. What was read as finished
 * is not read again. That includes what the seat has finished itself: it may have been split meanwhile.
 */
export class SliceSearch {
  readonly #host: SeatHost;
  readonly #owner: string;
  readonly #startedAt: TimeInterval;
  readonly #onRead: (slice: SliceItem) => void;
  readonly #planned: readonly PlannedSlice[];
  readonly #names: Set<string>;
  readonly #finished = new Set<string>();
  /** How the slices lay when they were last read, by name. */
  readonly #seen = new Map<string, LaidSlice>();
  readonly #quarantined = new Set<string>();
  readonly #foreign = new Set<string>();
  #hasBegun = false;
  #unfinished = 0;
  #held: SliceItem[] = [];
  #readAll = false;
  #progressSum = 0;
  #soonestExpiryMs = Number.POSITIVE_INFINITY;

  /**
   * @param startedAt store time at which this instance was started
   * @param onRead told of every slice that is read
   */
  constructor(host: SeatHost, startedAt: TimeInterval, onRead: (slice: SliceItem) => void) {
    this.#host = host;
    this.#onRead = onRead;
    this.#owner = seatOwner(host.run.run, host.seat);
    this.#startedAt = startedAt;
    this.#planned = plannedSlices(host.run);
    this.#names = new Set(this.#planned.map(({ id }) => sliceName(host.run.run, id)));
  }

  /** Slices that the last look found unfinished, as far as it went. */
  get unfinished(): number {
    return this.#unfinished;
  }

  /** Those among them that others hold. */
  get held(): readonly SliceItem[] {
    return this.#held;
  }

  /** Whether the last look read every slice that is not known to be finished: it ends early when it has seen enough. */
  get readAll(): boolean {
    return this.#readAll;
  }

  /** Rises when any of the slices read in the last look moves on. */
  get progressSum(): number {
    return this.#progressSum;
  }

  /** When the first of those may be taken over: store time in milliseconds, or `Infinity`. */
  get soonestExpiryMs(): number {
    return this.#soonestExpiryMs;
  }

  /** Seat i begins with slice i: one read, and no two seats meet. */
  async *first(): AsyncGenerator<Candidate> {
    const name = [...this.#names][this.#host.seat];
    if (name !== undefined) yield* this.#look([name]);
  }

  /**
   * Slices that may be taken now, as long as the caller goes on asking. It ends when all were read, or enough that others
   * hold to choose from: a seat that finds none free splits one of those.
   */
  async *free(): AsyncGenerator<Candidate> {
    const { context, run, signal } = this.#host;
    this.#begin();
    for await (const names of context.table.namesInGroup(sliceGroup(run.run), signal)) {
      for (const name of names) this.#learns(name);
    }
    const asked = new Set<string>();
    for (let left = this.#left(asked); left.length > 0; left = this.#left(asked)) {
      const order = shuffled(left, context.runtime.random);
      for (let start = 0; start < order.length; start += batchSize) {
        if (this.#held.length >= enoughHeld) return;
        const names = order.slice(start, start + batchSize);
        for (const name of names) asked.add(name);
        yield* this.#look(names);
      }
    }
    this.#readAll = true;
  }

  /** A slice by its id, as after a split. */
  async *one(id: string): AsyncGenerator<Candidate> {
    this.#begin();
    yield* this.#look([sliceName(this.#host.run.run, id)]);
  }

  #begin(): void {
    this.#unfinished = 0;
    this.#held = [];
    this.#readAll = false;
    this.#progressSum = 0;
    this.#soonestExpiryMs = Number.POSITIVE_INFINITY;
  }

  /** A name of the group: foreign ones are told, once, and not read. */
  #learns(name: string): void {
    const { run } = this.#host.run;
    if (isSliceName(run, name)) this.#names.add(name);
    else this.#passOver(name, 'its name is none of a slice');
  }

  #passOver(name: string, why: string): void {
    if (this.#foreign.has(name)) return;
    this.#foreign.add(name);
    publishScan('scan-foreign-item', { run: this.#host.run.run, name, why });
  }

  /** The seat has got a slice: what it may supersede from now on must have been granted before its start for certain. */
  begun(): void {
    this.#hasBegun = true;
  }

  /**
   * A lease of this seat that was granted up to then, in store time, is an earlier instance's. Leases carry the latest
   * that it could have been, up to a second ahead: until the seat has got a slice that much is allowed for, or a
   * seat that is retried at once would wait its earlier lease out. Not more: the instance may be frozen at its start,
   * and a later one be long at work when it wakes up.
   */
  get ownEarlierUntilMs(): number {
    const { earliest, latest } = this.#startedAt;
    return this.#hasBegun ? Math.floor(earliest) : Math.ceil(latest) + wholeSecondMs;
  }

  /** What is still to be read in this look: known by name, or wanted by what was read so far. */
  #left(asked: ReadonlySet<string>): readonly string[] {
    const { run } = this.#host.run;
    const wanted = childrenWanted(this.#planned, this.#seen.values());
    const names = new Set([...this.#names, ...wanted.map((id) => sliceName(run, id))]);
    return [...names].filter(
      (name) => !asked.has(name) && !this.#finished.has(name) && !this.#foreign.has(name),
    );
  }

  async *#look(names: readonly string[]): AsyncGenerator<Candidate> {
    const { context, run, signal } = this.#host;
    const candidates: Candidate[] = [];
    for (const stored of await context.table.getMany(names, signal)) {
      const slice = findSlice(stored);
      if (!slice) {
        this.#passOver(String(stored.name), 'it is no slice');
        continue;
      }
      this.#laid(slice);
      this.#onRead(slice);
      this.#progressSum += slice.progress;
      if (hasPendingChild(slice)) {
        await materialiseChild(context, run.run, slice, signal);
        this.#names.add(sliceName(run.run, slice.child.id));
        // It may be the last one left: look again.
        this.#unfinished += 1;
      }
      const candidate = this.#judge(slice);
      if (candidate) candidates.push(candidate);
    }
    // The seat's own earlier lease first, then those with the fewest failed attempts.
    const rank = ({ own, slice }: Candidate) => (own ? -1 : (slice.attempts ?? 0));
    yield* candidates.sort((a, b) => rank(a) - rank(b));
  }

  #laid({ name, lo, hi }: LaidSlice): void {
    this.#names.add(name);
    this.#seen.set(name, { name, ...(lo !== undefined && { lo }), ...(hi !== undefined && { hi }) });
  }

  #judge(slice: SliceItem): Candidate | undefined {
    const { context } = this.#host;
    switch (findState(slice, takeoverBefore(context))) {
      case 'completed':
        this.#finished.add(slice.name);
        return undefined;
      case 'quarantined':
        this.#tellQuarantined(slice);
        return undefined;
      case 'held':
        if (this.#isOwnEarlier(slice)) return { slice, own: true };
        this.#held.push(slice);
        this.#unfinished += 1;
        this.#soonestExpiryMs = Math.min(this.#soonestExpiryMs, slice.expiresAt! + context.skewMs);
        return undefined;
      default:
        // Counted until it is ours or somebody else's: an attempt to take it may fail.
        this.#unfinished += 1;
        return { slice, own: false };
    }
  }

  #isOwnEarlier(slice: SliceItem): boolean {
    return slice.owner === this.#owner && slice.acquiredAt! <= this.ownEarlierUntilMs;
  }

  #tellQuarantined(slice: SliceItem): void {
    if (this.#quarantined.has(slice.name)) return;
    this.#quarantined.add(slice.name);
    const { run, seat } = this.#host;
    const { name, lo, hi, lastError: error } = slice;
    const attempts = slice.attempts ?? 0;
    publishScan('scan-slice-quarantined', {
      run: run.run,
      seat,
      slice: parseSliceId(name),
      name,
      attempts,
      lo,
      hi,
      error,
    });
  }
}

/** A copy in random order, so that seats that look at once do not all try the same slice first. */
function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const copy = [...items];
  for (let index = copy.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    [copy[index], copy[other]] = [copy[other]!, copy[index]!];
  }
  return copy;
}
