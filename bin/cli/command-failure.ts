/** The command was understood and did not do what it was asked to: exit code 1 and one line. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  /** Stable, for programs. */
  readonly code: string;
  /** What else is known, for `--json`. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, data: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
