/** Lets pieces of work on one key follow each other, so that a condition still holds when its write lands. */
export class KeyLocks {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs the work when all earlier work on the key has ended. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    const tail = mine.catch(() => {});
    this.#tails.set(key, tail);
    try {
      return await mine;
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }
}
