/** How a slice stands, as its workers tell it. */
export interface SliceProgress {
  readonly id: string;
  state: 'waiting' | 'working' | 'struck' | 'done' | 'quarantined';
  seat?: number;
  token?: number;
  /** Pages claimed. */
  pages: number;
  /** Objects of the pages that are done. */
  objects: number;
  takeovers: number;
}

/** What a seat is at, and in which process. */
export interface SeatProgress {
  readonly seat: number;
  state: 'starting' | 'looking' | 'working' | 'killed' | 'stopped' | 'done';
  pid?: number;
  slice?: string;
}

/** A slice that got a new holder although the one before had not given it back. */
export interface Takeover {
  readonly slice: string;
  readonly seat: number;
  readonly pid: number;
  readonly token: number;
  readonly previousToken: number | undefined;
  /** `retry`: a seat that was started again superseded its own lease. `expiry`: another's lease had run out. */
  readonly how: 'retry' | 'expiry';
}

/** A write under an old token that the store refused. */
export interface RefusedWrite {
  readonly slice: string;
  readonly pid: number;
  readonly token: number;
  readonly currentToken: number | undefined;
}
