import { InvokeCommand, type InvokeCommandInput } from '@aws-sdk/client-lambda';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Invocation, Mishap } from '../../../bin/start/state-machine/index.js';
import type { LockClient } from '../../../lib/client/index.js';
import { systemRuntime } from '../../../lib/runtime/index.js';
import { answeredBy } from '../../support/service/odd-answers.js';
import { callers, ServiceStage } from '../../support/service/service-stage.js';
import { until } from '../../support/until.js';

/** Time-outs with room for a slow machine. */
const patient = { leaseMs: 15_000, requestTimeoutMs: 5_000 };

describe('the way to the service and back', () => {
  let stage: ServiceStage;
  let mishap: ((invocation: Invocation) => Mishap | undefined) | undefined;
  let names = 0;

  beforeAll(async () => {
    stage = await ServiceStage.open({ mishap: (invocation) => mishap?.(invocation) });
    // A process is started before something goes wrong.
    await stage.ask({ operation: 'inspect', name: 'warm' });
  });
  afterEach(() => {
    mishap = undefined;
  });
  afterAll(() => stage?.[Symbol.asyncDispose]());

  const newName = () => `lock-${++names}`;

  /** The first `count` requests of an operation. */
  function onFirst(operation: string, what: Mishap, count = 1): void {
    let left = count;
    mishap = ({ event }) => {
      const matches = (event as { operation?: string }).operation === operation;
      return matches && left-- > 0 ? what : undefined;
    };
  }

  /** A client whose SDK tries once. */
  const single = () => stage.client({ ...patient, lambdaClient: stage.newLambdaClient(1), maxAttempts: 1 });

  const isFree = async (locks: LockClient, name: string) => (await locks.inspect(name))?.state === 'free';

  it.each(['lost', 'cut-off'] as const)(
    'C07 a grant whose answer is %s is adopted by the SDK’s retry',
    async (what) => {
      const name = newName();
      const locks = stage.client();
      const first = await locks.acquire(name);
      await first.release();
      onFirst('acquire', what);
      await using lease = await locks.acquire(name);
      expect(lease.token).toBeGreaterThan(first.token);
    },
  );

  it('goes by a client that brings its commands along, without loading any', async () => {
    const calls: unknown[] = [];
    const { lambdaClient } = stage;
    const caller = {
      send: () => Promise.reject(new Error('needs a command')),
      invoke: (input: InvokeCommandInput, options?: { readonly abortSignal?: AbortSignal }) => {
        calls.push(input.FunctionName);
        return lambdaClient.send(new InvokeCommand(input), options);
      },
    };
    await using lease = await stage.client({ lambdaClient: caller }).acquire(newName());
    expect(lease.isHeld).toBe(true);
    expect(calls).toEqual([callers]);
  });

  it('C07 a grant whose answer is lost for good is adopted by the waiter, who is shown its own lease id', async () => {
    const name = newName();
    const locks = single();
    const first = await locks.acquire(name);
    await first.release();
    onFirst('acquire', 'lost');
    await using lease = await locks.acquire(name, { waitMs: 30_000 });
    expect(lease.token).toBeGreaterThan(first.token);
  });

  it('C09 an acquire that gave up although it was granted gives its lease back', async () => {
    const name = newName();
    const locks = single();
    onFirst('acquire', 'lost');
    const refusal = { name: 'StoreError', retryable: true, mayHaveApplied: true };
    await expect(locks.acquire(name)).rejects.toMatchObject(refusal);
    await until('it is given back', () => isFree(locks, name));
  });

  it('C09 an acquire that timed out but lands later is given back, too', async () => {
    const name = newName();
    const locks = stage.client({
      lambdaClient: stage.newLambdaClient(1),
      requestTimeoutMs: 1_500,
      maxAttempts: 1,
    });
    onFirst('acquire', 'late');
    await expect(locks.acquire(name)).rejects.toMatchObject({ name: 'StoreError', mayHaveApplied: true });
    await until('it has landed and is given back', () => isFree(locks, name));
  });

  it('C07 a checkpoint whose answer is lost is stored once, and counts as stored', async () => {
    const name = newName();
    await using lease = await stage.client().acquire(name);
    onFirst('renew', 'lost');
    await lease.save({ page: 4 });
    expect(await stage.client().inspect(name)).toMatchObject({ checkpoint: { page: 4 }, renewals: 1 });
  });

  it('C07 a release whose answer is lost is no loss when the SDK sends it again', async () => {
    const lease = await stage.client().acquire(newName());
    onFirst('release', 'lost');
    expect(await lease.release()).toBe('released');
  });

  it('C07 a completion whose answer is lost is found again', async () => {
    const name = newName();
    const lease = await stage.client().acquire(name);
    onFirst('complete', 'cut-off');
    await lease.complete({ sum: 1 });
    expect(await stage.client().inspect(name)).toMatchObject({ state: 'completed', result: { sum: 1 } });
  });

  it('C19 throttles and 5xx of Lambda are part of waiting, not its end', async () => {
    const name = newName();
    for (const what of ['throttled', 'refused'] as const) {
      onFirst('acquire', what, 3);
      await using lease = await single().acquire(name, { waitMs: 30_000 });
      expect(lease.isHeld).toBe(true);
    }
  });

  it('a throttle was not done, and a 5xx may have been', async () => {
    onFirst('acquire', 'throttled');
    const throttled = { name: 'StoreError', retryable: true, mayHaveApplied: false };
    await expect(single().acquire(newName())).rejects.toMatchObject(throttled);
    onFirst('acquire', 'refused');
    const refused = { name: 'StoreError', retryable: true, mayHaveApplied: true };
    await expect(single().acquire(newName())).rejects.toMatchObject(refused);
    onFirst('inspect', 'refused');
    const read = { name: 'StoreError', retryable: true, mayHaveApplied: false };
    await expect(single().inspect(newName())).rejects.toMatchObject(read);
  });

  it('a renewal that fails is tried again: still held', async () => {
    const name = newName();
    await using lease = await stage
      .client({ renewEveryMs: 200, lambdaClient: stage.newLambdaClient(1) })
      .acquire(name);
    onFirst('renew', 'throttled', 2);
    const before = await stage.client().inspect(name);
    await until(
      'it is renewed',
      async () => (await stage.client().inspect(name))!.renewals! > before!.renewals! + 1,
    );
    expect(lease.isHeld).toBe(true);
  });

  it('a function that does not exist is not tried again and again', async () => {
    const locks = stage.client({ service: 'elsewhere' });
    const missing = { name: 'StoreError', retryable: false, message: expect.stringContaining('"elsewhere"') };
    await expect(locks.acquire(newName(), { waitMs: 30_000 })).rejects.toMatchObject(missing);
  });

  it('a function may be named by its ARN', async () => {
    const service = `arn:aws:lambda:eu-central-1:123456789012:function:${callers}`;
    await using lease = await stage.client({ service }).acquire(newName());
    expect(lease.isHeld).toBe(true);
  });

  it('a process that dies in mid-request is an uncertain failure, and the next request is answered', async () => {
    const name = newName();
    const locks = single();
    const asked = locks.acquire(name).catch((error) => error);
    await until('it is at work', () => stage.lambda.environments().some(({ state }) => state === 'busy'));
    const killed = stage.lambda.environments().map(({ pid }) => pid);
    stage.lambda.killAll();
    const outcome = await asked;
    // Until they are gone the next request would be sent to one of them.
    await until('they are gone', () => stage.lambda.environments().every(({ pid }) => !killed.includes(pid)));
    if (outcome instanceof Error) {
      expect(outcome).toMatchObject({ name: 'StoreError', retryable: true, mayHaveApplied: true });
    }
    if (!(outcome instanceof Error)) await outcome.release();
    await until('nobody holds it', async () => {
      const lock = await locks.inspect(name);
      return lock === undefined || lock.state === 'free';
    });
  });

  it('an abort ends the request at once, with the caller’s own reason', async () => {
    mishap = ({ event }) => ((event as { operation?: string }).operation === 'acquire' ? 'late' : undefined);
    const reason = new Error('enough');
    const controller = new AbortController();
    const asked = single().acquire(newName(), { signal: controller.signal });
    const outcome = expect(asked).rejects.toBe(reason);
    controller.abort(reason);
    await outcome;
  });

  it('C18 closing ends what goes on, and leaves neither timers nor a client of its own', async () => {
    const locks = stage.client({ runtime: systemRuntime });
    await (await locks.acquire(newName())).release();
    await locks.close();
    await expect(locks.acquire('')).rejects.toMatchObject({ name: 'UsageError' });
  });
});

