import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decode, listAll } from '../../support/local/list-all.js';
import { type TemporaryBucket, temporaryBucket } from '../../support/local/temporary-bucket.js';

describe('a listing', () => {
  let bucket: TemporaryBucket;

  beforeEach(async () => {
    bucket = await temporaryBucket();
  });

  afterEach(() => bucket[Symbol.asyncDispose]());

  const list = (input: object) => bucket.client.send(new ListObjectsV2Command({ Bucket: 'box', ...input }));

  it('of nothing is empty and whole', async () => {
    expect(await list({})).toMatchObject({ KeyCount: 0, IsTruncated: false, MaxKeys: 1000 });
  });

  it('follows the bytes of whole keys, where folders sort as if they ended in a slash', async () => {
    await bucket.write('a/b', 'a-b', 'a.b', 'a0', 'B', '\u{1f600}', '\uffee', 'a/b.c/d', 'a/b-c');
    const { keys } = await listAll(bucket.client);
    expect(keys).toEqual(['B', 'a-b', 'a.b', 'a/b', 'a/b-c', 'a/b.c/d', 'a0', '\uffee', '\u{1f600}']);
  });

  it('tells size, ETag, date and storage class', async () => {
    await bucket.write('key');
    const { Contents } = await list({});
    expect(Contents).toHaveLength(1);
    expect(Contents?.[0]).toMatchObject({ Key: 'key', Size: 3, StorageClass: 'STANDARD' });
    expect(Contents?.[0]?.ETag).toMatch(/^"[0-9a-f]{32}"$/);
    expect(Contents?.[0]?.LastModified).toBeInstanceOf(Date);
  });

  it('begins behind start-after, be it a key, a folder, or nothing that exists', async () => {
    await bucket.write('a', 'b/1', 'b/2', 'c');
    const keysAfter = async (StartAfter: string) => (await listAll(bucket.client, { StartAfter })).keys;
    expect(await keysAfter('a')).toEqual(['b/1', 'b/2', 'c']);
    expect(await keysAfter('b/1')).toEqual(['b/2', 'c']);
    expect(await keysAfter('b/')).toEqual(['b/1', 'b/2', 'c']);
    expect(await keysAfter('b')).toEqual(['b/1', 'b/2', 'c']);
    expect(await keysAfter('b/1\u0000')).toEqual(['b/2', 'c']);
    expect(await keysAfter('b0')).toEqual(['c']);
    expect(await keysAfter('a/x/y')).toEqual(['b/1', 'b/2', 'c']);
    expect(await keysAfter('c')).toEqual([]);
  });

  it('has what was put and deleted since the last one, also where the file system’s clock stands still', async () => {
    await bucket.write('a/1');
    const folder = join(bucket.directory, 'a');
    const keysAt = async () => {
      await utimes(folder, 1_700_000_000, 1_700_000_000);
      return (await listAll(bucket.client)).keys;
    };
    expect(await keysAt()).toEqual(['a/1']);
    await bucket.client.send(new PutObjectCommand({ Bucket: 'box', Key: 'a/2', Body: 'x' }));
    expect(await keysAt()).toEqual(['a/1', 'a/2']);
    await bucket.client.send(new DeleteObjectCommand({ Bucket: 'box', Key: 'a/1' }));
    expect(await keysAt()).toEqual(['a/2']);
  });

  it('keeps to its prefix, which need not end at a slash', async () => {
    await bucket.write('ab', 'abc/1', 'abd', 'ac', 'b');
    expect((await listAll(bucket.client, { Prefix: 'ab' })).keys).toEqual(['ab', 'abc/1', 'abd']);
    expect((await listAll(bucket.client, { Prefix: 'abc/' })).keys).toEqual(['abc/1']);
    expect((await listAll(bucket.client, { Prefix: 'ab', StartAfter: 'ab' })).keys).toEqual(['abc/1', 'abd']);
    expect((await listAll(bucket.client, { Prefix: 'ab', StartAfter: 'a' })).keys).toHaveLength(3);
    expect((await listAll(bucket.client, { Prefix: 'ab', StartAfter: 'b' })).keys).toEqual([]);
  });

  it('groups by a delimiter, over pages of every size', async () => {
    await bucket.write('a/1', 'a/2', 'a-1', 'b', 'c/d/1', 'c/d/2', 'c/e');
    for (const MaxKeys of [1, 2, 3, 1000]) {
      expect(await listAll(bucket.client, { Delimiter: '/', MaxKeys })).toMatchObject({
        keys: ['a-1', 'b'],
        commonPrefixes: ['a/', 'c/'],
      });
      expect(await listAll(bucket.client, { Delimiter: '-', MaxKeys })).toMatchObject({
        keys: ['a/1', 'a/2', 'b', 'c/d/1', 'c/d/2', 'c/e'],
        commonPrefixes: ['a-'],
      });
    }
    expect(await listAll(bucket.client, { Delimiter: '/', Prefix: 'c/' })).toMatchObject({
      keys: ['c/e'],
      commonPrefixes: ['c/d/'],
    });
  });

  it('leaves out a common prefix that is not greater than start-after', async () => {
    await bucket.write('a/1', 'a/2', 'b/1');
    const { commonPrefixes } = await listAll(bucket.client, { Delimiter: '/', StartAfter: 'a/1' });
    expect(commonPrefixes).toEqual(['b/']);
  });

  it('passes over links, empty folders and whatever is no file', async () => {
    await bucket.write('file');
    await mkdir(join(bucket.directory, 'empty', 'too'), { recursive: true });
    await symlink(join(bucket.directory, '..'), join(bucket.directory, 'link-to-folder'));
    await symlink(join(bucket.directory, 'file'), join(bucket.directory, 'link-to-file'));
    expect((await listAll(bucket.client)).keys).toEqual(['file']);
    expect((await listAll(bucket.client, { Delimiter: '/' })).commonPrefixes).toEqual([]);
  });

  it('passes over a name that is not UTF-8', async () => {
    await bucket.write('a', 'z');
    const path = Buffer.concat([Buffer.from(`${bucket.directory}/m`), Buffer.from([0xff, 0xfe])]);
    await writeFile(path, '');
    for (const MaxKeys of [1, 2, 3])
      expect((await listAll(bucket.client, { MaxKeys })).keys).toEqual(['a', 'z']);
  });

  it('sees at once what others write and remove', async () => {
    for (let i = 0; i < 20; i++) {
      await bucket.write(`folder/${i}`);
      expect((await listAll(bucket.client)).keys).toHaveLength(1);
      await rm(join(bucket.directory, 'folder', String(i)));
      expect((await listAll(bucket.client)).keys).toEqual([]);
    }
  });

  it('sees what others write into a folder that it remembers', async () => {
    await bucket.write('folder/a');
    const folder = join(bucket.directory, 'folder');
    for (const name of ['b', 'c', 'd']) {
      // Old enough to be remembered.
      await utimes(folder, 1_000, 1_000);
      const before = (await listAll(bucket.client)).keys;
      expect((await listAll(bucket.client)).keys).toEqual(before);
      await bucket.write(`folder/${name}`);
      expect((await listAll(bucket.client)).keys).toEqual([...before, `folder/${name}`]);
    }
  });

  it('goes on behind its last key even if that is gone', async () => {
    await bucket.write('a', 'b', 'c');
    const first = await list({ MaxKeys: 1 });
    await rm(join(bucket.directory, 'a'));
    const next = await list({ MaxKeys: 1, ContinuationToken: first.NextContinuationToken });
    expect(next.Contents?.[0]?.Key).toBe('b');
  });

  it('encodes every name in it when asked to', async () => {
    await bucket.write('a b/+/x', 'a b/1');
    const page = await list({ EncodingType: 'url', Prefix: 'a b/', Delimiter: '/', StartAfter: 'a ' });
    expect(page).toMatchObject({
      EncodingType: 'url',
      Prefix: 'a+b/',
      Delimiter: '/',
      StartAfter: 'a+',
      CommonPrefixes: [{ Prefix: 'a+b/%2B/' }],
      Contents: [{ Key: 'a+b/1' }],
    });
    expect(decode(page.CommonPrefixes?.[0]?.Prefix)).toBe('a b/+/');
  });

  it('is cut at max-keys, also at none, and at a thousand whatever is asked', async () => {
    await bucket.write(...Array.from({ length: 1_001 }, (_, i) => `key-${i}`));
    expect(await list({ MaxKeys: 0 })).toMatchObject({ KeyCount: 0, IsTruncated: false });
    expect(await list({ MaxKeys: 5_000 })).toMatchObject({
      KeyCount: 1_000,
      IsTruncated: true,
      MaxKeys: 1_000,
    });
  });

  it('refuses a token that it has not made', async () => {
    await expect(list({ ContinuationToken: 'made-up' })).rejects.toMatchObject({ name: 'InvalidArgument' });
  });

  it('refuses a bucket that it does not serve', async () => {
    await expect(list({ Bucket: 'other' })).rejects.toMatchObject({ name: 'NoSuchBucket' });
  });
});
