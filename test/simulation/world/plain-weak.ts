/*
 * Stand in for the platform's `WeakMap` and `WeakSet` in the simulator's bundle: what is known of an object is a property
 * of it. It goes with the object all the same; the platform's tables are dear to the collector, which looks through them
 * each time, and every request and every lease has an entry.
 */

type Noted = Record<symbol, unknown>;

/** Of objects that take properties. */
class PlainWeakMap<Key extends object, Value> {
  readonly #mark = Symbol('known');

  get(key: Key): Value | undefined {
    return (key as Noted)[this.#mark] as Value | undefined;
  }

  has(key: Key): boolean {
    return (key as Noted)[this.#mark] !== undefined;
  }

  set(key: Key, value: Value): this {
    (key as Noted)[this.#mark] = value;
    return this;
  }

  delete(key: Key): boolean {
    const wasThere = this.has(key);
    (key as Noted)[this.#mark] = undefined;
    return wasThere;
  }
}

/** As {@link PlainWeakMap}. */
class PlainWeakSet<Key extends object> {
  readonly #known = new PlainWeakMap<Key, true>();

  has(key: Key): boolean {
    return this.#known.has(key);
  }

  add(key: Key): this {
    this.#known.set(key, true);
    return this;
  }

  delete(key: Key): boolean {
    return this.#known.delete(key);
  }
}

export { PlainWeakMap as WeakMap, PlainWeakSet as WeakSet };
