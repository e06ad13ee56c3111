import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type PutObjectCommandInput,
} from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { oddNames } from '../../support/local/odd-names.js';
import { type TemporaryBucket, temporaryBucket } from '../../support/local/temporary-bucket.js';

describe('an object', () => {
  let bucket: TemporaryBucket;

  beforeEach(async () => {
    bucket = await temporaryBucket();
  });

  afterEach(() => bucket[Symbol.asyncDispose]());

  const put = (Key: string, Body: PutObjectCommandInput['Body'], more: object = {}) =>
    bucket.client.send(new PutObjectCommand({ Bucket: 'box', Key, Body, ...more }));
  const get = (Key: string, more: object = {}) =>
    bucket.client.send(new GetObjectCommand({ Bucket: 'box', Key, ...more }));
  const head = (Key: string) => bucket.client.send(new HeadObjectCommand({ Bucket: 'box', Key }));
  const remove = (Key: string, more: object = {}) =>
    bucket.client.send(new DeleteObjectCommand({ Bucket: 'box', Key, ...more }));
  const read = async (Key: string, more: object = {}) =>
    (await (await get(Key, more)).Body?.transformToString()) ?? '';

  it.each(oddNames)('named %j goes in and comes out exactly', async (name) => {
    await put(name, `content of ${name}`);
    expect(await readFile(join(bucket.directory, name), 'utf8')).toBe(`content of ${name}`);
    expect(await read(name)).toBe(`content of ${name}`);
    expect((await head(name)).ContentLength).toBe(Buffer.byteLength(`content of ${name}`));
    await remove(name);
    await expect(get(name)).rejects.toMatchObject({ name: 'NoSuchKey' });
    expect((await readdir(bucket.directory)).filter((one) => !one.startsWith('.leasehold'))).toEqual([]);
  });

  it('has one ETag in put, head, get and listing, and another one after it was replaced', async () => {
    const { ETag } = await put('key', 'one');
    expect(ETag).toMatch(/^"[0-9a-f]{32}"$/);
    expect((await head('key')).ETag).toBe(ETag);
    expect((await get('key')).ETag).toBe(ETag);
    const { Contents } = await bucket.client.send(new ListObjectsV2Command({ Bucket: 'box' }));
    expect(Contents?.[0]?.ETag).toBe(ETag);
    expect((await put('key', 'two')).ETag).not.toBe(ETag);
  });

  it('keeps its metadata and content type until somebody else writes the file', async () => {
    await put('key', '{}', { ContentType: 'application/json', Metadata: { token: '42' } });
    expect(await head('key')).toMatchObject({ ContentType: 'application/json', Metadata: { token: '42' } });
    expect(await get('key')).toMatchObject({ Metadata: { token: '42' } });
    await writeFile(join(bucket.directory, 'key'), 'by hand');
    expect((await head('key')).Metadata).toEqual({});
  });

  it.each([0, 1, 65_536, 3_000_000])(
    'of %i bytes arrives whole from a buffer and from a stream',
    async (size) => {
      const content = Buffer.from(Uint8Array.from({ length: size }, (_, i) => (i * 31 + (i >> 8)) & 0xff));
      await put('buffer', content);
      const pieces = Readable.from(
        size === 0 ? [] : [content.subarray(0, size >> 1), content.subarray(size >> 1)],
      );
      await put('stream', pieces, { ContentLength: size });
      for (const key of ['buffer', 'stream']) {
        expect((await readFile(join(bucket.directory, key))).equals(content)).toBe(true);
        const back = await (await get(key)).Body?.transformToByteArray();
        expect(Buffer.from(back ?? []).equals(content)).toBe(true);
      }
    },
  );

  it('is found only while it is there', async () => {
    await expect(get('none')).rejects.toMatchObject({ name: 'NoSuchKey' });
    await expect(head('none')).rejects.toMatchObject({ name: 'NotFound' });
    await remove('none');
    await bucket.write('folder/file');
    await expect(get('folder')).rejects.toMatchObject({ name: 'NoSuchKey' });
    await expect(get('folder/file/below')).rejects.toMatchObject({ name: 'NoSuchKey' });
  });

  it('takes empty folders along when it is deleted, and leaves others', async () => {
    await put('a/b/c/1', 'x');
    await put('a/2', 'x');
    await remove('a/b/c/1');
    expect(await readdir(join(bucket.directory, 'a'))).toEqual(['2']);
    await remove('a/2');
    await expect(lstat(join(bucket.directory, 'a'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await lstat(bucket.directory)).isDirectory()).toBe(true);
  });

  it('is written only once under If-None-Match, by exactly one of many', async () => {
    const writers = Array.from({ length: 10 }, (_, i) => put('once', String(i), { IfNoneMatch: '*' }));
    const outcomes = await Promise.allSettled(writers);
    const winners = outcomes.flatMap(({ status }, i) => (status === 'fulfilled' ? [String(i)] : []));
    expect(winners).toHaveLength(1);
    expect(await read('once')).toBe(winners[0]);
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue;
      expect(outcome.reason).toMatchObject({
        name: 'PreconditionFailed',
        $metadata: { httpStatusCode: 412 },
      });
    }
  });

  it('is replaced under If-Match only while it is the one named', async () => {
    const { ETag } = await put('key', 'one');
    const outcomes = await Promise.allSettled([
      put('key', 'two', { IfMatch: ETag }),
      put('key', 'three', { IfMatch: ETag }),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(put('none', 'x', { IfMatch: ETag })).rejects.toMatchObject({ name: 'NoSuchKey' });
    await expect(remove('key', { IfMatch: ETag })).rejects.toMatchObject({ name: 'PreconditionFailed' });
  });

  it('is read only as If-Match and If-None-Match want it', async () => {
    const { ETag } = await put('key', 'one');
    expect(await read('key', { IfMatch: ETag })).toBe('one');
    await expect(get('key', { IfMatch: '"other"' })).rejects.toMatchObject({ name: 'PreconditionFailed' });
    await expect(get('key', { IfNoneMatch: ETag })).rejects.toMatchObject({
      $metadata: { httpStatusCode: 304 },
    });
  });

  it.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=5-500', '56789', 'bytes 5-9/10'],
    ['bytes=0-1,4-5', '0123456789', undefined],
    ['lines=1-2', '0123456789', undefined],
  ])('is read in the range %s', async (Range, content, contentRange) => {
    await put('key', '0123456789');
    const answer = await get('key', { Range });
    expect(await answer.Body?.transformToString()).toBe(content);
    expect(answer.ContentRange).toBe(contentRange);
  });

  it('refuses a range outside of it', async () => {
    await put('key', '0123456789');
    await expect(get('key', { Range: 'bytes=10-' })).rejects.toMatchObject({ name: 'InvalidRange' });
  });

  it.each(['../outside', 'a/../../outside', 'a//b', 'a/', '.', 'a/./b', 'nul\0'])(
    'can not have the key %j',
    async (key) => {
      await expect(put(key, 'x')).rejects.toMatchObject({ name: 'InvalidArgument' });
      await expect(get(key)).rejects.toMatchObject({ name: 'NoSuchKey' });
      expect(await readdir(join(bucket.directory, '..'))).toEqual(['box']);
    },
  );

  it('is not reached by a path that no client would send', async () => {
    await writeFile(join(bucket.directory, '..', 'secret'), 'secret');
    for (const path of [
      '/box/../secret',
      '/box/%2e%2e/secret',
      '/box/..%2fsecret',
      '/box//etc/passwd',
      '/box/%ff',
    ]) {
      expect(await rawStatus(bucket.s3.endpoint, path)).toBeGreaterThanOrEqual(400);
    }
  });

  it('is not reached over a link', async () => {
    await mkdir(join(bucket.directory, '..', 'elsewhere'));
    await writeFile(join(bucket.directory, '..', 'elsewhere', 'secret'), 'secret');
    await symlink('../elsewhere', join(bucket.directory, 'link'));
    await symlink('../elsewhere/secret', join(bucket.directory, 'secret'));
    await expect(get('link/secret')).rejects.toMatchObject({ name: 'NoSuchKey' });
    await expect(get('secret')).rejects.toMatchObject({ name: 'NoSuchKey' });
    await expect(put('link/new', 'x')).rejects.toMatchObject({ name: 'InvalidArgument' });
    await expect(put('link/folder/new', 'x')).rejects.toMatchObject({ name: 'InvalidArgument' });
    await remove('link/secret');
    expect(await readdir(join(bucket.directory, '..', 'elsewhere'))).toEqual(['secret']);
  });

  it('can not lie where a folder or a file of another key is, nor under a name too long', async () => {
    await put('a/b', 'x');
    await expect(put('a', 'x')).rejects.toMatchObject({ name: 'InvalidArgument' });
    await expect(put('a/b/c', 'x')).rejects.toMatchObject({ name: 'InvalidArgument' });
    await expect(put('x'.repeat(300), 'x')).rejects.toMatchObject({ name: 'KeyTooLongError' });
  });

  it('survives deletes of its neighbours while it is written', async () => {
    for (let i = 0; i < 30; i++) {
      await put('folder/old', 'x');
      await Promise.all([remove('folder/old'), put('folder/new', String(i))]);
      expect(await read('folder/new')).toBe(String(i));
      await remove('folder/new');
    }
  });

  it('lies in a bucket that answers, or in none', async () => {
    await bucket.client.send(new HeadBucketCommand({ Bucket: 'box' }));
    await expect(bucket.client.send(new HeadBucketCommand({ Bucket: 'none' }))).rejects.toMatchObject({
      name: 'NotFound',
    });
    await expect(put('key', 'x', { Bucket: 'none' })).rejects.toMatchObject({ name: 'NoSuchBucket' });
  });
});

function rawStatus(endpoint: string, path: string): Promise<number> {
  const { hostname, port } = new URL(endpoint);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.once('error', reject).end();
  });
}
