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

type AnyLease = { readonly name: string; readonly token: number; readonly leaseId: string };
const lease: AnyLease = { name: 'settlement', token: 7, leaseId: 'l' };
const write = { TableName: 'ledger', Key: { id: '99' } };

describe('the options of a guard', () => {
  const misspelt = { fenceAtribute: 'guard', signals: 1 } as never;

  describe.each<[string, string, (lease: AnyLease) => unknown]>([
    ['guardPut', 'The guard', (of) => guardPut(of, { TableName: 'ledger', Item: { id: '99' } }, misspelt)],
    ['guardUpdate', 'The guard', (of) => guardUpdate(of, write, misspelt)],
    ['guardDelete', 'The guard', (of) => guardDelete(of, write, misspelt)],
    ['guardTombstone', 'guardTombstone', (of) => guardTombstone(of, write, misspelt)],
    [
      'guardTransaction',
      'guardTransaction',
      (of) => guardTransaction(of, { TransactItems: [{ Delete: write }] }, misspelt),
    ],
    [
      'guardTransaction of nothing',
      'guardTransaction',
      (of) => guardTransaction(of, { TransactItems: [] }, misspelt),
    ],
    // Also where what it needs is missing: its name may be the one that is misspelt.
    ['sqlFence', 'sqlFence', (of) => sqlFence(of, misspelt)],
    [
      'guardedPutObject',
      'guardedPutObject',
      (of) => guardedPutObject(noS3, of, { Bucket: 'b', Key: 'k', Body: '' }, misspelt),
    ],
  ])('D38 that are misspelt, of %s', (_, call, guard) => {
    it('are refused by name, and nothing is sent', async () => {
      await expect(async () => guard(lease)).rejects.toMatchObject({
        name: 'UsageError',
        message: expect.stringMatching(new RegExp(`^${call}: has no option "(fenceAtribute|signals)"`)),
      });
    });

    it('D05 are looked at behind the token, without which nothing is guarded', async () => {
      await expect(async () => guard({ ...lease, token: Number.NaN })).rejects.toThrow('fencing token');
    });
  });

  it('D38 that each guard takes are told where one is misspelt', () => {
    expect(() => guardPut(lease, { TableName: 'ledger', Item: {} }, misspelt)).toThrow(
      'it takes fenceAttribute',
    );
    expect(() => guardTombstone(lease, write, misspelt)).toThrow('it takes fenceAttribute, keep');
    expect(() => guardTransaction(lease, { TransactItems: [] }, misspelt)).toThrow(
      'it takes fenceAttribute, leaseTable',
    );
    expect(() => sqlFence(lease, misspelt)).toThrow('it takes placeholder, column');
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

  it.each<[object, string]>([
    [{}, 'placeholder'],
    [{ placeholder: undefined }, 'placeholder'],
    [{ placeholder: 1 }, 'placeholder'],
    [{ placeholder: ' ' }, 'placeholder'],
    [{ placeholder: '?', column: '' }, 'column'],
    [{ placeholder: '?', column: null }, 'column'],
  ])('D38 of sqlFence that would be no SQL are refused: %j', (options, named) => {
    expect(() => sqlFence(lease, options as never)).toThrow(
      expect.objectContaining({
        name: 'UsageError',
        message: expect.stringContaining(`${named} must be a text`),
      }),
    );
  });
});

describe('I3 the fence of a row', () => {
  it('lets an equal token through, and a row that no guard has written', () => {
    expect(sqlFence(lease, { placeholder: '$1' })).toEqual({
      set: 'fence = $1',
      where: '(fence IS NULL OR fence <= $1)',
      value: 7,
    });
  });

  it('stands in the column that the caller names', () => {
    expect(sqlFence(lease, { placeholder: '?', column: 'settled_under' })).toEqual({
      set: 'settled_under = ?',
      where: '(settled_under IS NULL OR settled_under <= ?)',
      value: 7,
    });
  });
});

describe('the number of rows that a driver says', () => {
  it.each([[1], [2], [1n]])('D05 %s is a row that was written', (count) => {
    expect(() => checkRows(lease, count)).not.toThrow();
  });

  it.each([[0], [0n], [null], [undefined]])('D05 %s is none', (count) => {
    expect(() => checkRows(lease, count)).toThrow(expect.objectContaining({ name: 'StaleTokenError' }));
  });

  it('D05 is looked at behind the token', () => {
    expect(() => checkRows({ ...lease, token: 0 }, -1)).toThrow('fencing token');
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
