import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { HeadObjectCommand, type PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { guardedPutObject } from '../../../lib/fence/s3/index.js';

const lease = { name: 'report', token: 7 };
const put = { Bucket: 'reports', Key: 'a.json', Body: '{}' };

/** What S3 answers: a tag and a token, an error, or nothing there. */
type Head = { readonly ETag?: string; readonly token?: string } | Error | undefined;

/** An S3 that answers so, request by request; the last answer stays. It tells each request. */
function scene(heads: readonly Head[], refusals: readonly (Error | undefined)[] = [undefined]) {
  const asked: object[] = [];
  const puts: PutObjectCommand['input'][] = [];
  const sentWith: object[] = [];
  const send = async (command: unknown, options: object) => {
    sentWith.push(options);
    if (command instanceof HeadObjectCommand) {
      asked.push(command.input);
      const head = heads[Math.min(asked.length, heads.length) - 1];
      if (head === undefined) throw fault('NotFound', 404);
      if (head instanceof Error) throw head;
      const { token, ETag } = head;
      return { ETag, ...(token && { Metadata: { 'leasehold-token': token } }) };
    }
    puts.push((command as PutObjectCommand).input);
    const refusal = refusals[Math.min(puts.length, refusals.length) - 1];
    if (refusal) throw refusal;
    return { ETag: '"put"' };
  };
  return { s3: { send } as never, asked, puts, sentWith };
}

function fault(name: string, httpStatusCode: number): Error {
  return Object.assign(new Error(name), { name, $metadata: { httpStatusCode } });
}

const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(() => undefined).catch((error) => error);
const ours = { 'leasehold-token': '7' };

it('asks about the very object that it writes: of the same owner, payer and key of encryption', async () => {
  const { s3, asked, puts } = scene([{ ETag: '"1"' }]);
  const also = {
    ...{ ExpectedBucketOwner: '123456789012', RequestPayer: 'requester' as const },
    ...{ SSECustomerAlgorithm: 'AES256', SSECustomerKey: 'key', SSECustomerKeyMD5: 'digest' },
  };
  await guardedPutObject(s3, lease, { ...put, ...also });
  expect(asked).toEqual([{ Bucket: 'reports', Key: 'a.json', ...also }]);
  expect(puts).toMatchObject([{ ...put, ...also, IfMatch: '"1"', Metadata: ours }]);
});

it('I3 puts only what it has compared with, and gives up where others come in between time after time', async () => {
  const heads = Array.from({ length: 9 }, (_, index) => ({ ETag: `"${index + 1}"` }));
  const { s3, puts } = scene(heads, [fault('PreconditionFailed', 412)]);
  const error = (await thrownBy(guardedPutObject(s3, lease, put))) as Error;
  expect(error).toMatchObject({ name: 'StoreError', retryable: true, mayHaveApplied: false });
  expect(puts).toMatchObject(puts.map((_, index) => ({ IfMatch: `"${index + 1}"` })));
  expect(error.message).toContain(`every one of ${puts.length} tries`);
});

describe('I3 what stands there decides whether it is put, and over what', () => {
  it.each<[string, Head, object]>([
    ['nothing', undefined, { IfNoneMatch: '*' }],
    ['nothing, as some endpoints say', fault('NoSuchKey', 404), { IfNoneMatch: '*' }],
    ['something that may not be seen', fault('Forbidden', 403), { IfNoneMatch: '*' }],
    ['an object without a token', { ETag: '"1"' }, { IfMatch: '"1"' }],
    ['an older token', { ETag: '"1"', token: '6' }, { IfMatch: '"1"' }],
    ['the same token', { ETag: '"1"', token: '7' }, { IfMatch: '"1"' }],
  ])('%s', async (_, head, condition) => {
    const { s3, puts } = scene([head]);
    expect(await guardedPutObject(s3, lease, put)).toEqual({ ETag: '"put"' });
    expect(puts).toEqual([{ ...put, ...condition, Metadata: ours }]);
  });

  it.each<[string, Head, object]>([
    ['a newer token', { ETag: '"1"', token: '8' }, { name: 'StaleTokenError', token: 7, currentToken: 8 }],
    [
      'what is no token',
      { ETag: '"1"', token: 'abc' },
      {
        name: 'UsageError',
        message: expect.stringMatching(/^The object has metadata "leasehold-token".*"abc"/),
      },
    ],
    ['a server that fails', fault('InternalError', 500), { name: 'InternalError' }],
    ['no such bucket', fault('NoSuchBucket', 404), { name: 'NoSuchBucket' }],
  ])('%s: nothing is put', async (_, head, error) => {
    const { s3, puts } = scene([head]);
    expect(await thrownBy(guardedPutObject(s3, lease, put))).toMatchObject(error);
    expect(puts).toEqual([]);
  });

  it('C38 what an older holder is refused is told as an event', async () => {
    const told: unknown[] = [];
    const listener = (event: unknown) => told.push(event);
    subscribe('leasehold:stale-write-refused', listener);
    await thrownBy(guardedPutObject(scene([{ token: '8' }]).s3, lease, put));
    unsubscribe('leasehold:stale-write-refused', listener);
    expect(told).toEqual([{ name: 'report', token: 7, currentToken: 8, operation: 's3' }]);
  });
});

describe('I3 somebody writes in between', () => {
  it.each(['PreconditionFailed', 'ConditionalRequestConflict', 'NoSuchKey'])(
    'S3 says %s: the object is looked at again, and a newer token counts',
    async (name) => {
      const between = scene([undefined, { ETag: '"2"', token: '6' }], [fault(name, 412), undefined]);
      await guardedPutObject(between.s3, lease, put);
      expect(between.puts).toMatchObject([{ IfNoneMatch: '*' }, { IfMatch: '"2"' }]);
      const newer = scene([undefined, { ETag: '"2"', token: '8' }], [fault(name, 412)]);
      expect(await thrownBy(guardedPutObject(newer.s3, lease, put))).toMatchObject({
        name: 'StaleTokenError',
        currentToken: 8,
      });
      expect(newer.puts).toHaveLength(1);
    },
  );

  it('any other error of the put is S3’s own, at once', async () => {
    const { s3, puts } = scene([undefined], [fault('SlowDown', 503)]);
    expect(await thrownBy(guardedPutObject(s3, lease, put))).toMatchObject({ name: 'SlowDown' });
    expect(puts).toHaveLength(1);
  });

  it('D18 what is there and may not be read is never overwritten: the error says what the role needs', async () => {
    const hidden = fault('Forbidden', 403);
    const { s3, puts } = scene([hidden], [fault('PreconditionFailed', 412)]);
    expect(await thrownBy(guardedPutObject(s3, lease, put))).toMatchObject({
      ...{ name: 'StoreError', retryable: false, mayHaveApplied: false, cause: hidden, lockName: 'report' },
      message: expect.stringMatching(/^s3:\/\/reports\/a\.json is there.*s3:GetObject/),
    });
    expect(puts).toMatchObject([{ IfNoneMatch: '*' }]);
  });

  it('D18 what came and went is put anew, as often as it is hidden again only after it was seen', async () => {
    const hidden = fault('Forbidden', 403);
    const refused = fault('PreconditionFailed', 412);
    const { s3, puts } = scene([hidden, { ETag: '"2"' }, hidden], [refused, refused, undefined]);
    await guardedPutObject(s3, lease, put);
    expect(puts).toMatchObject([{ IfNoneMatch: '*' }, { IfMatch: '"2"' }, { IfNoneMatch: '*' }]);
  });
});

describe('D20 a condition of the caller’s own', () => {
  it('IfNoneMatch goes as it is, and what it refuses is S3’s own error', async () => {
    const { s3, puts } = scene([{ ETag: '"1"' }], [fault('PreconditionFailed', 412)]);
    const error = await thrownBy(guardedPutObject(s3, lease, { ...put, IfNoneMatch: '*' }));
    expect(error).toMatchObject({ name: 'PreconditionFailed' });
    expect(puts).toEqual([{ ...put, IfMatch: undefined, IfNoneMatch: '*', Metadata: ours }]);
  });

  it.each(['"1"', '1'])('IfMatch %s of what was compared goes as it is', async (IfMatch) => {
    const { s3, puts } = scene([{ ETag: '"1"' }], [fault('PreconditionFailed', 412)]);
    const error = await thrownBy(guardedPutObject(s3, lease, { ...put, IfMatch }));
    expect(error).toMatchObject({ name: 'PreconditionFailed' });
    expect(puts).toEqual([{ ...put, IfMatch, IfNoneMatch: undefined, Metadata: ours }]);
  });

  it.each<[string, Head, string]>([
    ['another object', { ETag: '"2"' }, '"2"'],
    ['nothing', undefined, 'not there, or may not be read'],
    ['something hidden', fault('Forbidden', 403), 'not there, or may not be read'],
  ])('IfMatch over %s: S3’s refusal, and nothing is put', async (_, head, is) => {
    const { s3, puts } = scene([head]);
    expect(await thrownBy(guardedPutObject(s3, lease, { ...put, IfMatch: '"1"' }))).toMatchObject({
      ...{ name: 'PreconditionFailed', $fault: 'client', $metadata: { httpStatusCode: 412, attempts: 0 } },
      message: `IfMatch "1" is not of s3://reports/a.json as it is (${is})`,
    });
    expect(puts).toEqual([]);
  });
});

describe('D38 metadata of the caller’s own', () => {
  it('is kept, and an older token among it gives way to the lease’s', async () => {
    const { s3, puts } = scene([undefined]);
    await guardedPutObject(s3, lease, { ...put, Metadata: { mine: 'kept', 'Leasehold-Token': '3' } });
    expect(puts[0]!.Metadata).toEqual({ mine: 'kept', ...ours });
  });

  it.each(['mine', '7.5', '', '99999999999999999999'])(
    'that is no token under that name is refused: %j',
    async (value) => {
      const { s3, asked } = scene([undefined]);
      const given = { ...put, Metadata: { 'Leasehold-Token': value } };
      expect(await thrownBy(guardedPutObject(s3, lease, given))).toMatchObject({
        name: 'UsageError',
        lockName: 'report',
        message: expect.stringMatching(/^The input has metadata "leasehold-token" that is no fencing token/),
      });
      expect(asked).toEqual([]);
    },
  );
});

describe('D43 a signal', () => {
  it('goes with both requests, where there is one', async () => {
    const { signal } = new AbortController();
    const withSignal = scene([undefined]);
    await guardedPutObject(withSignal.s3, lease, put, { signal });
    expect(withSignal.sentWith).toEqual([{ abortSignal: signal }, { abortSignal: signal }]);
    const without = scene([undefined]);
    await guardedPutObject(without.s3, lease, put);
    expect(without.sentWith).toEqual([{}, {}]);
  });

  it('that has come before the call lets nothing be sent', async () => {
    const { s3, asked } = scene([undefined]);
    const reason = new Error('stopped');
    expect(await thrownBy(guardedPutObject(s3, lease, put, { signal: AbortSignal.abort(reason) }))).toBe(
      reason,
    );
    expect(asked).toEqual([]);
  });

  it('ends the call, although the client underneath goes on waiting', async () => {
    const stop = new AbortController();
    const reason = new Error('stopped');
    const hanging = { send: () => new Promise(() => stop.abort(reason)) } as never;
    expect(await thrownBy(guardedPutObject(hanging, lease, put, { signal: stop.signal }))).toBe(reason);
  });
});
