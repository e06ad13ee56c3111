import { answered, refused, type StoreAnswer } from '../store/answers.js';
import { NotSimulated, orderOfText } from '../store/attribute-values.js';
import type { Random } from '../world/random.js';

// biome-ignore lint/suspicious/noExplicitAny: the inputs of the SDK's commands, told apart by the command's name
type AnyInput = any;

/** Buckets in memory: listings in UTF-8 order with `StartAfter` and groups, objects that are put and got. */
export class SimS3 {
  #keys: readonly string[];
  readonly #objects = new Map<string, string>();
  readonly #modified = new Date(0);
  readonly #random: Random | undefined;

  /**
   * @param keys of the bucket that is scanned
   * @param random draws listings that begin with an empty page and say that there is more. @default none do
   */
  constructor(keys: readonly string[], random?: Random) {
    this.#keys = [...keys].sort(orderOfText);
    this.#random = random;
  }

  /** Somebody puts an object while the scan runs. */
  add(key: string): void {
    if (!this.#keys.includes(key)) this.#keys = [...this.#keys, key].sort(orderOfText);
  }

  carryOut(operation: string, input: AnyInput): StoreAnswer {
    switch (operation) {
      case 'ListObjectsV2Command':
        return input.Delimiter === undefined ? this.#list(input) : this.#groups(input);
      case 'PutObjectCommand':
        this.#objects.set(`${input.Bucket}/${input.Key}`, input.Body);
        return answered({ ETag: '"etag"' });
      case 'GetObjectCommand': {
        const text = this.#objects.get(`${input.Bucket}/${input.Key}`);
        if (text === undefined) return refused('NoSuchKey', `there is no ${input.Key}`);
        return answered({ Body: { transformToString: async () => text } });
      }
      default:
        throw new NotSimulated(`the command ${operation}`);
    }
  }

  #list({ Prefix = '', StartAfter, MaxKeys = 1000, ContinuationToken }: AnyInput): StoreAnswer {
    const after: string | undefined = ContinuationToken?.slice(1) || StartAfter;
    // As behind many delete markers.
    if (ContinuationToken === undefined && this.#random?.chance(0.1)) {
      return answered({ EncodingType: 'url', IsTruncated: true, NextContinuationToken: `>${after ?? ''}` });
    }
    const start = after === undefined ? 0 : this.#firstAfter(after);
    // One more than fits tells whether there is more.
    const found: string[] = [];
    for (let index = start; index < this.#keys.length && found.length <= MaxKeys; index++) {
      const key = this.#keys[index]!;
      if (key.startsWith(Prefix)) found.push(key);
    }
    const page = found.slice(0, MaxKeys);
    const isTruncated = page.length < found.length;
    return answered({
      EncodingType: 'url',
      IsTruncated: isTruncated,
      ...(isTruncated && { NextContinuationToken: `>${page.at(-1)}` }),
      Contents: page.map((key) => ({
        Key: encodeURIComponent(key),
        Size: 1,
        LastModified: this.#modified,
        ETag: '"etag"',
      })),
    });
  }

  /** Where the first key above this one stands. */
  #firstAfter(after: string): number {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (orderOfText(this.#keys[middle]!, after) > 0) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #groups({ Prefix = '' }: AnyInput): StoreAnswer {
    const groups = new Set<string>();
    for (const key of this.#keys) {
      const end = key.startsWith(Prefix) ? key.indexOf('/', Prefix.length) : -1;
      if (end >= 0) groups.add(key.slice(0, end + 1));
    }
    const CommonPrefixes = [...groups].map((group) => ({ Prefix: encodeURIComponent(group) }));
    return answered({ EncodingType: 'url', IsTruncated: false, CommonPrefixes });
  }
}
