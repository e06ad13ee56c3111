import {
  HeadObjectCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  type PutObjectCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { StoreError } from '../../errors/index.js';
import type { FencingToken } from '../fenced.js';
import { staleToken } from '../stale-token.js';

/** Where the token stands in an object's metadata. */
export const tokenMetadataKey = 'leasehold-token';

/** Writers that overtake each other this often in a row are not holders of a lock. */
const maxTries = 5;

/**
 * Writes an object unless a newer holder has. S3 can't compare numbers, so this reads the token, compares, and puts
 * only what it compared with: `If-Match`, or `If-None-Match` for a new object.
 *
 * S3's ETag is of the body alone. If a newer holder writes the very bytes that were there before, an older one that read
 * in between does not find out, and its write goes through: let the body say whose it is, by the token for one.
 *
 * @param input as for `PutObjectCommand`; `Body` must be one that can be sent again (a string or a buffer)
 * @throws StaleTokenError with both tokens; nothing was written. S3's own errors come through
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
 */
export async function guardedPutObject(
  s3: Pick<S3Client, 'send'>,
  lease: FencingToken,
  input: PutObjectCommandInput,
  options: { readonly signal?: AbortSignal } = {},
): Promise<PutObjectCommandOutput> {
  const send = { ...(options.signal && { abortSignal: options.signal }) };
  for (let tries = 0; tries < maxTries; tries++) {
    const seen = await tokenIn(s3, input, send);
    if (seen?.token !== undefined && seen.token > lease.token) throw staleToken(lease, seen.token, 's3');
    const Metadata = { ...input.Metadata, [tokenMetadataKey]: String(lease.token) };
    const unchanged = seen ? { IfMatch: seen.etag } : { IfNoneMatch: '*' };
    try {
      return await s3.send(new PutObjectCommand({ ...input, Metadata, ...unchanged }), send);
    } catch (error) {
      if (!overtaken(error)) throw error;
    }
  }
  throw new StoreError(
    `s3://${input.Bucket}/${input.Key} changed under every one of ${maxTries} tries`,
    lease.name,
    {
      retryable: true,
      mayHaveApplied: false,
    },
  );
}

async function tokenIn(
  s3: Pick<S3Client, 'send'>,
  { Bucket, Key }: PutObjectCommandInput,
  send: { readonly abortSignal?: AbortSignal },
): Promise<{ readonly etag: string | undefined; readonly token: number | undefined } | undefined> {
  try {
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key }), send);
    const token = Number(head.Metadata?.[tokenMetadataKey]);
    return { etag: head.ETag, token: Number.isFinite(token) ? token : undefined };
  } catch (error) {
    if (error instanceof Error && (error.name === 'NotFound' || error.name === 'NoSuchKey')) return undefined;
    throw error;
  }
}

function overtaken(error: unknown): boolean {
  const names = ['PreconditionFailed', 'ConditionalRequestConflict', 'NoSuchKey'];
  return error instanceof Error && names.includes(error.name);
}
