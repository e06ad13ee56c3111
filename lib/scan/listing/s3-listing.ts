import { ListObjectsV2Command, type ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';
import { UsageError } from '../../errors/index.js';
import { compareKeys } from '../keys/key-order.js';
import type { ScanObject } from '../results/processor.js';
import type { S3Sender } from './s3-requests.js';

/** Many delete markers make empty pages; more than these in a row are no listing that comes to an end. */
const maxEmptyPages = 1_000;

/** The prefix that is scanned. */
export interface ListingTarget {
  readonly bucket: string;
  /** The user's own, in every request. */
  readonly prefix: string;
  /** Whoever lists pays: such a bucket refuses requests that do not say so. */
  readonly requesterPays?: boolean;
}

/** One page of a listing. */
export interface ListedPage {
  readonly objects: readonly ScanObject[];
  /** Whether S3 has more behind it. */
  readonly truncated: boolean;
}

/** What one page is asked for. */
export interface PageRequest {
  /** The listing begins behind this key; absent: at the very first. */
  readonly after: string | undefined;
  /** 1 to 1,000. */
  readonly pageSize: number;
}

/**
 * Lists one page: one `ListObjectsV2`.
 *
 * Keys come URL-encoded and are decoded here, since the SDK's XML reader mangles some characters. `StartAfter` is
 * sent only where there is a bound: an empty one would be wrong for a key equal to the prefix.
 *
 * @throws UsageError for an S3 whose listing can't be cut: it ignores `StartAfter`, or is out of order;
 *   what {@link S3Sender.send} throws
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
 */
export async function listPage(
  requests: S3Sender,
  target: ListingTarget,
  request: PageRequest,
  signal?: AbortSignal,
): Promise<ListedPage> {
  let continuation: string | undefined;
  const tokens = new Set<string>();
  for (let empty = 0; empty <= maxEmptyPages; empty++) {
    const answer = await requests.send<ListObjectsV2CommandOutput>(
      new ListObjectsV2Command({
        Bucket: target.bucket,
        Prefix: target.prefix,
        EncodingType: 'url',
        MaxKeys: request.pageSize,
        StartAfter: request.after,
        ContinuationToken: continuation,
        ...payer(target),
      }),
      target.bucket,
      signal,
    );
    const toKey = keyReader(answer, target);
    const objects = (answer.Contents ?? []).map((listed) => parseScanObject(listed, toKey));
    checkListing(objects, target, request.after);
    // Some S3 leave `IsTruncated` out: a way to more keys says the same.
    const truncated = answer.IsTruncated === true || Boolean(answer.NextContinuationToken);
    if (objects.length > 0 || !truncated) return { objects, truncated };
    // S3 may answer with an empty page in the middle (many delete markers): there is no key to go on from.
    continuation = answer.NextContinuationToken;
    if (!continuation)
      throw unusable(target, 'it promises more keys behind an empty page, but no way to them');
    if (tokens.has(continuation)) {
      throw unusable(target, 'behind an empty page it answers with a token that it gave before');
    }
    tokens.add(continuation);
  }
  throw unusable(target, `it answers with more than ${maxEmptyPages} empty pages in a row`);
}

function payer({ requesterPays }: ListingTarget): { readonly RequestPayer?: 'requester' } {
  return requesterPays ? { RequestPayer: 'requester' } : {};
}

/** The first key behind another, or `undefined` if there is none: a probe, one request. */
export async function firstKeyAfter(
  requests: S3Sender,
  target: ListingTarget,
  after: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const page = await listPage(requests, target, { after, pageSize: 1 }, signal);
  return page.objects[0]?.key;
}

/**
 * The folders in a folder: groups of its keys, up to the next `/`. One request, of one try and `timeoutMs`.
 *
 * @param target with the folder as its prefix
 * @returns in key order; `undefined` if they do not fit into one answer: the first thousand say nothing of the rest
 */
export async function foldersIn(
  requests: S3Sender,
  target: ListingTarget,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<readonly string[] | undefined> {
  const answer = await requests.send<ListObjectsV2CommandOutput>(
    new ListObjectsV2Command({
      Bucket: target.bucket,
      Prefix: target.prefix,
      EncodingType: 'url',
      Delimiter: '/',
      ...payer(target),
    }),
    target.bucket,
    signal,
    timeoutMs,
    1,
  );
  const toKey = keyReader(answer, target);
  if (answer.IsTruncated || answer.NextContinuationToken) return undefined;
  return (answer.CommonPrefixes ?? []).map((group) => toKey(group.Prefix));
}

/** A key as `EncodingType: url` writes it: `+` is a space, everything else is percent-encoded UTF-8. */
export function decodedKey(encoded: string): string {
  return decodeURIComponent(encoded.replaceAll('+', ' '));
}

type KeyReader = (listed: string | undefined) => string;

/** An S3 that does not know `EncodingType` says so by not naming it in its answer. */
function keyReader(answer: ListObjectsV2CommandOutput, target: ListingTarget): KeyReader {
  if (answer.EncodingType !== 'url') return (listed) => listed ?? '';
  return (listed) => {
    try {
      return decodedKey(listed ?? '');
    } catch {
      throw unusable(target, `a key is not UTF-8: ${listed}`);
    }
  };
}

function parseScanObject(
  listed: NonNullable<ListObjectsV2CommandOutput['Contents']>[number],
  toKey: KeyReader,
): ScanObject {
  return {
    key: toKey(listed.Key),
    size: listed.Size ?? 0,
    lastModifiedMs: listed.LastModified?.getTime() ?? 0,
    storageClass: listed.StorageClass ?? 'STANDARD',
    etag: listed.ETag ?? '',
  };
}

/** Slices rest on the order of the listing: an S3 that does not keep it is refused, not scanned wrongly. */
function checkListing(
  objects: readonly ScanObject[],
  target: ListingTarget,
  after: string | undefined,
): void {
  let before = after;
  for (const { key } of objects) {
    if (!key.startsWith(target.prefix)) {
      throw unusable(target, `a listing of the prefix "${target.prefix}" holds the key "${key}"`);
    }
    if (before !== undefined && compareKeys(key, before) <= 0) {
      throw unusable(
        target,
        before === after
          ? `it ignores StartAfter: behind "${after}" it lists "${key}"`
          : `its listing is not in UTF-8 order: "${key}" comes behind "${before}"`,
      );
    }
    before = key;
  }
}

function unusable(target: ListingTarget, why: string): UsageError {
  return new UsageError(`The S3 of bucket "${target.bucket}" can't be scanned in slices: ${why}`);
}
