import { describe, expect, it } from 'vitest';
import { startLocalLambda } from '../../../bin/start/state-machine/index.js';
import { leaseFormat } from '../../../lib/lease/index.js';
import { bundledHandler } from '../../support/bundles.js';
import { useStage } from '../../support/use-stage.js';

describe('the bundled sweeper in a process of its own, on a real engine', () => {
  const stage = useStage();

  it('deletes expired items and says how many', async () => {
    const [old, recent] = [stage.name(), stage.name()];
    await stage.it.put({ name: old, format: leaseFormat, version: 7, ttl: 1 });
    await stage.it.put({
      name: recent,
      format: leaseFormat,
      version: 7,
      ttl: Math.floor(Date.now() / 1_000) + 3_600,
    });
    await using lambda = await startLocalLambda({
      functions: {
        sweep: {
          handler: bundledHandler('sweep'),
          env: {
            LEASEHOLD_TABLE: stage.it.table,
            LEASEHOLD_DYNAMODB_ENDPOINT: stage.it.dynamo.endpoint,
          },
          timeoutMs: 60_000,
        },
      },
    });
    const answer = await lambda.invoke('sweep', {}, AbortSignal.timeout(30_000));
    expect(answer).toMatchObject({ status: 'done', deleted: 1, spared: 0 });
    expect(await stage.it.item(old)).toBeUndefined();
    expect(await stage.it.item(recent)).toBeDefined();
  });
});
