/** What is done to a worker: it is killed, or it is stopped past its lease and then woken. */
export type StrikeKind = 'kill' | 'stop';

/** A blow that is planned: it falls on whoever claims this page of this slice. */
export interface PlannedStrike {
  readonly kind: StrikeKind;
  readonly slice: string;
  /** The page at which it falls, from 1; earlier if the slice turns out to end before. */
  readonly page: number;
}

/** A blow that fell, as the struck worker wrote it down in its last moment. */
export interface Strike extends PlannedStrike {
  readonly seat: number;
  readonly pid: number;
  readonly token: number;
}
