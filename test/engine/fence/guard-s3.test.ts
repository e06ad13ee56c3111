import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { guardedPutObject } from '../../../lib/fence/s3/index.js';
import { type LocalS3, type S3FaultHook, startS3 } from '../../../lib/local/index.js';

describe('the guard for S3 objects', () => {
  let directory: string;
  let endpoint: LocalS3;
  let s3: S3Client;
  let faults: S3FaultHook = () => 'ok';
  const Bucket = 'reports';
  const older = { name: 'report', token: 7 };
  const newer = { name: 'report', token: 8 };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'leasehold-guard-'));
    endpoint = await startS3({ buckets: { [Bucket]: directory }, faults: (request) => faults(request) });
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

  it.each(['abc', '7.5', '-7', '99999999999999999999', '7, 8'])(
    'D05 metadata %s of that name is no fence, and nothing is written over it',
    async (token) => {
      const Key = `foreign-${token}.json`;
      const Metadata = { 'leasehold-token': token };
      await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'theirs', Metadata }));
      const written = guardedPutObject(s3, newer, { Bucket, Key, Body: 'ours' });
      await expect(written).rejects.toMatchObject({ name: 'UsageError', lockName: 'report' });
      expect(await content(Key)).toBe('theirs');
    },
  );

  it('D38 metadata of one’s own under that name is refused, a token that was read along is not', async () => {
    const Key = 'own-metadata.json';
    const put = (Metadata: Record<string, string>) =>
      guardedPutObject(s3, newer, { Bucket, Key, Body: 'x', Metadata });
    await expect(put({ 'Leasehold-Token': 'mine' })).rejects.toMatchObject({ name: 'UsageError' });
    await put({ 'Leasehold-Token': '3', mine: 'kept' });
    const { Metadata } = await s3.send(new HeadObjectCommand({ Bucket, Key }));
    expect(Metadata).toEqual({ mine: 'kept', 'leasehold-token': '8' });
  });

  it('D08 what counts is what the input and the lease were at the call', async () => {
    const input = { Bucket, Key: 'changed.json', Body: 'as called', Metadata: { a: 'as called' } };
    const lease = { ...newer };
    const written = guardedPutObject(s3, lease, input);
    Object.assign(input, { Body: 'later', Key: 'elsewhere.json' });
    input.Metadata.a = 'later';
    lease.token = 1;
    await written;
    expect(await content('changed.json')).toBe('as called');
    const { Metadata } = await s3.send(new HeadObjectCommand({ Bucket, Key: 'changed.json' }));
    expect(Metadata).toEqual({ a: 'as called', 'leasehold-token': '8' });
  });

  it('D43 ends with the caller’s signal while the client waits for credentials', async () => {
    const stop = new AbortController();
    let asked!: () => void;
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const hanging = new S3Client({
      ...endpoint.clientConfig(),
      credentials: () => {
        asked();
        return new Promise(() => {});
      },
    });
    const input = { Bucket, Key: 'hangs.json', Body: 'x' };
    const written = guardedPutObject(hanging, newer, input, { signal: stop.signal });
    await isAsked;
    const reason = new Error('stopped');
    stop.abort(reason);
    await expect(written).rejects.toBe(reason);
    hanging.destroy();
  });

  describe('D18 for a role that may not', () => {
    afterEach(() => {
      faults = () => 'ok';
    });
    /** S3 says 403 where it would say 404 to a role that may list. */
    const denyHeads = (times = Number.POSITIVE_INFINITY) => {
      let left = times;
      faults = ({ method }) => (method === 'HEAD' && left-- > 0 ? 'deny' : 'ok');
    };

    it('list the bucket: a new object is put, once', async () => {
      denyHeads();
      const put = (lease: typeof older) =>
        guardedPutObject(s3, lease, { Bucket, Key: 'new.json', Body: 'x' });
      await put(older);
      expect(await content('new.json')).toBe('x');
      // Now HEAD would answer, and does.
      faults = () => 'ok';
      await put(newer);
      await expect(put(older)).rejects.toMatchObject({ name: 'StaleTokenError', currentToken: 8 });
    });

    it('list the bucket: an object that comes between is seen, and its token counts', async () => {
      await guardedPutObject(s3, newer, { Bucket, Key: 'between.json', Body: 'newer' });
      denyHeads(1);
      const stale = guardedPutObject(s3, older, { Bucket, Key: 'between.json', Body: 'older' });
      await expect(stale).rejects.toMatchObject({ name: 'StaleTokenError', token: 7, currentToken: 8 });
      expect(await content('between.json')).toBe('newer');
    });

    it('read the object: nothing is overwritten, and the error names the permission', async () => {
      await guardedPutObject(s3, older, { Bucket, Key: 'secret.json', Body: 'there' });
      denyHeads();
      const write = guardedPutObject(s3, newer, { Bucket, Key: 'secret.json', Body: 'overwritten' });
      await expect(write).rejects.toMatchObject({
        name: 'StoreError',
        retryable: false,
        mayHaveApplied: false,
        message: expect.stringContaining('s3:GetObject'),
      });
      expect(await content('secret.json')).toBe('there');
    });

    it('put: S3’s own error', async () => {
      faults = () => 'deny';
      const write = guardedPutObject(s3, newer, { Bucket, Key: 'denied.json', Body: '' });
      await expect(write).rejects.toMatchObject({ name: 'AccessDenied' });
    });
  });

  describe('D20 a condition of the caller’s own must hold as well', () => {
    const put = (lease: typeof older, Body: string, own: { IfMatch?: string; IfNoneMatch?: string }) =>
      guardedPutObject(s3, lease, { Bucket, Key: 'own.json', Body, ...own });

    it('IfNoneMatch and IfMatch are not overwritten by the guard’s', async () => {
      const first = await put(older, 'first', { IfNoneMatch: '*' });
      await expect(put(newer, 'second', { IfNoneMatch: '*' })).rejects.toMatchObject({
        name: 'PreconditionFailed',
      });
      await expect(put(newer, 'second', { IfMatch: '"other"' })).rejects.toMatchObject({
        name: 'PreconditionFailed',
        $metadata: { httpStatusCode: 412 },
      });
      expect(await content('own.json')).toBe('first');
      await put(newer, 'second', { IfMatch: first.ETag! });
      expect(await content('own.json')).toBe('second');
      const { ETag } = await s3.send(new HeadObjectCommand({ Bucket, Key: 'own.json' }));
      await expect(put(older, 'third', { IfMatch: ETag! })).rejects.toMatchObject({
        name: 'StaleTokenError',
      });
    });

    it('a put goes with one condition, the caller’s or the guard’s', async () => {
      const sent: object[] = [];
      const recording = new S3Client(endpoint.clientConfig());
      recording.middlewareStack.add(
        (next) => (args) => {
          const { method, headers } = args.request as { method: string; headers: Record<string, string> };
          const { 'if-match': match, 'if-none-match': noneMatch } = headers;
          if (method === 'PUT') sent.push({ ...(match && { match }), ...(noneMatch && { noneMatch }) });
          return next(args);
        },
        { step: 'finalizeRequest' },
      );
      const write = (own: { IfMatch?: string; IfNoneMatch?: string }) =>
        guardedPutObject(recording, older, { Bucket, Key: 'one.json', Body: 'one', ...own });
      const { ETag } = await write({ IfNoneMatch: '*' });
      await write({ IfMatch: ETag! });
      await expect(write({ IfNoneMatch: '*' })).rejects.toMatchObject({ name: 'PreconditionFailed' });
      recording.destroy();
      expect(sent).toEqual([{ noneMatch: '*' }, { match: ETag }, { noneMatch: '*' }]);
    });
  });

  it('a bucket that does not exist is S3’s own error', async () => {
    const write = guardedPutObject(s3, newer, { Bucket: 'missing', Key: 'x', Body: '' });
    await expect(write).rejects.toMatchObject({ name: expect.stringMatching(/NoSuchBucket/) });
  });
});
