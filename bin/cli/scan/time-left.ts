import type { ScanEvents } from '../../../lib/scan/index.js';
import { KeyShape } from '../../../lib/scan/steal/key-shape.js';
import { guessWhatIsLeft } from '../../../lib/scan/steal/what-is-left.js';
import { Throughput } from '../../terminal/throughput.js';

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
export class TimeLeft {
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
