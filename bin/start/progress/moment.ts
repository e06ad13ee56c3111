/** What kind of moment it is: it decides the sign and the colour. */
export type MomentKind =
  | 'note'
  | 'killed'
  | 'stopped'
  | 'taken-over'
  | 'woken'
  | 'refused'
  | 'lost'
  | 'split'
  | 'done';

/** Something worth a line of its own. */
export interface Moment {
  readonly kind: MomentKind;
  /** Since the start, in milliseconds. */
  readonly atMs: number;
  readonly text: string;
}
