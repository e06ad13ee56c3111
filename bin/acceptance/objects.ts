import type { S3Client } from '@aws-sdk/client-s3';
import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';

/** What is scanned lies below it. */
export const objectPrefix = 'objects/';
const atOnce = 16;

/** Keys that are hard to order and to cut: deep, crowded, beyond ASCII. */
export function objectKeys(count: number): readonly string[] {
  const shapes = [
    (i: number) => `2026/11/${String(i % 30).padStart(2, '0')}/${i}.json`,
    (i: number) => `crowded/${'x'.repeat(60)}${i}`,
    (i: number) => `ünïcode/${String.fromCodePoint(0x1f600 + (i % 60))}/${i}`,
    (i: number) => `${i % 7}/a b+c&d=${i}`,
  ];
  return Array.from({ length: count }, (_, i) => objectPrefix + shapes[i % shapes.length]!(i));
}

/** Puts the objects, some at a time. */
export async function putObjects(s3: S3Client, bucket: string, keys: readonly string[], signal: AbortSignal) {
  await each(keys, async (Key) => {
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Key }), { abortSignal: signal });
  });
}

/** Every object of the bucket, listed plainly, page by page. */
export async function listPlainly(
  s3: S3Client,
  bucket: string,
  prefix = '',
): Promise<{ key: string; size: number }[]> {
  const found: { key: string; size: number }[] = [];
  let token: string | undefined;
  do {
    const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: token });
    const { Contents = [], NextContinuationToken } = await s3.send(command);
    found.push(...Contents.map(({ Key, Size }) => ({ key: Key!, size: Size ?? 0 })));
    token = NextContinuationToken;
  } while (token !== undefined);
  return found;
}

/** Removes all there is: a bucket that is not empty can't be deleted. */
export async function emptyBucket(s3: S3Client, bucket: string): Promise<void> {
  const keys = (await listPlainly(s3, bucket)).map(({ key }) => key);
  await each(keys, async (Key) => {
    await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
  });
}

async function each<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const hand = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: atOnce }, hand));
}
