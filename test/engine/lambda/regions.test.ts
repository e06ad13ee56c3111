import { expect, it, onTestFinished, vi } from 'vitest';
import { createLockServiceHandler } from '../../../lib/lambda/lock-service-handler.js';
import { createSweepHandler } from '../../../lib/lambda/sweep-handler.js';
import { askedRegions } from '../../support/aws/asked-regions.js';

const context = { getRemainingTimeInMillis: () => 600_000 };

it.each([
  ['the lock service', createLockServiceHandler],
  ['the sweeper', createSweepHandler],
])('%s asks for its table where its ARN says, and by its name at home', async (_, create) => {
  await using store = await askedRegions();
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  onTestFinished(() => void vi.unstubAllEnvs());
  const regionsOf = async (LEASEHOLD_TABLE: string) => {
    const before = store.requests.length;
    const handler = create({ env: { LEASEHOLD_TABLE, LEASEHOLD_DYNAMODB_ENDPOINT: store.endpoint } });
    await handler({ operation: 'inspect', name: 'x' }, context).catch(() => {});
    return new Set(store.requests.slice(before).map(({ region }) => region));
  };
  expect(await regionsOf('leases')).toEqual(new Set(['us-east-1']));
  const arn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/leases';
  expect(await regionsOf(arn)).toEqual(new Set(['eu-west-1']));
});