describe('an answer that is none', () => {
  const now = { earliest: 1, latest: 2 };
  const granted = { token: 1, expiresAt: 3, acquiredAt: 1, leaseId: 'another', adopted: false };
  const oddities: readonly [what: string, answer: unknown][] = [
    ['null', null],
    ['text', 'ok'],
    ['an empty object', {}],
    ['a web page', '<html>'],
    ['ok without a grant', { ok: true, now }],
    ['a grant without the time', { ok: true, granted }],
    ['a grant of somebody else’s lease id', { ok: true, granted, now }],
    ['a time that is none', { ok: true, granted, now: { earliest: '1', latest: null } }],
    ['an error without a name', { ok: false, error: {} }],
    ['an error that is unheard of', { ok: false, error: { name: 'OddError', message: 'x' } }],
    ['no error', { ok: false }],
    ['a holder without a lease', { ok: false, error: { name: 'LockHeldError', message: 'x', holder: {} } }],
    ['a completion without its time', { ok: false, error: { name: 'AlreadyCompletedError', message: 'x' } }],
    ['an inherited error', { ok: false, error: { name: 'constructor', message: 'x' } }],
  ];

  it.each(oddities)('is a StoreError: %s', async (_what, answer) => {
    await using odd = await answeredBy(() => answer);
    const refusal = { name: 'StoreError', retryable: false, message: expect.stringContaining('"odd"') };
    await expect(odd.locks.acquire('a', { waitMs: 5_000 })).rejects.toMatchObject(refusal);
    await expect(odd.locks.inspect('a')).rejects.toMatchObject({ name: 'StoreError', mayHaveApplied: false });
  });

  it('a function that fails for its settings is not set up: a UsageError in its own words', async () => {
    await using odd = await answeredBy(() => {
      throw Object.assign(new Error('LEASEHOLD_TABLE: the name is missing'), { name: 'UsageError' });
    });
    const refusal = { name: 'UsageError', message: expect.stringContaining('LEASEHOLD_TABLE') };
    await expect(odd.locks.acquire('a')).rejects.toMatchObject(refusal);
  });
});
