import { randomUUID } from 'node:crypto';
import { mkdir, realpath, rm, stat } from 'node:fs/promises';
import { FolderListings } from './key-walk.js';

/** Headers that a PUT gave an object. They belong to one version: the one with that ETag. */
export interface KeptHeaders {
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A bucket: a directory and what the endpoint knows about it beyond the files. */
export class Bucket {
  readonly listings = new FolderListings();
  readonly locks = new KeyLocks();
  /** By key. In memory: the served tree holds nothing but the objects. */
  readonly keptHeaders = new Map<string, KeptHeaders>();
  #uploads: Promise<string> | undefined;

  private constructor(
    readonly name: string,
    /** Real path of the directory. */
    readonly root: string,
  ) {}

  /**
   * Opens a directory as a bucket.
   *
   * @param create makes the directory if it is not there.
   * @throws Error when it is not there, or is no directory.
   */
  static async open(name: string, directory: string, create: boolean): Promise<Bucket> {
    if (create) await mkdir(directory, { recursive: true });
    const found = await stat(directory).catch(() => undefined);
    if (!found?.isDirectory()) throw new Error(`bucket ${name}: ${directory} is not a directory`);
    return new Bucket(name, await realpath(directory));
  }

  /** A new path for an upload, on the bucket's own file system so that a rename can publish it. */
  async uploadPath(): Promise<string> {
    this.#uploads ??= makeFolder(`${this.root}/.leasehold-uploads-${randomUUID()}`);
    return `${await this.#uploads}/${randomUUID()}`;
  }

  /** Removes what uploads left behind. */
  async close(): Promise<void> {
    const uploads = await this.#uploads?.catch(() => undefined);
    if (uploads) await rm(uploads, { recursive: true, force: true });
  }
}

async function makeFolder(path: string): Promise<string> {
  await mkdir(path);
  return path;
}

/** Lets pieces of work on one key follow each other, so that a condition still holds when its write lands. */
class KeyLocks {
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
