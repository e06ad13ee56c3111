import { topCharacter } from '../../../lib/scan/keys/key-order.js';
import type { EventLoop } from '../../simulation/world/event-loop.js';
import { indexBehind, type SortedKeys } from './sorted-keys.js';

// biome-ignore lint/suspicious/noExplicitAny: the inputs of the SDK's commands, told apart by the command's name
type AnyCommand = any;

const maxGroups = 1_000;

/**
 * An S3 that answers listings out of sorted keys, each after a fixed time. An object's size is its number, from 1: the
 * sum of all that were handed out tells whether each was, once.
 */
export class FastS3 {
  readonly #keys: SortedKeys;
  readonly #loop: EventLoop;
  readonly #listMs: number;
  readonly #modified = new Date(0);
  /** List requests so far. */
  lists = 0;

  constructor(keys: SortedKeys, loop: EventLoop, listMs: number) {
    this.#keys = keys;
    this.#loop = loop;
    this.#listMs = listMs;
  }

  send(command: AnyCommand, options?: { readonly abortSignal?: AbortSignal }): Promise<AnyCommand> {
    if (command.constructor.name !== 'ListObjectsV2Command') {
      throw new Error(`not played here: ${command.constructor.name}`);
    }
    this.lists += 1;
    const { input } = command;
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        event.run = undefined;
        reject(options?.abortSignal?.reason);
      };
      const event = this.#loop.after(this.#listMs, () => {
        options?.abortSignal?.removeEventListener('abort', onAbort);
        resolve(input.Delimiter === undefined ? this.#list(input) : this.#groups(input));
      });
      options?.abortSignal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Keys are not URL-encoded, as of an S3 that does not know `EncodingType`: it would take half of the time. */
  #list({ Prefix = '', StartAfter, MaxKeys = 1_000 }: AnyCommand): AnyCommand {
    const start = indexBehind(this.#keys, StartAfter);
    const Contents: object[] = [];
    let index = start;
    for (; index < this.#keys.count && Contents.length < MaxKeys; index++) {
      const Key = this.#keys.keyAt(index);
      if (!Key.startsWith(Prefix)) throw new Error(`only whole buckets are played here, not "${Prefix}"`);
      Contents.push({ Key, Size: index + 1, LastModified: this.#modified, ETag: '' });
    }
    return { Contents, IsTruncated: index < this.#keys.count };
  }

  #groups({ Prefix = '' }: AnyCommand): AnyCommand {
    const CommonPrefixes: { Prefix: string }[] = [];
    let found = 0;
    for (let index = indexBehind(this.#keys, Prefix || undefined); index < this.#keys.count; ) {
      const key = this.#keys.keyAt(index);
      if (!key.startsWith(Prefix)) break;
      if (found++ === maxGroups) return { CommonPrefixes, IsTruncated: true };
      const end = key.indexOf('/', Prefix.length);
      if (end < 0) {
        index += 1;
        continue;
      }
      const group = key.slice(0, end + 1);
      CommonPrefixes.push({ Prefix: group });
      index = indexBehind(this.#keys, group + topCharacter);
    }
    return { CommonPrefixes, IsTruncated: false };
  }
}
