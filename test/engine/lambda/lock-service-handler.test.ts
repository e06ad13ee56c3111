import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLockServiceHandler } from '../../../lib/lambda/lock-service-handler.js';
import { leaseFormat } from '../../../lib/lease/index.js';
import { scriptedStepFunctions } from '../../support/cli/scripted-step-functions.js';
import { type AnyAnswer, rightRequests } from '../../support/service/in-process.js';
import { useStage } from '../../support/use-stage.js';

const dayMs = 86_400_000;
const invocation = {
  getRemainingTimeInMillis: () => 20_000,
  invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:leasehold',
};

describe('the lock service, made of its environment, on a real engine', () => {
  const stage = useStage();

  const made = (more: Readonly<Record<string, string>> = {}) => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
    vi.stubEnv('AWS_REGION', 'eu-central-1');
    onTestFinished(() => void vi.unstubAllEnvs());
    const env = {
      LEASEHOLD_TABLE: stage.it.table,
      LEASEHOLD_DYNAMODB_ENDPOINT: stage.it.dynamo.endpoint,
      AWS_REGION: 'eu-central-1',
      ...more,
    };
    const handler = createLockServiceHandler({ env });
    return (request: unknown): Promise<AnyAnswer> => handler(request, invocation);
  };

  it('grants leases in its table, that are kept for a week after', async () => {
    const name = stage.name();
    const ask = made();
    const answer = await ask(rightRequests(name).acquire);
    expect(answer).toMatchObject({ ok: true, granted: { name } });
    const { ttl } = (await stage.it.item(name)) as unknown as { ttl: number };
    expect(Math.abs(ttl * 1_000 - answer.granted.expiresAt - 7 * dayMs)).toBeLessThan(10_000);
  });

  it('takes a lease that ran out', async () => {
    const name = stage.name();
    await stage.it.put({ name, format: leaseFormat, version: 7, leaseId: 'gone', expiresAt: 1, ttl: 9e9 });
    const answer = await made()(rightRequests(name).acquire);
    expect(answer.error?.message ?? 'granted').toBe('granted');
  });

  it('does what its settings allow: names, groups, operations, the longest lease', async () => {
    const name = stage.name();
    const { acquire, inspect, break: broken } = rightRequests(name);
    const code = async (request: object, env: Readonly<Record<string, string>>) =>
      (await made(env)(request)).error?.code;
    expect(await code(inspect, { LEASEHOLD_NAMES: '["other"]' })).toBe('NOT_ALLOWED');
    expect(await code({ ...acquire, group: 'g' }, { LEASEHOLD_GROUPS: '["other"]' })).toBe('NOT_ALLOWED');
    expect(await code({ ...acquire, group: 'g' }, { LEASEHOLD_GROUPS: '["g"]' })).toBeUndefined();
    expect(await code(broken, {})).toBe('NOT_ALLOWED');
    expect(await code(broken, { LEASEHOLD_OPERATIONS: 'operate' })).toBeUndefined();
    const long = { ...acquire, name: stage.name(), leaseMs: 900_001 };
    expect(await code(long, {})).toBe('USAGE');
    expect(await code(long, { LEASEHOLD_MAX_LEASE_MS: '900001' })).toBeUndefined();
  });

  it('asks Step Functions about executions of its own account and Region, at the address it was given', async () => {
    await using sfn = await scriptedStepFunctions({ DescribeExecution: () => ({ status: 'RUNNING' }) });
    const ask = made({ LEASEHOLD_STEPFUNCTIONS_ENDPOINT: sfn.env.AWS_ENDPOINT_URL_SFN! });
    const held = (account: string, region: string) =>
      ask({
        ...{ operation: 'acquire', name: stage.name(), leaseId: 'lease-id-1', leaseMs: dayMs },
        execution: `arn:aws:states:${region}:${account}:execution:settle:run-1`,
      });
    expect(await held('123456789012', 'eu-central-1')).toMatchObject({ ok: true });
    expect(await held('210987654321', 'eu-central-1')).toMatchObject({ error: { code: 'USAGE' } });
    expect(await held('123456789012', 'eu-west-1')).toMatchObject({ error: { code: 'USAGE' } });
    expect(sfn.calls).toHaveLength(1);
  });
});
