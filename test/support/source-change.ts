/** One change of a source file, by exact text. */
export interface SourceChange {
  /** From the root of the repository. */
  readonly file: string;
  /** Must stand there exactly once. */
  readonly find: string;
  readonly replace: string;
}

/**
 * Makes the changes of one file, one after the other.
 *
 * @throws Error when a text that is to be changed does not stand there exactly once
 */
export function toChanged(source: string, changes: readonly SourceChange[]): string {
  return changes.reduce((text, { file, find, replace }) => {
    const parts = text.split(find);
    if (parts.length !== 2) {
      throw new Error(`${file}: ${parts.length - 1} places where one is wanted: ${JSON.stringify(find)}`);
    }
    return parts.join(replace);
  }, source);
}
