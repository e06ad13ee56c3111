import { isLegalCharacter } from './cut.js';

const partsBetween = 64;

/**
 * The characters seen in keys. Cuts are invented out of these: a middle between `0` and `9` that keys can have
 * is worth more than one that they can't.
 */
export class Alphabet {
  readonly #seen = new Set<number>();
  #sorted: readonly number[] | undefined = [];

  /** Takes in a key's characters, from `start` on; those that may not stand in a cut are left out. */
  add(key: string, start = 0): void {
    for (const character of key.slice(start)) {
      const point = character.codePointAt(0)!;
      if (this.#seen.has(point) || !isLegalCharacter(character)) continue;
      this.#seen.add(point);
      this.#sorted = undefined;
    }
  }

  /** Takes in some characters between two code points, evenly spaced: for scripts too large to have been seen. */
  addBetween(low: number, high: number): void {
    for (let part = 1; part < partsBetween; part++) {
      this.add(String.fromCodePoint(low + Math.round(((high - low) * part) / partsBetween)));
    }
  }

  /** The number of digits, 0 for "the key ends here" included. */
  get base(): number {
    return this.#points.length + 1;
  }

  /** A character's place, from 1; one that was never seen counts as the next lower one that was. */
  digitOf(point: number): number {
    const points = this.#points;
    let low = 0;
    let high = points.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (points[middle]! <= point) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The character of a digit from 1 to `base` - 1. */
  characterOf(digit: number): string {
    return String.fromCodePoint(this.#points[digit - 1]!);
  }

  get #points(): readonly number[] {
    this.#sorted ??= [...this.#seen].sort((a, b) => a - b);
    return this.#sorted;
  }
}
