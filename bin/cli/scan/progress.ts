import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import type { ScanEvents, SliceEvent } from '../../../lib/scan/index.js';
import { KeyShape } from '../../../lib/scan/steal/key-shape.js';
import { guessWhatIsLeft } from '../../../lib/scan/steal/what-is-left.js';
import { Throughput } from '../../terminal/figures.js';

/** What a slice that was found says of work that was done before. */
interface EarlierSlice {
  readonly completedAt?: number;
  readonly tally?: { readonly objects: number };
  readonly result?: { readonly tally: { readonly objects: number } };
}

/** What the seats of this process have done in all, for the report. */
export interface WorkHere {
  readonly seats: number;
  /**
   * How much of the time the seats had a slice to work on, as a share of 1: of all seats, from the first slice that one took
   * until the last one was done. `null` where none worked on any.
   */
  readonly busyShare: number | null;
  readonly splits: number;
  readonly objects: number;
  /** Over the same time; 0 where there was none. */
  readonly objectsPerSecond: number;
}

/** Counts what the seats of this process do, from the events of the scan. */
export class ScanProgress implements Disposable {
  readonly run: string;
  slicesDone = 0;
  /** Objects of the run, those of earlier processes included. */
  objects = 0;
  takeovers = 0;
  splits = 0;
  /** Seats of this process that work on a slice now, and since when. */
  readonly busy = new Map<number, number>();
  readonly #timeLeft = new TimeLeft();
  readonly #speed = new Throughput();
  readonly quarantined = new Set<string>();
  /** Tells `takeover` and `quarantine`, in a sentence. */
  readonly news = new EventEmitter<{ told: [sentence: string] }>();

  readonly #subscriptions: [channel: string, listener: (message: unknown) => void][] = [];
  readonly #nowMs: () => number;
  #objectsHere = 0;
  #busyMs = 0;
  #firstMs: number | undefined;
  #lastMs = 0;

