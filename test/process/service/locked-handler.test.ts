import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locksOnce, withLockedHandler } from '../../../lib/lambda/with-locked-handler.js';

import type { LeaseItem } from '../../../lib/lease/index.js';
import { above } from '../../support/above.js';
import { callers, operators, ServiceStage } from '../../support/service/service-stage.js';

/** Callers that have no right to the table, only to invoke the service. */
describe('Lambda code by the lock service', () => {
  let stage: ServiceStage;

  beforeAll(async () => {
    stage = await ServiceStage.open();
  });
  afterAll(async () => {
    await stage?.[Symbol.asyncDispose]();
  });

  const item = async (name: string) => {
    const command = new GetItemCommand({ TableName: 'leases', Key: { name: { S: name } } });
    const { Item } = await stage.raw.send(command);
    return unmarshall(Item ?? {}) as Partial<LeaseItem>;
  };
  const minute = { getRemainingTimeInMillis: () => 60_000 };

  it('finds the service by the environment, and holds nothing when it has answered', async () => {
    // As the function's environment has them; no real ones are used by accident.
    Object.assign(process.env, {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    });
    const env = { LEASEHOLD_SERVICE: callers, LEASEHOLD_LAMBDA_ENDPOINT: stage.endpoint.endpoint };
    await using locks = locksOnce(undefined, env)();
    const handler = withLockedHandler(
      (name: string) => name,
      async (name, _context, lease) => [lease.token, (await item(name)).version],
      { locks },
    );
    const [token, version] = await handler('a', minute);
    expect(token).toBe(version);
    expect(await item('a')).not.toHaveProperty('leaseId');
    const both = { ...env, LEASEHOLD_TABLE: 'leases' };
    expect(locksOnce(undefined, both)).toThrow(expect.objectContaining({ name: 'UsageError' }));
  });

  it('C35 does not run into its time-out, and the lock is free', async () => {
    const handler = withLockedHandler(
      (name: string) => name,
      () => new Promise<never>(() => {}),
      {
        locks: stage.client(),
      },
    );
    const end = performance.now() + 3_000;
    const context = { getRemainingTimeInMillis: () => end - performance.now() };
    await expect(handler('b', context)).rejects.toMatchObject({ name: 'LockLostError', reason: 'max-hold' });
    expect(await item('b')).not.toHaveProperty('leaseId');
  });

  it('C35 a wrapped handler’s lease ends with its invocation', async () => {
    const handler = withLockedHandler(
      (name: string) => name,
      () => item('c'),
      { locks: stage.client() },
    );
    const end = performance.now() + 10_000;
    const short = { getRemainingTimeInMillis: () => end - performance.now() };
    expect((await handler('c', short)).leaseMs).toBeLessThanOrEqual(9_000);
  });

  it('a lease goes from one to the next: a new id, a higher token, the checkpoint', async () => {
    const first = withLockedHandler(
      (name: string) => name,
      async (_name, _context, lease) => {
        await lease.save({ page: 1 });
        return { token: lease.token, lock: await lease.handOver() };
      },
      { locks: stage.client() },
    );
    const { lock, token } = await first('d', minute);
    expect(await item('d')).toMatchObject({ leaseId: lock.leaseId, version: token });
    expect(await stage.client().tryAcquire('d')).toBeNull();
    const second = withLockedHandler(
      (event: { lock: typeof lock }) => event.lock,
      async (_event, _context, lease) => ({ token: lease.token, checkpoint: lease.checkpoint }),
      { locks: stage.client() },
    );
    expect(await second(JSON.parse(JSON.stringify({ lock })), minute)).toEqual({
      token: above(token),
      checkpoint: { page: 1 },
    });
    await expect(second({ lock }, minute)).rejects.toMatchObject({ name: 'LockLostError', token });
  });

  it('I2 the same JSON twice: the later one goes on, the earlier one is told', async () => {
    const [a, b, c] = [stage.client(), stage.client(), stage.client()];
    const lock = await (await a.acquire('e')).handOver();
    const earlier = await b.resume(lock);
    const later = await c.resume(lock);
    expect(later.token).toBeGreaterThan(earlier.token);
    expect(later.takenOverFrom).toMatchObject({ token: earlier.token });
    await expect(earlier.renew()).rejects.toMatchObject({ name: 'LockLostError', reason: 'taken-over' });
    expect(await later.release()).toBe('released');
  });

  it('I4 what an operator broke on its way is lost, and what is finished says so', async () => {
    const lock = await (await stage.client().acquire('f')).handOver();
    const { leaseId } = await item('f');
    await stage.ask({ operation: 'break', name: 'f', leaseId }, operators);
    await expect(stage.client().resume(lock)).rejects.toMatchObject({
      name: 'LockLostError',
      reason: 'broken',
    });
    const done = await (await stage.client().acquire('g')).handOver();
    await (await stage.client().resume(done)).complete({ total: 7 });
    await expect(stage.client().resume(done)).rejects.toMatchObject({
      name: 'AlreadyCompletedError',
      result: { total: 7 },
    });
  });
});
