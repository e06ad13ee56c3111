import { setTimeout as sleep } from 'node:timers/promises';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { above } from '../../support/above.js';
import type { AnyAnswer } from '../../support/service/in-process.js';
import { callers, ServiceStage } from '../../support/service/service-stage.js';
import { until } from '../../support/until.js';

/** Long enough for a lease of two seconds, and the store's uncertainty about the time. */
const pauseMs = 4_000;

describe('an execution environment that is frozen and thawed', () => {
  let stage: ServiceStage;

  beforeAll(async () => {
    // One process, so that it is known which one answers.
    stage = await ServiceStage.open({ functions: { maxEnvironments: 1 } });
    await stage.ask({ operation: 'inspect', name: 'warm' });
  });
  afterAll(() => stage?.[Symbol.asyncDispose]());

  const pid = () => stage.lambda.environments().find(({ functionName }) => functionName === callers)!.pid;
  const ask = (request: unknown) => stage.ask(request) as Promise<AnyAnswer>;
  const item = async (name: string) => {
    const key = { TableName: 'leases', Key: { name: { S: name } }, ConsistentRead: true };
    return unmarshall((await stage.raw.send(new GetItemCommand(key))).Item!);
  };

  it('between two invocations: it knows the time when it wakes, and lengthens no lease for what it slept', async () => {
    const acquire = {
      operation: 'acquire',
      name: 'slept',
      leaseId: 'lease-of-one',
      owner: 'one',
      leaseMs: 2_000,
    };
    const first = await ask(acquire);
    stage.lambda.freeze(pid());
    await sleep(pauseMs);
    const expiredMeanwhile = Date.now();
    stage.lambda.thaw(pid());

    const shown = await ask({ operation: 'inspect', name: 'slept' });
    expect(shown.now.latest).toBeGreaterThanOrEqual(expiredMeanwhile);
    expect(shown.now.earliest).toBeLessThanOrEqual(Date.now());
    expect(shown.lock).toMatchObject({ state: 'expired', remainingMs: 0 });
    const next = await ask({ ...acquire, leaseId: 'lease-of-two', owner: 'two' });
    expect(next.granted).toMatchObject({
      token: above(first.granted.token),
      takenOverFrom: { owner: 'one', token: first.granted.token },
    });
  });

  it('I2 in mid-request: the caller counts from before it asked, and never believes longer than the store', async () => {
    const locks = stage.client({
      leaseMs: 9_000,
      requestTimeoutMs: 6_000,
      maxAttempts: 1,
      renewEveryMs: 2_000,
    });
    // Asleep past its own time-out the function answers that it does not know; the caller then asks again, and adopts.
    const asked = locks.acquire('in-between', { waitMs: 60_000 });
    await until('it is at work', () => stage.lambda.environments().some(({ state }) => state === 'busy'));
    stage.lambda.freeze(pid());
    await sleep(pauseMs);
    stage.lambda.thaw(pid());
    const lease = await asked;
    const { expiresAt, leaseId } = await item('in-between');
    expect(leaseId).toBe(lease.leaseId);
    const believedMs = lease.remainingMs;
    expect(believedMs).toBeLessThanOrEqual(expiresAt - Date.now());
    expect(believedMs).toBeLessThanOrEqual(9_000);
    await lease.release();
  });

  it('a request that was asleep for longer than its lease changes nothing of the next holder’s', async () => {
    const acquire = { operation: 'acquire', name: 'late', leaseMs: 2_000 };
    const first = await ask({ ...acquire, leaseId: 'lease-of-one', owner: 'one' });
    const renewal = { operation: 'renew', name: 'late', leaseId: 'lease-of-one', token: first.granted.token };
    stage.lambda.freeze(pid());
    // With the process stopped no other one may start: it waits in the SDK's stead.
    const locks = stage.client({ service: 'leasehold-operators' });
    await using lease = await locks.acquire('late', { waitMs: 30_000 });
    stage.lambda.thaw(pid());
    const before = await item('late');
    expect(await ask({ ...renewal, leaseMs: 60_000 })).toMatchObject({
      ok: false,
      error: { name: 'LockLostError', reason: 'taken-over' },
    });
    expect(await item('late')).toEqual(before);
    expect(lease.isHeld).toBe(true);
  });
});