  /** @param nowMs a clock that goes on evenly, in milliseconds */
  constructor(run: string, nowMs: () => number = () => performance.now()) {
    this.run = run;
    this.#nowMs = nowMs;
    this.#on('scan-page-claimed', (event) => this.#timeLeft.claimed(event));
    this.#on('scan-page-done', ({ objects }) => {
      this.#timeLeft.pageDone();
      this.objects += objects;
      this.#objectsHere += objects;
    });
    this.#on('scan-slice-completed', (event) => {
      this.slicesDone += 1;
      this.#left(event);
    });
    this.#on('scan-slice-lost', (event) => this.#left(event));
    this.#on('scan-slice-released', (event) => this.#left(event));
    this.#on('scan-slice-split', (event) => {
      this.splits += 1;
      this.#timeLeft.split(event);
    });
    this.#on('scan-slice-acquired', (event) => {
      const { takenOver, takenOverFrom, slice, token, seat } = event;
      const nowMs = this.#nowMs();
      this.#firstMs ??= nowMs;
      this.busy.set(seat, nowMs);
      this.#timeLeft.acquired(event);
      if (!takenOver) return;
      this.takeovers += 1;
      const whom = takenOverFrom ? ` from ${takenOverFrom.owner} (token ${takenOverFrom.token})` : '';
      this.news.emit('told', `slice ${slice} taken over${whom}, token ${token}`);
    });
    this.#on('scan-slice-quarantined', ({ slice, attempts, error }) => {
      if (this.quarantined.has(slice)) return;
      this.quarantined.add(slice);
      const why = error === undefined ? '' : `: ${error}`;
      this.news.emit('told', `slice ${slice} quarantined after ${attempts} attempts${why}`);
    });
  }

  /** Objects a second, of this process, over the last seconds. To be asked again and again. */
  objectsPerSecond(): number {
    return this.#speed.at(this.#nowMs(), this.#objectsHere);
  }

  /** A guess, in milliseconds; `undefined` while nothing can be said. To be asked again and again. */
  timeLeftMs(): number | undefined {
    return this.#timeLeft.at(this.#nowMs());
  }

  /** What has been done here so far. */
  workHere(seats: number): WorkHere {
    const spanMs = this.#lastMs - (this.#firstMs ?? this.#lastMs);
    return {
      seats,
      busyShare: spanMs > 0 ? Math.min(1, this.#busyMs / (seats * spanMs)) : null,
      splits: this.splits,
      objects: this.#objectsHere,
      objectsPerSecond: spanMs > 0 ? Math.round((this.#objectsHere * 1_000) / spanMs) : 0,
    };
  }

  /** Counts in what an earlier process of the same run has done. */
  foundBefore(slices: readonly EarlierSlice[]): void {
    for (const { completedAt, result, tally } of slices) {
      if (completedAt !== undefined) this.slicesDone += 1;
      this.objects += (result?.tally ?? tally)?.objects ?? 0;
    }
  }

  /** Listens no more. */
  [Symbol.dispose](): void {
    for (const [channel, listener] of this.#subscriptions) unsubscribe(channel, listener);
  }

  #left({ seat, slice }: SliceEvent): void {
    const sinceMs = this.busy.get(seat);
    this.#lastMs = this.#nowMs();
    if (sinceMs !== undefined) this.#busyMs += this.#lastMs - sinceMs;
    this.busy.delete(seat);
    this.#timeLeft.closed(slice);
  }

  #on<Name extends keyof ScanEvents>(name: Name, count: (event: ScanEvents[Name]) => void): void {
    const listener = (message: unknown): void => {
      const event = message as ScanEvents[Name];
      if (event.run === this.run) count(event);
    };
    this.#subscriptions.push([`leasehold:${name}`, listener]);
    subscribe(`leasehold:${name}`, listener);
  }
}

/** A slice that somebody of this process works on, or will. */
interface OpenSlice {
  lo: string | undefined;
  hi: string | undefined;
  cursor: string | undefined;
  claimed: string | undefined;
  /** What a split guessed, until its own pages tell more. */
  guess: number | undefined;
}

/** The speed is taken over this time, in milliseconds: pages come one by one. */
const speedSpanMs = 10_000;

/**
 * How long a scan still takes, guessed as the seats guess where to split: from the page that each slice is at, and from
 * how fast pages are done. It knows what this process works on, so others of the same run are not in it.
 */
class TimeLeft {
  readonly #open = new Map<string, OpenSlice>();
  readonly #speed = new Throughput(speedSpanMs);
  #pagesDone = 0;

  acquired({ slice, lo, hi, cursor }: ScanEvents['scan-slice-acquired']): void {
    const guess = this.#open.get(slice)?.guess;
    this.#open.set(slice, { lo, hi, cursor, claimed: undefined, guess });
  }

  claimed({ slice, lastKey }: ScanEvents['scan-page-claimed']): void {
    const open = this.#open.get(slice);
    if (open) Object.assign(open, { cursor: open.claimed ?? open.cursor, claimed: lastKey });
  }

  split({ slice, cut, child, hi, pagesLeft }: ScanEvents['scan-slice-split']): void {
    const open = this.#open.get(slice);
    if (open) open.hi = cut;
    this.#open.set(child, { lo: cut, hi, cursor: undefined, claimed: undefined, guess: pagesLeft / 2 });
  }

  pageDone(): void {
    this.#pagesDone += 1;
  }

  closed(slice: string): void {
    this.#open.delete(slice);
  }

  /**
   * The guess, in milliseconds; `undefined` while nothing can be said.
   *
   * @param atMs now, by any clock that goes on evenly
   */
  at(atMs: number): number | undefined {
    const pagesPerSecond = this.#speed.at(atMs, this.#pagesDone);
    const slices = [...this.#open.values()];
    const shape = new KeyShape(slices.flatMap(({ claimed }) => (claimed === undefined ? [] : [claimed])));
    const guesses = slices.map((slice) => guessWhatIsLeft(toKnown(slice), shape, '')?.pages ?? slice.guess);
    const known = guesses.filter((pages) => pages !== undefined);
    if (known.length === 0 || pagesPerSecond === 0) return undefined;
    // A slice that nothing is known of is taken to be as the others.
    const pages = (known.reduce((sum, count) => sum + count, 0) * guesses.length) / known.length;
    return (pages / pagesPerSecond) * 1_000;
  }
}

/** Attributes that an item lacks are absent. */
function toKnown({ lo, hi, cursor, claimed }: OpenSlice) {
  return {
    ...(lo !== undefined && { lo }),
    ...(hi !== undefined && { hi }),
    ...(cursor !== undefined && { cursor }),
    ...(claimed !== undefined && { claimed }),
  };
}
