import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { type LocalS3, type StartS3Options, startS3 } from '../../../lib/local/index.js';

/** A bucket named `box` over a directory of its own, gone with the test. */
export interface TemporaryBucket extends AsyncDisposable {
  readonly directory: string;
  readonly s3: LocalS3;
  readonly client: S3Client;
  /** Writes files behind the endpoint's back, each with its key as content. */
  write(...keys: string[]): Promise<void>;
}

/** Starts an endpoint with one empty bucket, `box`. */
export async function temporaryBucket(options: Partial<StartS3Options> = {}): Promise<TemporaryBucket> {
  const outside = await mkdtemp(join(tmpdir(), 'leasehold-s3-'));
  const directory = join(outside, 'box');
  const s3 = await startS3({ buckets: { box: directory }, createBuckets: true, ...options });
  const client = new S3Client({ ...s3.clientConfig(), maxAttempts: 1 });
  return {
    directory,
    s3,
    client,
    write: async (...keys) => {
      for (const key of keys) {
        await mkdir(dirname(join(directory, key)), { recursive: true });
        await writeFile(join(directory, key), key);
      }
    },
    [Symbol.asyncDispose]: async () => {
      client.destroy();
      await s3.stop();
      await rm(outside, { recursive: true, force: true });
    },
  };
}
