import { walkDirectory } from '../../../lib/local/index.js';
import { keyDigest } from '../../../lib/scan/index.js';
import { count } from '../../terminal/figures.js';

/** One claim, and whether it holds. */
export interface Check {
  readonly claim: string;
  readonly holds: boolean;
  /** The figures, on both sides. */
  readonly figures: string;
}

interface Total {
  readonly objects: number;
  readonly bytes: number;
}

/** What the table has of a slice when the run is over. */
export interface SliceEvidence {
  readonly id: string;
  readonly lo: string | undefined;
  readonly hi: string | undefined;
  readonly completed: boolean;
  /** The token of its last grant. */
  readonly token: number;
  /** The token under which its last page was done; absent if it has none. */
  readonly writtenUnder: number | undefined;
  readonly objects: number;
  readonly bytes: number;
  readonly pages: number;
  readonly takeovers: number;
  /** Of the keys in its result; absent without a result. */
  readonly digest: string | undefined;
}

/** What a run is judged by. */
export interface ProofGround {
  /** How the state machine ended, in words; absent if it succeeded with a complete scan. */
  readonly failure: string | undefined;
  readonly reported: Total;
  /** What a walk before the run had found; absent if it was not through. */
  readonly before: Total | undefined;
  /** In key order, one for one with `walked`. */
  readonly slices: readonly SliceEvidence[];
  readonly walked: readonly WalkedSlice[];
  /** The ledger's row of each slice, by the slice's id: under which token it was written last. */
  readonly ledger: ReadonlyMap<string, number>;
}

/** Checks a run against the walk and against its own table. */
export function prove(ground: ProofGround): Check[] {
  const { failure, slices, walked } = ground;
  const done = slices.filter(({ completed }) => completed).length;
  const agreeing = slices.filter(
    ({ objects, digest }, index) =>
      walked[index]?.objects === objects && (walked[index].digest === digest || objects === 0),
  ).length;
  const fenced = slices.filter(({ id, writtenUnder }) => ground.ledger.get(id) === writtenUnder).length;
  const broken = brokenBounds(slices);
  return [
    {
      claim: 'the state machine ended well, and every slice is done',
      holds: failure === undefined && done === slices.length,
      figures: failure ?? `${count(done)} of ${count(slices.length)} slices`,
    },
    countsAgree(ground),
    {
      claim: "every key is in exactly one result: each slice's keys are those of its range",
      holds: agreeing === slices.length && slices.length > 0,
      figures: `${count(agreeing)} of ${count(slices.length)} slices agree in number and digest`,
    },
    {
      claim: 'the ranges tile the key space, from open to open',
      holds: broken === 0 && slices.length > 0,
      figures: `${count(slices.length)} ranges, ${count(broken)} gaps or overlaps`,
    },
    {
      claim: "each slice's ledger row stands under the token of whoever did its last page",
      holds: fenced === slices.length,
      figures: `${count(fenced)} of ${count(slices.length)} slices, ${count(ground.ledger.size)} rows`,
    },
  ];
}

function countsAgree({ walked, reported, before }: ProofGround): Check {
  const found = { objects: addUp(walked, 'objects'), bytes: addUp(walked, 'bytes') };
  // A file that grows while it is looked at twice has no size to compare; its key is still counted.
  const resized = found.bytes !== reported.bytes && before !== undefined && before.bytes !== found.bytes;
  const bytes = resized ? 'files changed meanwhile' : compared(found.bytes, reported.bytes);
  const moved = before !== undefined && before.objects !== found.objects;
  const note = moved ? `; the directory changed: it had ${count(before.objects)} objects before` : '';
  return {
    claim: 'objects that a walk of the directory finds = objects reported',
    holds: found.objects === reported.objects && (found.bytes === reported.bytes || resized),
    figures: `${compared(found.objects, reported.objects)}; bytes: ${bytes}${note}`,
  };
}

function compared(found: number, reported: number): string {
  return `${count(found)} ${found === reported ? '=' : '≠'} ${count(reported)}`;
}

/** Places where a range does not begin where the one before ends, or is open but at the two ends. */
function brokenBounds(slices: readonly SliceEvidence[]): number {
  const joints = slices.slice(1).filter(({ lo }, index) => lo === undefined || lo !== slices[index]!.hi);
  const outer = [slices[0]?.lo, slices.at(-1)?.hi].filter((bound) => bound !== undefined);
  return joints.length + outer.length;
}

function addUp(walked: readonly WalkedSlice[], figure: 'objects' | 'bytes'): number {
  return walked.reduce((sum, slice) => sum + slice[figure], 0);
}

/** Key ranges `(lo, hi]` that follow each other, found by binary search. */
export class KeyRanges {
  readonly #ends: readonly Buffer[];

  /** @param his the upper bounds in key order; the last range is open */
  constructor(his: readonly (string | undefined)[]) {
    this.#ends = his.slice(0, -1).map((hi) => Buffer.from(hi ?? ''));
  }

  /**
   * The place of the range that holds a key. The order is that of UTF-8 bytes by its definition, not by the scan's
   * own comparison: this is what the scan is checked against.
   */
  indexOf(key: string): number {
    const bytes = Buffer.from(key);
    let low = 0;
    let high = this.#ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (Buffer.compare(bytes, this.#ends[middle]!) > 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** What a walk found in one slice's range. */
interface WalkedSlice {
  objects: number;
  bytes: number;
  digest: string;
}

/**
 * Walks the directory once more and sorts what it finds into the slices' ranges; keeps no keys.
 *
 * @param his the slices' upper bounds, in key order
 * @throws the signal's reason
 */
export async function walkSlices(
  directory: string,
  his: readonly (string | undefined)[],
  signal: AbortSignal,
): Promise<WalkedSlice[]> {
  const ranges = new KeyRanges(his);
  const found = his.map(() => ({ objects: 0, bytes: 0, keys: keyDigest() }));
  for await (const { key, size } of walkDirectory(directory)) {
    signal.throwIfAborted();
    const slice = found[ranges.indexOf(key)]!;
    slice.objects++;
    slice.bytes += size;
    slice.keys.add(key);
  }
  return found.map(({ objects, bytes, keys }) => ({ objects, bytes, digest: keys.hex() }));
}
