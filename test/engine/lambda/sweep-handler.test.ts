import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSweepHandler } from '../../../lib/lambda/sweep-handler.js';
import { leaseFormat } from '../../../lib/lease/index.js';
import { useStage } from '../../support/use-stage.js';

const inMs = (ms: number) => ({ getRemainingTimeInMillis: () => ms });

describe('the sweeper’s handler, on a real engine', () => {
  const stage = useStage();

  const putExpired = async (count: number) => {
    const names = Array.from({ length: count }, () => stage.name());
    for (const name of names) await stage.it.put({ name, format: leaseFormat, version: 7, ttl: 1 });
    return names;
  };
  const made = (more: Readonly<Record<string, string>> = {}) => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
    vi.stubEnv('AWS_REGION', 'eu-central-1');
    onTestFinished(() => void vi.unstubAllEnvs());
    const lines: string[] = [];
    const env = {
      LEASEHOLD_TABLE: ` ${stage.it.table} `,
      LEASEHOLD_DYNAMODB_ENDPOINT: stage.it.dynamo.endpoint,
      ...more,
    };
    return { lines, handler: createSweepHandler({ env, log: (line) => lines.push(line) }) };
  };

  it('deletes expired items; its answer goes to the log, too, with the table', async () => {
    const names = await putExpired(3);
    const { lines, handler } = made();
    const answer = await handler({}, inMs(600_000));
    expect(answer).toMatchObject({ status: 'done', deleted: 3, spared: 0 });
    const line = { message: 'Sweep of the lease table', table: stage.it.table, ...answer };
    expect(lines.map((one) => JSON.parse(one))).toEqual([line]);
    for (const name of names) expect(await stage.it.item(name)).toBeUndefined();
    expect(await handler({}, inMs(600_000))).toMatchObject({ status: 'done', deleted: 0 });
    expect(lines).toHaveLength(2);
  });

  it('does nothing that it has no time for: more is left for the next', async () => {
    const [name] = await putExpired(1);
    const { handler } = made({ LEASEHOLD_DELETES_PER_SECOND: '1000' });
    expect(await handler({}, inMs(30_000))).toMatchObject({ status: 'more', deleted: 0 });
    expect(await stage.it.item(name!)).toBeDefined();
    expect(await handler({}, inMs(600_000))).toMatchObject({ status: 'done', deleted: 1 });
  });

  it.each(['1', ' ', '1000'])(
    'takes LEASEHOLD_DELETES_PER_SECOND %j',
    async (LEASEHOLD_DELETES_PER_SECOND) => {
      await putExpired(1);
      const { handler } = made({ LEASEHOLD_DELETES_PER_SECOND });
      expect(await handler({}, inMs(600_000))).toMatchObject({ status: 'done', deleted: 1 });
    },
  );
});
