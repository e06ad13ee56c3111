import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLockServiceHandler, createSweepHandler } from '../../../lib/lambda/index.js';
import { createScanHandlers, inventory } from '../../../lib/scan/index.js';
import { stepFunctions } from '../../../lib/service/step-functions.js';
import { type ConnectProxy, connectProxy } from '../../support/cli/connect-proxy.js';
import { Stage } from '../../support/stage.js';

/** Functions in a network whose only way out is a proxy. Which of AWS they want is seen there, and is refused. */
describe('D27 the functions behind a proxy', () => {
  let proxy: ConnectProxy;
  let stage: Stage;
  const env = { LEASEHOLD_TABLE: 'leases', LEASEHOLD_LOGS: 'off', LEASEHOLD_METRICS: 'off' };
  const context = { getRemainingTimeInMillis: () => 5_000 };

  beforeAll(async () => {
    proxy = await connectProxy({});
    stage = await Stage.open();
    const credentials = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
    const variables = { ...credentials, AWS_REGION: 'eu-west-1', HTTPS_PROXY: proxy.url };
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await proxy[Symbol.asyncDispose]();
    await stage.close();
  });

  async function askedBy(work: () => Promise<unknown>): Promise<Set<string>> {
    const before = proxy.asked.length;
    await work().catch(() => {});
    return new Set(proxy.asked.slice(before));
  }

  it('D27 the lock service asks for its table there', async () => {
    const handle = createLockServiceHandler({ env });
    const ask = () => handle({ operation: 'inspect', name: 'a' }, context as never);
    expect(await askedBy(ask)).toContain('dynamodb.eu-west-1.amazonaws.com:443');
  });

  it('D27 and for Step Functions', async () => {
    const execution = 'arn:aws:states:eu-west-1:111122223333:execution:machine:one';
    const ask = () => stepFunctions().findState(execution, AbortSignal.timeout(5_000));
    expect(await askedBy(ask)).toEqual(new Set(['states.eu-west-1.amazonaws.com:443']));
  });

  it('D27 a scan asks for its table and for its bucket', async () => {
    const event = { run: 'one', input: {}, defaults: { bucket: 'data', prefix: '', seats: 1, slices: 2 } };
    const planOver = (more: object) => () =>
      createScanHandlers({ processor: inventory(), env: { ...env, ...more } }).plan(event as never);
    expect(await askedBy(planOver({}))).toContain('dynamodb.eu-west-1.amazonaws.com:443');
    const here = { LEASEHOLD_TABLE: stage.table, LEASEHOLD_DYNAMODB_ENDPOINT: stage.dynamo.endpoint };
    const asked = await askedBy(planOver(here));
    expect(asked).toEqual(new Set(['data.s3.eu-west-1.amazonaws.com:443']));
  });

  it('D27 the sweep asks for its table', async () => {
    const handle = createSweepHandler({ env });
    const asked = await askedBy(() => handle({}, context as never));
    expect(asked).toContain('dynamodb.eu-west-1.amazonaws.com:443');
  });
});
