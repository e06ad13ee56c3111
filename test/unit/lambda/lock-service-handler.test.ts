import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLockServiceHandler, lockServiceSettings } from '../../../lib/lambda/lock-service-handler.js';
import { createSweepHandler } from '../../../lib/lambda/sweep-handler.js';
import { createLockService, type LockServiceAnswers } from '../../../lib/service/index.js';
import { VirtualWorld } from '../../bench/virtual-world.js';
import '../../simulation/run/loaded.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';

usePlainAbort();

/** The service's handler over a table in memory; each invocation has so long, in milliseconds. */
function scene(instead: Partial<LockServiceAnswers> = {}, remainingMs = 10_000) {
  const world = new VirtualWorld(1);
  const process = world.process('service');
  const { context } = world.locks(process);
  const service = { ...createLockService({ context }), ...instead };
  const handler = createLockServiceHandler({ service, runtime: process.runtime });
  const invocation = { getRemainingTimeInMillis: () => remainingMs };
  return { world, invoke: (event: unknown) => world.until(handler(event, invocation)) };
}

/** An answer that never comes, and the signal that ends it. */
function silent() {
  const signals: AbortSignal[] = [];
  const answer = (_request: unknown, signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  };
  return { signals, answer };
}

const acquire = { operation: 'acquire', name: 'x', leaseId: 'lease-id-1', owner: 'o', leaseMs: 30_000 };
const post = (body: string) => ({ requestContext: { http: { method: 'POST' } }, body });

describe('the handler of the lock service', () => {
  it('answers a request, and one that comes by the function’s URL', async () => {
    const { invoke } = scene();
    expect(await invoke(acquire)).toMatchObject({ ok: true, granted: { name: 'x' } });
    const answer = await invoke(post(JSON.stringify({ operation: 'inspect', name: 'x' })));
    expect(answer).toMatchObject({ statusCode: 200, body: expect.stringContaining('"state":"held"') });
    expect(await invoke('text')).toMatchObject({ ok: false, error: { code: 'USAGE' } });
  });

  it('frees what an execution held whose end EventBridge tells', async () => {
    const detail = { executionArn: 'arn:aws:states:eu-central-1:123456789012:execution:settle:run-1' };
    expect(await scene().invoke({ source: 'aws.states', detail })).toEqual({ ok: true, released: [] });
  });

  it.each([
    ['a request', acquire, 10_000, 9_750],
    ['one by a URL', post('{"operation":"inspect"}'), 10_000, 9_750],
    ['one that came too late', acquire, 100, 1],
  ])('ends %s a quarter of a second before the invocation would', async (_, event, remainingMs, afterMs) => {
    const { signals, answer } = silent();
    const { world, invoke } = scene({ answer }, remainingMs);
    const before = world.nowMs;
    await expect(invoke(event)).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(world.nowMs - before).toBeCloseTo(afterMs, 3);
    expect(signals).toHaveLength(1);
  });

  it('leaves no timer behind that would end what is over', async () => {
    const signals: AbortSignal[] = [];
    const answer = async (_request: unknown, signal: AbortSignal) => {
      signals.push(signal);
      return { ok: true, now: { earliest: 1, latest: 2 } } as const;
    };
    const { world, invoke } = scene({ answer });
    for (const event of [acquire, post('{}')]) await invoke(event);
    await world.until(new Promise<void>((resolve) => world.loop.after(60_000, resolve)));
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  });
});

