import type { KeyShape, Place } from './key-shape.js';

/** A cut goes so many places beyond the one at which it first differs. */
const finerPlaces = 2;

/** Places looked at from the one on that counts as the unit: those further on are too fine to matter. */
const placesBehind = 16;

/** A folder's or a file's name as a number, place by place, in the characters that stand at each. */
export class LevelName {
  readonly #name: readonly string[];
  readonly #level: number;
  readonly #shape: KeyShape;
  readonly #widePlace: number | undefined;
  /** What one of each place is worth. */
  readonly #weights: readonly number[];

  /**
   * @param reference the place whose step is worth one
   * @param widePlace a place that may hold more than was seen there
   */
  constructor(name: string, level: number, shape: KeyShape, reference?: number, widePlace?: number) {
    this.#name = [...name];
    this.#level = level;
    this.#shape = shape;
    this.#widePlace = widePlace;
    const unit = reference ?? Math.max(0, this.#name.length - 1);
    const weights = new Array<number>(unit + placesBehind).fill(1);
    for (let place = unit - 1; place >= 0; place--)
      weights[place] = weights[place + 1]! * this.#base(place + 1);
    for (let place = unit + 1; place < weights.length; place++)
      weights[place] = weights[place - 1]! / this.#base(place);
    this.#weights = weights;
  }

  /** All names of the level. */
  get total(): number {
    return this.#base(0) * this.#weights[0]!;
  }

  /** From this name to the next one of its length. */
  get unit(): number {
    return this.#weights[Math.max(0, this.#name.length - 1)]!;
  }

  /**
   * The place at which names may go on beyond all that were seen: the first that varies, or the one before it where that
   * shows all of its kind already.
   */
  get growingPlace(): number | undefined {
    const varies = this.#weights.findIndex((_, place) => this.#base(place) > 1);
    const grows = (place: number) => (this.#place(place)?.wide.base ?? 1) > this.#base(place);
    return [varies, varies - 1].find((place) => place >= 0 && grows(place));
  }

  /** How far it is to another name; without one, to the end of the level. Negative if that lies before. */
  widthTo(other: string | undefined): number {
    const end = other === undefined ? undefined : [...other];
    let width = end ? 0 : this.total;
    for (const [place, weight] of this.#weights.entries()) {
      const steps = (end ? this.#digit(end, place) : 0) - this.#digit(this.#name, place);
      if (steps !== 0) width += steps * weight;
    }
    return width;
  }

  /** A name so far ahead, cut short; `undefined` beyond the end of the level, and where no number can say how far. */
  ahead(width: number): string | undefined {
    if (!Number.isFinite(width)) return undefined;
    const first = this.#weights.findIndex((weight) => weight <= width);
    if (first < 0) return undefined;
    const before = Array.from({ length: first + finerPlaces + 1 }, (_, place) =>
      this.#digit(this.#name, place),
    );
    const digits = [...before];
    let rest = width;
    for (let place = first; place < digits.length && place < this.#weights.length; place++) {
      const steps = Math.floor(rest / this.#weights[place]!);
      digits[place]! += steps;
      rest -= steps * this.#weights[place]!;
    }
    for (let place = digits.length - 1; place > 0; place--) {
      const base = this.#base(place);
      const carry = Math.floor(digits[place]! / base);
      digits[place]! -= carry * base;
      digits[place - 1]! += carry;
    }
    if (digits[0]! >= this.#base(0)) return undefined;
    const differs = digits.findIndex((digit, place) => digit !== before[place]);
    if (differs < 0) return undefined;
    let name = this.#name.slice(0, differs).join('');
    for (let place = differs; place < Math.min(digits.length, differs + finerPlaces + 1); place++) {
      const found = this.#shape.place(this.#level, place, [...name].at(-1));
      const at = place === this.#widePlace ? found?.wide : found;
      if (!at) break;
      // Behind another kind of character there may be others.
      name += at.characterOf(Math.min(digits[place]!, at.base - 1));
    }
    return name;
  }

  #place(place: number): Place | undefined {
    const found = this.#shape.place(this.#level, place, this.#name[place - 1]);
    return place === this.#widePlace ? found?.wide : found;
  }

  #base(place: number): number {
    return this.#place(place)?.base ?? 1;
  }

  #digit(name: readonly string[], place: number): number {
    const character = name[place];
    if (character === undefined) return 0;
    return this.#place(place)?.digitOf(character.codePointAt(0)!) ?? 0;
  }
}
