/** What became of one thing that was looked at. */
export interface Finding {
  readonly what: string;
  readonly outcome: 'as expected' | 'NOT as expected' | 'left out';
  /** What came instead, or why it was left out. */
  readonly why?: string;
}

/** All that is looked at, in order, and what was measured. */
export class AcceptanceRecord {
  readonly findings: Finding[] = [];
  readonly measured: Record<string, number> = {};
  readonly #leftOut: ReadonlyMap<string, string>;
  readonly #tell: (line: string) => void;

  /** @param leftOut what can't be looked at here, by its name, with the reason */
  constructor(leftOut: ReadonlyMap<string, string>, tell: (line: string) => void) {
    this.#leftOut = leftOut;
    this.#tell = tell;
  }

  /** Looks at one thing. One that fails does not keep the others from being looked at; an abort does. */
  async look(what: string, look: () => Promise<void>, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const reason = this.#leftOut.get(what);
    if (reason !== undefined) return this.#add({ what, outcome: 'left out', why: reason });
    try {
      await look();
      this.#add({ what, outcome: 'as expected' });
    } catch (error) {
      signal.throwIfAborted();
      const { name, message } = error as Error;
      this.#add({ what, outcome: 'NOT as expected', why: `${name}: ${message}` });
    }
  }

  get failed(): readonly Finding[] {
    return this.findings.filter(({ outcome }) => outcome === 'NOT as expected');
  }

  #add(finding: Finding): void {
    this.findings.push(finding);
    this.#tell(`${finding.outcome}: ${finding.what}${finding.why ? ` (${finding.why})` : ''}`);
  }
}

/** @throws Error that says what came, unless it is so */
export function expect(isSo: boolean, what: string, came?: unknown): asserts isSo {
  if (!isSo) throw new Error(came === undefined ? what : `${what}, got ${JSON.stringify(came)}`);
}
