import { describe, expect, it } from 'vitest';
import { systemRuntime } from '../../../lib/runtime/index.js';
import { foldersIn, listPage } from '../../../lib/scan/listing/s3-listing.js';
import { S3Sender } from '../../../lib/scan/listing/s3-requests.js';

interface Answer {
  readonly keys?: readonly string[];
  readonly IsTruncated?: boolean;
  readonly NextContinuationToken?: string;
  readonly CommonPrefixes?: readonly { readonly Prefix: string }[];
}

/** A page from an S3 that answers with these in turn, the last one again and again. */
function page(answers: readonly Answer[]) {
  const tokens: (string | undefined)[] = [];
  const requests = requestsOf(answers, tokens);
  const target = { bucket: 'data', prefix: '' };
  return { tokens, listed: listPage(requests, target, { after: undefined, pageSize: 10 }) };
}

function requestsOf(answers: readonly Answer[], tokens: (string | undefined)[] = []): S3Sender {
  const send = async ({ input }: { readonly input: { readonly ContinuationToken?: string } }) => {
    const { keys, ...answer } = answers[Math.min(tokens.length, answers.length - 1)]!;
    tokens.push(input.ContinuationToken);
    return { ...answer, ...(keys && { Contents: keys.map((Key) => ({ Key })) }) };
  };
  return new S3Sender({ send } as never, systemRuntime);
}

describe('a listing that goes on (D17)', () => {
  it('D17 follows one empty page after another to the keys behind them', async () => {
    const { listed, tokens } = page([
      { IsTruncated: true, NextContinuationToken: 'one' },
      { IsTruncated: true, NextContinuationToken: 'two' },
      { keys: ['a'], IsTruncated: false },
    ]);
    expect(await listed).toMatchObject({ objects: [{ key: 'a' }], truncated: false });
    expect(tokens).toEqual([undefined, 'one', 'two']);
  });

  it('D17 ends with an error where a token comes that came before, however long the circle', async () => {
    const circle = ['one', 'two', 'three', 'one'].map((NextContinuationToken) => ({
      IsTruncated: true,
      NextContinuationToken,
    }));
    const { listed, tokens } = page(circle);
    await expect(listed).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining('a token that it gave before'),
    });
    expect(tokens).toHaveLength(4);
  });

  it('D17 ends with an error where empty pages never end, each with a token of its own', async () => {
    let count = 0;
    const send = async () => ({ IsTruncated: true, NextContinuationToken: `token-${count++}` });
    const requests = new S3Sender({ send } as never, systemRuntime);
    const listed = listPage(requests, { bucket: 'data', prefix: '' }, { after: 'a', pageSize: 1 });
    await expect(listed).rejects.toMatchObject({ name: 'UsageError' });
    expect(count).toBeLessThanOrEqual(1_001);
  });

  it('D17 takes a token for more, where nothing is said of a page that is cut short', async () => {
    expect(await page([{ keys: ['a'], NextContinuationToken: 'one' }]).listed).toMatchObject({
      truncated: true,
    });
    const { listed } = page([{ NextContinuationToken: 'one' }, { keys: ['b'] }]);
    expect(await listed).toMatchObject({ objects: [{ key: 'b' }], truncated: false });
  });

  it('D17 takes folders that are cut short for unknown, whichever way that is said', async () => {
    const CommonPrefixes = [{ Prefix: 'a/' }];
    const folders = (answer: Answer) =>
      foldersIn(requestsOf([answer]), { bucket: 'data', prefix: '' }, 1_000);
    expect(await folders({ CommonPrefixes })).toEqual(['a/']);
    expect(await folders({})).toEqual([]);
    expect(await folders({ CommonPrefixes, IsTruncated: true })).toBeUndefined();
    expect(await folders({ CommonPrefixes, NextContinuationToken: 'one' })).toBeUndefined();
  });
});

describe('a requester-pays bucket (D26)', () => {
  it('D26 every listing says who pays, and only where that was asked for', async () => {
    const asked: unknown[] = [];
    const send = async ({ input }: { readonly input: { readonly RequestPayer?: string } }) => {
      asked.push(input.RequestPayer);
      return {};
    };
    const requests = new S3Sender({ send } as never, systemRuntime);
    for (const requesterPays of [true, false]) {
      const target = { bucket: 'data', prefix: '', requesterPays };
      await listPage(requests, target, { after: 'a', pageSize: 1 });
      await foldersIn(requests, target, 1_000);
    }
    expect(asked).toEqual(['requester', 'requester', undefined, undefined]);
  });
});
