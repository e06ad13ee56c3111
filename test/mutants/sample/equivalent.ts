/** A survivor that changes nothing that anybody could see. */
export interface Equivalent {
  readonly file: string;
  /** The line with the change made, without the spaces around it. */
  readonly line: string;
  readonly reason: string;
}

/** Each was looked at, and its reason is a sentence that can be checked. */
export const equivalents: readonly Equivalent[] = [];