describe('the settings of the lock service', () => {
  const table = { LEASEHOLD_TABLE: 'leases' };

  it('are read from the environment, without the spaces around', () => {
    expect(
      lockServiceSettings({
        LEASEHOLD_TABLE: ' leases ',
        LEASEHOLD_NAMES: '["a/*","b"]',
        LEASEHOLD_GROUPS: ' ["g"] ',
        LEASEHOLD_OPERATIONS: 'operate',
        LEASEHOLD_MAX_LEASE_MS: '60000',
        AWS_REGION: 'eu-west-1',
        LEASEHOLD_DYNAMODB_ENDPOINT: 'http://d',
        LEASEHOLD_STEPFUNCTIONS_ENDPOINT: 'http://s',
      }),
    ).toEqual({
      ...{ table: 'leases', names: ['a/*', 'b'], groups: ['g'], operations: 'operate', maxLeaseMs: 60_000 },
      ...{ region: 'eu-west-1', dynamoEndpoint: 'http://d', stepFunctionsEndpoint: 'http://s' },
    });
  });

  it('but for the table may be absent, or blank', () => {
    const names = ['NAMES', 'GROUPS', 'OPERATIONS', 'MAX_LEASE_MS', 'DYNAMODB_ENDPOINT'];
    const blank = Object.fromEntries(names.map((name) => [`LEASEHOLD_${name}`, ' ']));
    for (const env of [table, { ...table, ...blank, AWS_REGION: '' }])
      expect(lockServiceSettings(env)).toEqual({
        ...{ table: 'leases', names: undefined, groups: undefined, operations: 'use', maxLeaseMs: undefined },
        ...{ region: undefined, dynamoEndpoint: undefined, stepFunctionsEndpoint: undefined },
      });
    expect(lockServiceSettings({ ...table, LEASEHOLD_OPERATIONS: 'use' }).operations).toBe('use');
    expect(lockServiceSettings({ ...table, LEASEHOLD_MAX_LEASE_MS: '1000' }).maxLeaseMs).toBe(1_000);
    expect(lockServiceSettings({ ...table, LEASEHOLD_NAMES: '[]' }).names).toEqual([]);
  });

  const list = (variable: string) => [variable, 'must be a JSON list of strings'] as const;
  it.each<readonly [string, string, string]>([
    ...['a/*', '[1]', '{}', '"a"', 'null'].map((got) => [...list('LEASEHOLD_NAMES'), got] as const),
    [...list('LEASEHOLD_GROUPS'), 'g'],
    ['LEASEHOLD_OPERATIONS', 'must be "use" or "operate"', 'all'],
    ...['10s', '999', '1000.5', '-1', 'Infinity'].map(
      (got) =>
        ['LEASEHOLD_MAX_LEASE_MS', 'must be a whole number of milliseconds, at least 1000', got] as const,
    ),
  ])('%s %s: not %s', (variable, must, got) => {
    expect(() => lockServiceSettings({ ...table, [variable]: got })).toThrow(
      expect.objectContaining({ name: 'UsageError', message: `${variable}: ${must}, got "${got}"` }),
    );
  });

  it.each([{}, { LEASEHOLD_TABLE: ' ' }])('%j has no table: the caller is told', async (env) => {
    const handler = createLockServiceHandler({ env });
    await expect(handler(acquire, { getRemainingTimeInMillis: () => 10_000 })).rejects.toMatchObject({
      name: 'UsageError',
      message: 'LEASEHOLD_TABLE: the name of the lease table is missing',
    });
  });
});

describe.each([
  ['the lock service', createLockServiceHandler],
  ['the sweeper', createSweepHandler],
])('%s', (_, create) => {
  const failure = (env?: Readonly<Record<string, string>>) =>
    create(env && { env })(acquire, { getRemainingTimeInMillis: () => 10_000 }).then(
      () => '',
      (error: Error) => error.message,
    );

  it('says which variable is wrong where its table is no name and no ARN', async () => {
    for (const LEASEHOLD_TABLE of ['arn:aws:s3:::leases', 'two words'])
      expect(await failure({ LEASEHOLD_TABLE })).toMatch(
        /^LEASEHOLD_TABLE: must be a name, or an ARN such as /,
      );
  });

  it('reads its settings of the process, unless it is given others', async () => {
    vi.stubEnv('LEASEHOLD_TABLE', 'two words');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await failure()).toContain('two words');
    expect(await failure({})).toContain('is missing');
  });
});
