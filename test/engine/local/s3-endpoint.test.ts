import { closeSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { type S3Fault, startS3, walkDirectory } from '../../../lib/local/index.js';
import { descendants, listens, until } from '../../support/local/child-processes.js';
import { listAll } from '../../support/local/list-all.js';
import { temporaryBucket } from '../../support/local/temporary-bucket.js';
import { bySize } from '../../support/size.js';

const never = 3_600_000;

describe('the S3 endpoint', () => {
  it('counts its requests', async () => {
    await using bucket = await temporaryBucket();
    await bucket.client.send(new PutObjectCommand({ Bucket: 'box', Key: 'a', Body: '1' }));
    await bucket.client.send(new ListObjectsV2Command({ Bucket: 'box' }));
    await bucket.client.send(new ListObjectsV2Command({ Bucket: 'box' }));
    expect(bucket.s3.requests).toMatchObject({ put: 1, list: 2, get: 0, head: 0, delete: 0, total: 3 });
    bucket.s3.requests.reset();
    expect(bucket.s3.requests.total).toBe(0);
  });

  it('refuses to serve a directory that is not there', async () => {
    await expect(startS3({ buckets: { box: join(import.meta.dirname, 'none') } })).rejects.toThrow('none');
  });

  it('stops at once while requests hang and connections are open, and leaves no socket', async () => {
    const planned: S3Fault[] = ['ok', 'hang', { delayMs: never }];
    const before = await descendants();
    const bucket = await temporaryBucket({ faults: () => planned.shift() ?? 'ok' });
    const list = () => bucket.client.send(new ListObjectsV2Command({ Bucket: 'box' }));
    await list();
    const hung = [list().catch(() => {}), list().catch(() => {})];
    while (bucket.s3.requests.list < 3) await new Promise(setImmediate);
    await bucket[Symbol.asyncDispose]();
    await Promise.all(hung);
    expect(await listens(bucket.s3.endpoint)).toBe(false);
    await until(async () => !process.getActiveResourcesInfo().includes('TCPSocketWrap'));
    expect((await descendants()).filter((pid) => !before.includes(pid))).toEqual([]);
  });

  it('lets a reader go in the middle of a large object', async () => {
    await using bucket = await temporaryBucket();
    await writeFile(join(bucket.directory, 'large'), Buffer.alloc(20_000_000));
    const abort = new AbortController();
    const { Body } = await bucket.client.send(new GetObjectCommand({ Bucket: 'box', Key: 'large' }), {
      abortSignal: abort.signal,
    });
    (Body as unknown as { destroy(): void }).destroy();
    abort.abort();
    expect((await listAll(bucket.client)).keys).toEqual(['large']);
  });

  it('leaves no unfinished upload behind', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'leasehold-s3-'));
    const s3 = await startS3({ buckets: { box: directory } });
    const client = new S3Client(s3.clientConfig());
    await client.send(new PutObjectCommand({ Bucket: 'box', Key: 'a', Body: '1' }));
    expect((await listAll(client)).keys).toEqual(['a']);
    const counted = [];
    for await (const file of walkDirectory(directory)) counted.push(file);
    expect(counted).toEqual([{ key: 'a', size: 1 }]);
    client.destroy();
    await s3.stop();
    expect(await readdir(directory)).toEqual(['a']);
    await rm(directory, { recursive: true });
  });

  it.each([
    ['deny', { name: 'AccessDenied', $metadata: { httpStatusCode: 403 } }],
    ['slow-down', { name: 'SlowDown', $metadata: { httpStatusCode: 503 } }],
    ['internal-error', { name: 'InternalError', $metadata: { httpStatusCode: 500 } }],
    ['drop', { code: 'ECONNRESET' }],
  ] as const)('can %s a request', async (fault, error) => {
    await using bucket = await temporaryBucket({ faults: () => fault });
    const put = bucket.client.send(new PutObjectCommand({ Bucket: 'box', Key: 'a', Body: '1' }));
    await expect(put).rejects.toMatchObject(error);
    expect(await readdir(bucket.directory)).toEqual([]);
  });

  it('can lose an answer after it has acted', async () => {
    await using bucket = await temporaryBucket({
      faults: ({ operation }) => (operation === 'put' ? 'drop-answer' : 'ok'),
    });
    const put = bucket.client.send(new PutObjectCommand({ Bucket: 'box', Key: 'a', Body: '1' }));
    await expect(put).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect((await listAll(bucket.client)).keys).toEqual(['a']);
  });

  it('can ignore start-after, for some requests only', async () => {
    await using bucket = await temporaryBucket({
      faults: ({ query }) => (query.get('prefix') === 'a' ? 'ignore-start-after' : 'ok'),
    });
    await bucket.write('a1', 'a2');
    expect((await listAll(bucket.client, { Prefix: 'a', StartAfter: 'a1' })).keys).toEqual(['a1', 'a2']);
    expect((await listAll(bucket.client, { StartAfter: 'a1' })).keys).toEqual(['a2']);
  });
});

describe('a bucket of many files in one folder, in the long form a hundred thousand', () => {
  it('is listed whole, from any point', async () => {
    await using bucket = await temporaryBucket();
    // Of f5, f50 to f59, and so on.
    const { count, withFive } = bySize({
      short: { count: 3_000, withFive: 111 },
      long: { count: 100_000, withFive: 11_111 },
    });
    await mkdir(join(bucket.directory, 'flat'));
    for (let i = 0; i < count; i++) closeSync(openSync(join(bucket.directory, 'flat', `f${i}`), 'w'));
    const { keys, pages } = await listAll(bucket.client);
    expect(keys).toHaveLength(count);
    expect(pages).toBe(count / 1_000);
    let walked = 0;
    for await (const _ of walkDirectory(bucket.directory)) walked++;
    expect(walked).toBe(count);
    const from = await listAll(bucket.client, { StartAfter: 'flat/f5', Prefix: 'flat/f5', MaxKeys: 1_000 });
    expect(from.keys).toHaveLength(withFive - 1);
  });
});
