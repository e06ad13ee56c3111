import {
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  PutObjectCommand,
  type PutObjectCommandInput,
  type PutObjectCommandOutput,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { quoted, StoreError, UsageError } from '../../errors/index.js';
import { checkOptions } from '../../lease/check-options.js';
import { orAborted } from '../../runtime/abort.js';
import { checkLease, type FencingToken } from '../fenced.js';

import { staleToken } from '../stale-token.js';

/** Where the token stands in an object's metadata. */
export const tokenMetadataKey = 'leasehold-token';

/** Writers that overtake each other this often in a row are not holders of a lock. */
const maxTries = 5;

/** How an object is asked for: whose bucket, who pays, under which key it is encrypted. */
const alsoForHead = [
  'ExpectedBucketOwner',
  'RequestPayer',
  'SSECustomerAlgorithm',
  'SSECustomerKey',
  'SSECustomerKeyMD5',
] as const;

/** The object as it is now. */
type Seen =
  | { readonly kind: 'object'; readonly etag: string | undefined; readonly token: number }
  | { readonly kind: 'nothing' }
  /** S3 says 403 instead of 404 to a role without `s3:ListBucket`, and for an object that it may not read. */
  | { readonly kind: 'hidden'; readonly error: unknown };

/**
 * Writes an object unless a newer holder has. S3 can't compare numbers, so this reads the token, compares, and puts
 * only what it compared with: `If-Match`, or `If-None-Match` for a new object.
 *
 * The role needs `s3:PutObject` and `s3:GetObject` on the objects; `s3:ListBucket` on the bucket is of use, but not needed:
 * without it S3 does not tell whether an object is there, and the first put finds out.
 *
 * S3's ETag is of the body alone. If a newer holder writes the very bytes that were there before, an older one that read
 * in between does not find out, and its write goes through: let the body say whose it is, by the token for one.
 *
 * @param given as for `PutObjectCommand`; `Body` must be one that can be sent again (a string or a buffer). An `IfMatch` or
 *   `IfNoneMatch` of its own must hold as well
 * @param options.signal ends it, whatever the client underneath waits for; the put may then still be carried out
 * @throws StaleTokenError with both tokens; nothing was written. UsageError before anything is sent for a token that is
 *   none, and for metadata of that name that is no token. StoreError when the object is there and its token can't be read. S3's own errors come through
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
 */
export async function guardedPutObject(
  s3: Pick<S3Client, 'send'>,
  lease: FencingToken,
  given: PutObjectCommandInput,
  options: { readonly signal?: AbortSignal } = {},
): Promise<PutObjectCommandOutput> {
  checkLease(lease);
  checkOptions('guardedPutObject', options, ['signal']);
  const { signal } = options;
  signal?.throwIfAborted();
  // As they are now: what the caller changes between the two requests plays no part.
  const input = { ...given, Metadata: ownMetadata(lease, given) };
  const holder = { name: lease.name, token: lease.token };
  const put = guardedPut(s3, holder, input, signal);
  // The SDK looks at its signal only once it has credentials, and those may hang.
  return signal ? orAborted(put, signal) : put;
}

async function guardedPut(
  s3: Pick<S3Client, 'send'>,
  lease: FencingToken,
  input: PutObjectCommandInput,
  signal: AbortSignal | undefined,
): Promise<PutObjectCommandOutput> {
  const send = { ...(signal && { abortSignal: signal }) };
  let hidden = false;
  for (let tries = 0; tries < maxTries; tries++) {
    const seen = await look(s3, lease, input, send);
    if (seen.kind === 'object' && seen.token > lease.token) throw staleToken(lease, seen.token, 's3');
    if (seen.kind === 'hidden' && hidden) throw unreadable(lease, input, seen.error);
    const Metadata = { ...input.Metadata, [tokenMetadataKey]: String(lease.token) };
    const unchanged = seen.kind === 'object' ? { IfMatch: seen.etag } : { IfNoneMatch: '*' };
    const own = ownCondition(input, seen);
    try {
      return await s3.send(new PutObjectCommand({ ...input, Metadata, ...unchanged, ...own }), send);
    } catch (error) {
      if (own || !overtaken(error)) throw error;
      // There is something after all: either it came this moment, and can be read now, or it may not be read.
      hidden = seen.kind === 'hidden';
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

async function look(
  s3: Pick<S3Client, 'send'>,
  lease: FencingToken,
  input: PutObjectCommandInput,
  send: { readonly abortSignal?: AbortSignal },
): Promise<Seen> {
  const also = Object.fromEntries(alsoForHead.map((field) => [field, input[field]]));
  const { Bucket, Key } = input;
  let head: HeadObjectCommandOutput;
  try {
    head = await s3.send(new HeadObjectCommand({ Bucket, Key, ...also }), send);
  } catch (error) {
    // An answer to HEAD has no body, so there is only its status to go by.
    const { name, $metadata } = error as Partial<S3ServiceException>;
    if (name === 'NotFound' || name === 'NoSuchKey') return { kind: 'nothing' };
    if ($metadata?.httpStatusCode === 403) return { kind: 'hidden', error };
    throw error;
  }
  // Without one it was written before there was a guard: any token is newer.
  const token = head.Metadata?.[tokenMetadataKey] ?? '0';
  if (!isToken(token)) throw foreignMetadata(lease, token, 'The object has');
  return { kind: 'object', etag: head.ETag, token: Number(token) };
}

/** The caller's metadata without our key, in whatever case: what was read along with an object brings its token. */
function ownMetadata(lease: FencingToken, { Metadata = {} }: PutObjectCommandInput): Record<string, string> {
  const isOurs = (key: string) => key.toLowerCase() === tokenMetadataKey;
  for (const [key, value] of Object.entries(Metadata)) {
    if (isOurs(key) && !isToken(value)) throw foreignMetadata(lease, value, 'The input has');
  }
  return Object.fromEntries(Object.entries(Metadata).filter(([key]) => !isOurs(key)));
}

function isToken(text: string): boolean {
  return /^\d+$/.test(text) && Number.isSafeInteger(Number(text));
}

function foreignMetadata(lease: FencingToken, value: string, what: string): UsageError {
  return new UsageError(
    `${what} metadata "${tokenMetadataKey}" that is no fencing token: ${quoted(value)}; the guard keeps its own there`,
    lease.name,
  );
}

/**
 * The caller's own condition, sent instead of ours where it says more: it lets only what was compared be overwritten.
 *
 * @throws what S3 would answer to an `IfMatch` that is not of the object as it is; nothing was sent, since the object may
 *   have become that one by then, and under a newer token
 */
function ownCondition(
  { IfMatch, IfNoneMatch, Bucket, Key }: PutObjectCommandInput,
  seen: Seen,
): Pick<PutObjectCommandInput, 'IfMatch' | 'IfNoneMatch'> | undefined {
  if (IfNoneMatch !== undefined) return { IfMatch: undefined, IfNoneMatch };
  if (IfMatch === undefined) return undefined;
  if (seen.kind === 'object' && bare(seen.etag) === bare(IfMatch)) return { IfMatch, IfNoneMatch: undefined };
  const is = seen.kind === 'object' ? seen.etag : 'not there, or may not be read';
  throw new S3ServiceException({
    name: 'PreconditionFailed',
    $fault: 'client',
    $metadata: { httpStatusCode: 412, attempts: 0 },
    message: `IfMatch ${IfMatch} is not of s3://${Bucket}/${Key} as it is (${is})`,
  });
}

const bare = (etag: string | undefined) => etag?.replaceAll('"', '');

function unreadable(lease: FencingToken, { Bucket, Key }: PutObjectCommandInput, cause: unknown): StoreError {
  return new StoreError(
    `s3://${Bucket}/${Key} is there, and its token can't be read: the role needs s3:GetObject besides s3:PutObject`,
    lease.name,
    { cause, retryable: false, mayHaveApplied: false },
  );
}

function overtaken(error: unknown): boolean {
  const names = ['PreconditionFailed', 'ConditionalRequestConflict', 'NoSuchKey'];
  return names.includes((error as Error).name);
}
