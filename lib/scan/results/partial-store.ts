import { GetObjectCommand, type GetObjectCommandOutput, PutObjectCommand } from '@aws-sdk/client-s3';
import { UsageError } from '../../errors/index.js';
import { checkWholeNumber } from '../check-number.js';
import type { S3Sender } from '../listing/s3-requests.js';

/** A processor's result as an item has it: JSON text, or where the text lies. */
export type StoredPartial = string | { readonly s3: { readonly bucket: string; readonly key: string } };

/** Stored in the item up to this many bytes, unless the processor says otherwise. */
export const defaultInlineBytes = 400;

/** Without an output bucket the item takes this much, a quarter of what DynamoDB allows. */
const maxInlineBytes = 100_000;

/** Where large results go. */
export interface PartialPlace {
  readonly bucket: string;
  /** Carries the token, so that a superseded worker writes elsewhere. */
  readonly prefix: string;
}

/**
 * Keeps one slice's results: small ones in the item, large ones in the output bucket under a key with token and
 * progress, to which the item points. A large result costs one PUT a page, unless it did not change.
 */
export class PartialStore {
  readonly #requests: S3Sender;
  readonly #place: PartialPlace | undefined;
  readonly #inlineBytes: number;
  #last: { readonly text: string; readonly stored: StoredPartial } | undefined;

  constructor(requests: S3Sender, place: PartialPlace | undefined, inlineBytes = defaultInlineBytes) {
    this.#requests = requests;
    this.#place = place;
    checkWholeNumber('inlineBytes', inlineBytes, 0);
    this.#inlineBytes = Math.min(inlineBytes, maxInlineBytes);
  }

  /**
   * @param progress the number of the last page in it
   * @returns what the item gets
   * @throws UsageError when it is too large for the item and the run has no output bucket; StoreError
   */
  async store(partial: unknown, progress: number, signal?: AbortSignal): Promise<StoredPartial> {
    const text = JSON.stringify(partial ?? null);
    if (this.#last?.text === text) return this.#last.stored;
    const bytes = Buffer.byteLength(text);
    const stored = bytes <= this.#inlineBytes ? text : await this.#storeLarge(text, bytes, progress, signal);
    this.#last = { text, stored };
    return stored;
  }

  async #storeLarge(
    text: string,
    bytes: number,
    progress: number,
    signal?: AbortSignal,
  ): Promise<StoredPartial> {
    if (!this.#place) {
      if (bytes <= maxInlineBytes) return text;
      throw new UsageError(
        `A partial result of ${bytes} bytes does not fit into a slice's item (${maxInlineBytes}): ` +
          'plan the scan with an output bucket, or give the processor a compact()',
      );
    }
    const { bucket, prefix } = this.#place;
    const key = `${prefix}partial-${String(progress).padStart(8, '0')}.json`;
    const command = new PutObjectCommand({
      Bucket: bucket,
      Key: key,
      Body: text,
      ContentType: 'application/json',
    });
    await this.#requests.send(command, bucket, signal);
    return { s3: { bucket, key } };
  }
}

/**
 * Reads a result back.
 *
 * @throws StoreError, UsageError as {@link S3Sender.send}
 */
export async function loadPartial(
  requests: S3Sender,
  stored: StoredPartial,
  signal?: AbortSignal,
): Promise<unknown> {
  if (typeof stored === 'string') return JSON.parse(stored);
  const { bucket, key } = stored.s3;
  const command = new GetObjectCommand({ Bucket: bucket, Key: key });
  const answer = await requests.send<GetObjectCommandOutput>(command, bucket, signal);
  return JSON.parse((await answer.Body?.transformToString('utf8')) ?? 'null');
}
