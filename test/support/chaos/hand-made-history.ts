import type { History } from '../../chaos/history/read-history.js';
import type { JournalRecord, Logged } from '../../chaos/history/records.js';

/** A history written by hand: each worker's records, as if from a journal of its own. */
export class HandMadeHistory {
  readonly #records: Logged[] = [];
  readonly #lines = new Map<string, number>();

  get history(): History {
    return [...this.#records].sort((a, b) => a.atMs - b.atMs);
  }

  /** A grant that was asked for at `askedAtMs` and told at `atMs`. Store time is the machine's. */
  granted(
    worker: string,
    name: string,
    token: number,
    [askedAtMs, atMs]: readonly [number, number],
    leaseId = `${worker}-${token}`,
  ): this {
    const about = { name, token, leaseId, owner: worker, adopted: false, latest: atMs };
    return this.#add(worker, { kind: 'granted', atMs, askedAtMs, ...about });
  }

  /** The worker asked its lease at `atMs` and was told that it holds. */
  held(worker: string, name: string, token: number, atMs: number, earliest = atMs): this {
    return this.#add(worker, { kind: 'held', atMs, name, token, earliest });
  }

  /** A write of an element that was begun and, unless `toMs` is absent, acknowledged. */
  added(
    worker: string,
    set: string,
    element: string,
    token: number,
    [fromMs, toMs]: readonly [number, number?],
  ): this {
    this.#add(worker, { kind: 'adding', atMs: fromMs, set, element, token });
    return toMs === undefined ? this : this.#add(worker, { kind: 'added', atMs: toMs, set, element, token });
  }

  split(worker: string, run: string, slice: string): this {
    return this.#add(worker, { kind: 'split', atMs: 0, run, slice });
  }

  unexpected(worker: string, error: string): this {
    return this.#add(worker, { kind: 'unexpected', atMs: 0, error, message: `${error}: by hand` });
  }

  #add(worker: string, record: JournalRecord): this {
    const line = (this.#lines.get(worker) ?? 0) + 1;
    this.#lines.set(worker, line);
    this.#records.push({ ...record, source: `${worker}.jsonl:${line}` });
    return this;
  }
}
