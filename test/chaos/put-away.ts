/** What is to be put away in the end, in the reverse of the order of making (`AsyncDisposableStack`, which Node 20 lacks). */
export class PutAway implements AsyncDisposable {
  readonly #acts: (() => Promise<unknown>)[] = [];

  /** Answers the thing itself. */
  use<Thing extends AsyncDisposable>(thing: Thing): Thing {
    this.later(() => Promise.resolve(thing[Symbol.asyncDispose]()));
    return thing;
  }

  later(act: () => Promise<unknown>): void {
    this.#acts.push(act);
  }

  /** All of it is done, also when a part fails; the first error is thrown afterwards. */
  async [Symbol.asyncDispose](): Promise<void> {
    const errors: unknown[] = [];
    for (const act of this.#acts.reverse()) await act().catch((error) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }
}
