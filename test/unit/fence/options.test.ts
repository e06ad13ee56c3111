import type { S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import {
  checkRows,
  guardDelete,
  guardPut,
  guardTombstone,
  guardTransaction,
  guardUpdate,
  sqlFence,
} from '../../../lib/fence/index.js';
import { guardedPutObject } from '../../../lib/fence/s3/index.js';

const lease = { name: 'settlement', token: 7, leaseId: 'l' };
const write = { TableName: 'ledger', Key: { id: '99' } };

describe('the options of a guard', () => {
  const misspelt = { fenceAtribute: 'guard', signals: 1 } as never;

  it.each<[string, () => unknown]>([
    ['guardPut', () => guardPut(lease, { TableName: 'ledger', Item: { id: '99' } }, misspelt)],
    ['guardUpdate', () => guardUpdate(lease, write, misspelt)],
    ['guardDelete', () => guardDelete(lease, write, misspelt)],
    ['guardTombstone', () => guardTombstone(lease, write, misspelt)],
    ['guardTransaction', () => guardTransaction(lease, { TransactItems: [{ Delete: write }] }, misspelt)],
    ['guardTransaction of nothing', () => guardTransaction(lease, { TransactItems: [] }, misspelt)],
    ['sqlFence', () => sqlFence(lease, { placeholder: '?', ...(misspelt as object) })],
    ['guardedPutObject', () => guardedPutObject(noS3, lease, { Bucket: 'b', Key: 'k', Body: '' }, misspelt)],
  ])('D38 that are misspelt, of %s: refused by name, and nothing is sent', async (_, guard) => {
    await expect(async () => guard()).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringMatching(/no option "(fenceAtribute|signals)"/),
    });
  });

  it.each([[''], [null], [7]])(
    'D38 of a transaction whose lease table is %j are refused: its check would be left out',
    (leaseTable) => {
      expect(() =>
        guardTransaction(lease, { TransactItems: [] }, { leaseTable: leaseTable as never }),
      ).toThrow(expect.objectContaining({ name: 'UsageError' }));
    },
  );

  it('D38 that another guard takes are refused, too: they would do nothing', () => {
    const options = { leaseTable: 'leases' } as never;
    expect(() => guardPut(lease, { TableName: 'ledger', Item: {} }, options)).toThrow(
      /no option "leaseTable"/,
    );
  });

  it.each([
    [{}],
    [{ placeholder: undefined }],
    [{ placeholder: 1 }],
    [{ placeholder: '?', column: '' }],
    [{ placeholder: '?', column: null }],
  ])('D38 of sqlFence that would be no SQL are refused: %j', (options) => {
    expect(() => sqlFence(lease, options as never)).toThrow(expect.objectContaining({ name: 'UsageError' }));
  });
});

describe('the number of rows that a driver says', () => {
  it.each([[1], [2], [1n]])('D05 %s is a row that was written', (count) => {
    expect(() => checkRows(lease, count)).not.toThrow();
  });

  it.each([[0], [0n], [null], [undefined]])('D05 %s is none', (count) => {
    expect(() => checkRows(lease, count)).toThrow(expect.objectContaining({ name: 'StaleTokenError' }));
  });

  it.each([['0'], [[0]], [-1], [Number.NaN], [true], [{ affectedRows: 0 }]])(
    'D05 %s is no number of rows, and never a row',
    (count) => {
      expect(() => checkRows(lease, count as never)).toThrow(expect.objectContaining({ name: 'UsageError' }));
    },
  );
});

const noS3 = {
  send: () => {
    throw new Error('something was sent');
  },
} as unknown as S3Client;
