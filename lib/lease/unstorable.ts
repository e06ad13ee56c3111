/**
 * What a checkpoint or a result may take of an item's 400 KB, in bytes. The rest is for the lease itself: names, owners and
 * groups of later holders, too, so that a lock can always be acquired and broken.
 */
export const maxStorableBytes = 384 * 1024;

/** Why a value can't be kept; the words are in `unstorable-words.ts`. */
export type Why =
  | 'type'
  | 'number'
  | 'zero'
  | 'text'
  | 'digits'
  | 'depth'
  | 'error'
  | 'empty'
  | 'set'
  | 'key'
  | 'proto'
  | 'read'
  | 'size';

/** A value that DynamoDB can't keep: at which place, and why. */
export class Unstorable {
  constructor(
    readonly path: string,
    readonly why: Why,
    readonly detail?: unknown,
  ) {}
}
