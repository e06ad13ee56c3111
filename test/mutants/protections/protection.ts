/** A protection of the code, and the test that must fail when it is taken out. */
export interface Protection {
  /** Short and unique: `--only` names it. */
  readonly id: string;
  /** What it protects from, in one phrase. */
  readonly what: string;
  /** The source file, from the repository's root. */
  readonly file: string;
  /** The exact text to take out; it must stand in the file once. */
  readonly find: string;
  /** What stands there instead; the file must still be loaded. */
  readonly replace: string;
  readonly test: {
    /** From the repository's root. */
    readonly file: string;
    /** The test's own title, without its suites'. */
    readonly name: string;
  };
}
