/** What a history may show that must not be. */
export type ViolationKind =
  | 'two-holders'
  | 'too-many-holders'
  | 'token-order'
  | 'fence-order'
  | 'lost-update'
  | 'foreign-element'
  | 'scan-result'
  | 'no-splits'
  | 'line-order'
  | 'liveness'
  | 'unexplained'
  | 'worker-failed';

/** One violation, and what shows it. */
export interface Violation {
  readonly kind: ViolationKind;
  /** In words. */
  readonly what: string;
  /** Records of the history, each with the journal and line it was read from. */
  readonly evidence: readonly object[];
}
