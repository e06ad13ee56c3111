/** What a guard needs to know of a lease; every `Lease` has it, and so has what `JSON` keeps of one. */
export interface FencingToken {
  /** The lock's name, for messages. */
  readonly name: string;
  /** The fencing token: larger than that of every lease granted under the name before. */
  readonly token: number;
}

/** How guarded data keeps the token. */
export interface FenceOptions {
  /** The attribute that holds the largest token seen. @default "fence" */
  readonly fenceAttribute?: string;
}

/** The attribute, unless told otherwise. */
export const defaultFenceAttribute = 'fence';
