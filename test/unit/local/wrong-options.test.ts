import { describe, expect, it } from 'vitest';
import { createLeaseTable, startDynamo, startS3, sweepExpired } from '../../../lib/local/index.js';

const client = { send: () => Promise.reject(new Error('nothing is sent')) } as never;
const start = (options: unknown) => startDynamo(options as never);
const serve = (options: unknown) => startS3(options as never);
const create = (...given: unknown[]) => createLeaseTable(...(given as Parameters<typeof createLeaseTable>));
const sweep = (...given: unknown[]) => sweepExpired(...(given as Parameters<typeof sweepExpired>));

describe('leasehold/local refuses what can’t be right, and names it', () => {
  it.each([
    [() => start(null), 'startDynamo: must be given an object with engine'],
    [() => start({ motor: 'dynalite' }), 'startDynamo: has no option "motor"; it takes engine'],
    [
      () => start({ engine: 'dynalit' }),
      'engine: must be one of endpoint, docker, dynoxide, dynalite, got "dynalit"',
    ],
    [
      () => start({ engine: 'dynalite', startTimeoutMs: 0 }),
      'startTimeoutMs: must be a number at least 1, got 0',
    ],
    [() => serve(undefined), 'startS3: must be given an object with buckets'],
    [() => serve({ directory: '.' }), 'startS3: has no option "directory"'],
    [() => serve({}), 'buckets: must be an object, with a directory for each bucket’s name, got nothing'],
    [() => serve({ buckets: ['./a'] }), 'buckets: must be'],
    [() => serve({ buckets: { mine: 5 } }), 'buckets: must be'],
    [() => create(undefined, 'leases'), 'client: must be a DynamoDBClient, got nothing'],
    [() => create(client, ''), 'table: must be the name of a table, got ""'],
    [() => create(client, 'leases', { tll: true }), 'createLeaseTable: has no option "tll"'],
    [() => create(client, 'leases', { waitMs: Number.NaN }), 'waitMs: must be a number at least 0, got NaN'],
    [() => sweep({}, { table: 'leases', nowMs: 0 }), 'client: must be a DynamoDBClient'],
    [() => sweep(client, undefined), 'sweepExpired: must be given an object with table'],
    [() => sweep(client, { nowMs: 0 }), 'table: must be the name of a table, got nothing'],
    [() => sweep(client, { table: 'leases' }), 'nowMs: must be a number at least 0, got nothing'],
  ])('%#: %s', async (call, message) => {
    await expect(call()).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(message),
    });
  });
});
