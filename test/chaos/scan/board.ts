import { readFile, rename, writeFile } from 'node:fs/promises';

/** What is to be done at the moment. */
export interface Notice {
  /** The scan to work on, if one is open. */
  readonly run?: string;
  /** Counts the times that it was put up: a seat that was done may be needed again. */
  readonly round?: number;
}

/** A file by which the driver tells its workers which scan is on: it waits for those that are stopped. */
export class Board {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Replaces the notice at once: nobody reads half of it. */
  async post(notice: Notice): Promise<void> {
    const draft = `${this.#path}.draft`;
    await writeFile(draft, JSON.stringify(notice));
    await rename(draft, this.#path);
  }

  async read(): Promise<Notice> {
    return JSON.parse(await readFile(this.#path, 'utf8')) as Notice;
  }
}
