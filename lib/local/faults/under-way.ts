/** Requests that faults send on their own, long after their caller has gone on. */
export class UnderWay {
  readonly #work = new Set<Promise<void>>();
  readonly #cancelled = new AbortController();

  /** @param limitMs bound for each piece of work, whatever its engine does. */
  constructor(private readonly limitMs: number) {}

  /** Begins a piece of work. Its failure is nobody's: whoever sent it is not there any more. */
  add(work: (signal: AbortSignal) => Promise<void>): void {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), this.limitMs);
    const running = work(AbortSignal.any([limit.signal, this.#cancelled.signal]))
      .catch(() => {})
      .finally(() => {
        clearTimeout(timer);
        this.#work.delete(running);
      });
    this.#work.add(running);
  }

  /** Resolves when nothing is under way, also nothing that began meanwhile. */
  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  /** Ends what is under way and waits for it. */
  async cancel(): Promise<void> {
    this.#cancelled.abort();
    await this.settled();
  }
}
