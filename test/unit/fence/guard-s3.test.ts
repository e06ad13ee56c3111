import { HeadObjectCommand, type PutObjectCommand } from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { guardedPutObject } from '../../../lib/fence/s3/index.js';

const lease = { name: 'report', token: 7 };
const put = { Bucket: 'reports', Key: 'a.json', Body: '{}' };

/** An S3 that tells each request, and refuses every put in this way. */
function scene(refusal?: string) {
  const heads: object[] = [];
  const puts: object[] = [];
  const send = async (command: unknown) => {
    if (command instanceof HeadObjectCommand) {
      heads.push(command.input);
      return { ETag: `"${heads.length}"`, Metadata: {} };
    }
    puts.push((command as PutObjectCommand).input);
    if (refusal) throw Object.assign(new Error(refusal), { name: refusal });
    return {};
  };
  return { s3: { send } as never, heads, puts };
}

it('asks about the very object that it writes: of the same owner, payer and key of encryption', async () => {
  const { s3, heads, puts } = scene();
  const also = {
    ...{ ExpectedBucketOwner: '123456789012', RequestPayer: 'requester' as const },
    ...{ SSECustomerAlgorithm: 'AES256', SSECustomerKey: 'key', SSECustomerKeyMD5: 'digest' },
  };
  await guardedPutObject(s3, lease, { ...put, ...also });
  expect(heads).toEqual([{ Bucket: 'reports', Key: 'a.json', ...also }]);
  expect(puts).toMatchObject([{ ...put, ...also, IfMatch: '"1"', Metadata: { 'leasehold-token': '7' } }]);
});

it('I3 puts only what it has compared with, and gives up where others come in between time after time', async () => {
  const { s3, heads, puts } = scene('PreconditionFailed');
  const error = await guardedPutObject(s3, lease, put).catch((thrown) => thrown);
  expect(error).toMatchObject({ name: 'StoreError', retryable: true, mayHaveApplied: false });
  expect(puts).toMatchObject(heads.map((_, index) => ({ IfMatch: `"${index + 1}"` })));
  expect(error.message).toContain(`every one of ${puts.length} tries`);
});
