import { LambdaClient } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LockClient } from '../../../lib/client/index.js';
import { ServiceStage } from '../../support/service/service-stage.js';
import { bySize } from '../../support/size.js';

const callers = bySize({ short: 100, long: 1_000 });

/** Those that wait for one lock: each reads every second or so. */
const waiting = bySize({ short: 15, long: 40 });

/** Connections at once; further requests wait for one. */
const connections = 6;
/** A connection is free a moment before its process: with no more processes than that a request would now and then be refused. */
const environments = 2 * connections;

describe(`${callers.toLocaleString('en')} callers at once`, () => {
  let stage: ServiceStage;
  let lambdaClient: LambdaClient;

  beforeAll(async () => {
    stage = await ServiceStage.open({ functions: { maxEnvironments: environments, timeoutMs: 30_000 } });
    lambdaClient = new LambdaClient({
      endpoint: stage.endpoint.endpoint,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      requestHandler: { httpAgent: { maxSockets: connections }, socketAcquisitionWarningTimeout: 60_000 },
    });
  });
  afterAll(async () => {
    lambdaClient?.destroy();
    await stage?.[Symbol.asyncDispose]();
  });

  /** Each a machine of its own: callers in one process would queue in memory. */
  const machines = (count: number): LockClient[] =>
    Array.from({ length: count }, (_, i) =>
      stage.client({
        lambdaClient,
        owner: `caller-${i}`,
        leaseMs: 300_000,
        requestTimeoutMs: 60_000,
        maxAttempts: 2,
        pollFloorMs: 500,
        pollCeilingMs: 2_000,
      }),
    );

  it('I1 want one lock: one of them gets it, and all others are told that it does', async () => {
    const outcomes = await Promise.all(
      machines(callers).map((locks) => locks.acquire('one').catch((error) => error)),
    );
    const [lease, ...more] = outcomes.filter((outcome) => !(outcome instanceof Error));
    expect(more).toEqual([]);
    const refusals = outcomes.filter((outcome) => outcome instanceof Error);
    expect(refusals).toHaveLength(callers - 1);
    for (const error of refusals) {
      expect(error).toMatchObject({
        name: 'LockHeldError',
        holder: { owner: lease.owner, token: lease.token },
      });
    }
    await lease.release();
  }, 180_000);

  it('want a lock each: all get theirs', async () => {
    // A second try of the test is in nobody's way.
    const names = `many/${Date.now()}`;
    const leases = await Promise.all(machines(callers).map((locks, i) => locks.acquire(`${names}/${i}`)));
    expect(leases.filter((lease) => lease.isHeld)).toHaveLength(callers);
    expect(new Set(leases.map(({ leaseId }) => leaseId)).size).toBe(callers);
    await Promise.all(leases.map((lease) => lease.release()));
  }, 180_000);

  it('I1 I2 of whom many wait for one lock: they hold it one after the other, with rising tokens', async () => {
    let holders = 0;
    const tokens: number[] = [];
    await Promise.all(
      machines(waiting).map((locks) =>
        locks.withLock(
          'in turn',
          async (lease) => {
            holders += 1;
            expect(holders).toBe(1);
            tokens.push(lease.token);
            await lease.renew();
            expect(holders).toBe(1);
            holders -= 1;
          },
          { waitMs: 150_000 },
        ),
      ),
    );
    expect(tokens).toHaveLength(waiting);
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
  }, 180_000);
});
