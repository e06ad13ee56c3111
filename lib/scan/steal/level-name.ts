import type { KeyShape } from './key-shape.js';

/** A cut goes so many places beyond the one at which it first differs. */
const finerPlaces = 2;

/** Places looked at behind the one that counts as the unit: those further on are too fine to matter. */
const placesBehind = 16;

/** A folder's or a file's name as a number, place by place, in the characters that stand at each. */
export class LevelName {
  readonly #name: readonly string[];
  readonly #level: number;
  readonly #shape: KeyShape;
  /** What one of each place is worth. */
  readonly #weights: readonly number[];

  /**
   * @param reference the place whose step is worth one
   */
  constructor(name: string, level: number, shape: KeyShape, reference?: number) {
    this.#name = [...name];
    this.#level = level;
    this.#shape = shape;
    const unit = reference ?? Math.max(0, this.#name.length - 1);
    const weights = new Array<number>(unit + placesBehind + 1).fill(1);
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

  /** A name so far ahead, cut short; `undefined` beyond the end of the level. */
  ahead(width: number): string | undefined {
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
      const at = this.#shape.place(this.#level, place);
      if (!at) break;
      name += at.characterOf(digits[place]!);
    }
    return name;
  }

  #base(place: number): number {
    return this.#shape.place(this.#level, place)?.base ?? 1;
  }

  #digit(name: readonly string[], place: number): number {
    const character = name[place];
    if (character === undefined) return 0;
    return this.#shape.place(this.#level, place)?.digitOf(character.codePointAt(0)!) ?? 0;
  }
}
