import { ListObjectsV2Command, type ListObjectsV2CommandInput, type S3Client } from '@aws-sdk/client-s3';
import { expect } from 'vitest';

/** What a listing of many pages came to, decoded. */
export interface Listed {
  readonly keys: string[];
  readonly commonPrefixes: string[];
  /** Both, in the order in which S3 sorts them. */
  readonly sizes: number[];
  readonly pages: number;
}

/** Lists to the end, checks each page's own claims, and decodes. */
export async function listAll(
  client: S3Client,
  input: Partial<ListObjectsV2CommandInput> = {},
): Promise<Listed> {
  const listed: Listed & { pages: number } = { keys: [], commonPrefixes: [], sizes: [], pages: 0 };
  let ContinuationToken: string | undefined;
  do {
    const page = await client.send(
      new ListObjectsV2Command({ Bucket: 'box', EncodingType: 'url', ...input, ContinuationToken }),
    );
    const contents = page.Contents ?? [];
    const groups = page.CommonPrefixes ?? [];
    expect(page.KeyCount).toBe(contents.length + groups.length);
    expect(page.KeyCount).toBeLessThanOrEqual(page.MaxKeys ?? 0);
    expect(Boolean(page.NextContinuationToken)).toBe(page.IsTruncated);
    if (page.IsTruncated) expect(page.KeyCount).toBe(page.MaxKeys);
    listed.keys.push(...contents.map(({ Key }) => decode(Key)));
    listed.sizes.push(...contents.map(({ Size }) => Size ?? -1));
    listed.commonPrefixes.push(...groups.map(({ Prefix }) => decode(Prefix)));
    listed.pages++;
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken);
  return listed;
}

/** Undoes `encoding-type=url`, by hand as every client of S3 has to. */
export function decode(text: string | undefined): string {
  return decodeURIComponent((text ?? '').replaceAll('+', ' '));
}

/** Order of S3, by the definition. */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
