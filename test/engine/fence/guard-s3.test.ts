import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guardedPutObject } from '../../../lib/fence/s3/index.js';
import { type LocalS3, startS3 } from '../../../lib/local/index.js';

describe('the guard for S3 objects', () => {
  let directory: string;
  let endpoint: LocalS3;
  let s3: S3Client;
  const Bucket = 'reports';
  const older = { name: 'report', token: 7 };
  const newer = { name: 'report', token: 8 };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'leasehold-guard-'));
    endpoint = await startS3({ buckets: { [Bucket]: directory } });
    s3 = new S3Client(endpoint.clientConfig());
  });
  afterAll(async () => {
    s3?.destroy();
    await endpoint?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const content = (Key: string) => readFile(join(directory, Key), 'utf8');

  it('I3, C38: an older holder is refused with both tokens, and nothing is written', async () => {
    await guardedPutObject(s3, newer, { Bucket, Key: 'a.json', Body: 'newer' });
    const stale = guardedPutObject(s3, older, { Bucket, Key: 'a.json', Body: 'older' });
    await expect(stale).rejects.toMatchObject({ name: 'StaleTokenError', token: 7, currentToken: 8 });
    expect(await content('a.json')).toBe('newer');
  });

  it('one holder writes many times, a newer one after it', async () => {
    await guardedPutObject(s3, older, { Bucket, Key: 'b.json', Body: 'first' });
    await guardedPutObject(s3, older, { Bucket, Key: 'b.json', Body: 'second' });
    await guardedPutObject(s3, newer, { Bucket, Key: 'b.json', Body: 'third', Metadata: { mine: 'kept' } });
    expect(await content('b.json')).toBe('third');
    const { Metadata } = await s3.send(new GetObjectCommand({ Bucket, Key: 'b.json' }));
    expect(Metadata).toEqual({ mine: 'kept', 'leasehold-token': '8' });
  });

  it('an object without a token is taken over', async () => {
    await s3.send(new PutObjectCommand({ Bucket, Key: 'c.json', Body: 'before the guard' }));
    await guardedPutObject(s3, older, { Bucket, Key: 'c.json', Body: 'guarded' });
    expect(await content('c.json')).toBe('guarded');
  });

  it('I3: of many writers at once the newest token is what stays', async () => {
    const tokens = [3, 9, 1, 7, 5, 2, 8, 4, 6];
    const writes = tokens.map((token) =>
      guardedPutObject(s3, { name: 'race', token }, { Bucket, Key: 'race.json', Body: String(token) }),
    );
    await Promise.allSettled(writes);
    const Key = 'race.json';
    await guardedPutObject(s3, { name: 'race', token: 9 }, { Bucket, Key, Body: '9' }).catch(() => {});
    expect(await content(Key)).toBe('9');
  });

  it('a bucket that does not exist is S3’s own error', async () => {
    const write = guardedPutObject(s3, newer, { Bucket: 'missing', Key: 'x', Body: '' });
    await expect(write).rejects.toMatchObject({ name: expect.stringMatching(/NoSuchBucket/) });
  });
});
