import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLocalLambda } from '../../../../bin/start/state-machine/index.js';
import { createLeaseTable, type LocalDynamo, startDynamo } from '../../../../lib/local/index.js';
import { bundledHandler } from '../../../support/bundles.js';
import { ObservedOutput } from '../../../support/lambda/observed-output.js';
import { until } from '../../../support/until.js';

let dynamo: LocalDynamo;

beforeAll(async () => {
  dynamo = await startDynamo();
  const client = new DynamoDBClient(dynamo.clientConfig());
  await createLeaseTable(client, 'leases');
  client.destroy();
});
afterAll(() => dynamo?.stop());

interface Answer {
  readonly ok: boolean;
  readonly granted?: { readonly token: number; readonly leaseId: string };
}

describe('the deployed lock service tells what it granted and refused', () => {
  it('counts each once, and logs lock and operation, but no lease id', async () => {
    const output = new ObservedOutput();
    await using lambda = await startLocalLambda({
      functions: {
        locks: {
          handler: bundledHandler('lock-service'),
          env: { LEASEHOLD_TABLE: 'leases', LEASEHOLD_DYNAMODB_ENDPOINT: dynamo.endpoint },
        },
      },
      onOutput: output.take,
    });
    const ids: string[] = [];
    const ask = (request: Readonly<Record<string, unknown>>) =>
      lambda.invoke('locks', request) as Promise<Answer>;
    const acquire = async (name: string, more: Readonly<Record<string, unknown>> = {}) => {
      const leaseId = randomUUID();
      ids.push(leaseId);
      const request = { operation: 'acquire', name, leaseId, owner: 'worker', leaseMs: 30_000, ...more };
      return { name, leaseId, token: (await ask(request)).granted?.token };
    };

    const first = await acquire('s/one');
    await acquire('s/one');
    await expect(acquire('s/one', { throw: true })).rejects.toMatchObject({ name: 'LockHeldError' });
    expect(await ask({ operation: 'renew', ...first, leaseMs: 30_000 })).toMatchObject({ ok: true });
    expect(await ask({ operation: 'release', ...first })).toMatchObject({ ok: true });
    const second = await acquire('s/two');
    expect(await ask({ operation: 'complete', ...second, result: 'done' })).toMatchObject({ ok: true });
    // Over, and told so: the holder lost it, by somebody else's doing.
    const third = await acquire('s/one');
    await ask({ operation: 'renew', ...first, leaseMs: 30_000 });
    await ask({ operation: 'release', ...third });

    await until('the last release', () => output.metrics.HoldTime?.values.length === 3);
    expect(output.counts).toEqual({ Granted: 3, Held: 2, Lost: 1, LostTakenOver: 1 });
    expect(output.metrics.Granted).toMatchObject({
      namespace: 'Leasehold',
      dimensions: { service: 'leasehold' },
    });
    expect(output.logs.find(({ message }) => message === 'lock granted')).toMatchObject({
      operation: 'acquire',
      lock: 's/one',
      owner: 'worker',
    });
    expect(output.logs.find(({ message }) => message === 'invocation failed')).toMatchObject({
      level: 'INFO',
      lock: 's/one',
      error: { name: 'LockHeldError' },
    });
    const written = output.lines.join('\n');
    expect(ids.filter((id) => written.includes(id))).toEqual([]);
  });
});
