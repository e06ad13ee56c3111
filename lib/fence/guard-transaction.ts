import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { LockLostError, quoted, UsageError } from '../errors/index.js';
import { checkOptions } from '../lease/check-options.js';
import { all, namesIn } from '../table/expression.js';
import { fenceAttribute } from './fence-condition.js';
import { checkLease, type FenceOptions, type FencingToken } from './fenced.js';

import { guardDelete, guardPut, guardUpdate } from './guard-write.js';
import { findStaleToken } from './stale-token.js';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** A lease that can be checked in the store. */
export interface CurrentLease extends FencingToken {
  readonly leaseId: string;
}

/**
 * A `ConditionCheck` that the lease is the current one at the moment of the transaction, for data in the same
 * Region and account as the lease table. A lease table with strongly consistent replicas has no transactions, and so
 * no such check; the fence in your own items works there as anywhere.
 *
 * @param leaseTable the name of the lease table
 * @throws UsageError unless it has a lease's id and token: what travelled as JSON may have lost them
 */
export function heldCheck(lease: CurrentLease, leaseTable: string): TransactItem {
  checkLease(lease);
  for (const field of ['name', 'leaseId'] as const) {
    if (typeof lease[field] === 'string' && lease[field] !== '') continue;
    throw new UsageError(`heldCheck: needs the lease's ${field}, got ${String(lease[field])}`, lease.name);
  }
  const isCurrent = all(
    // The lease has not been released, broken, or taken over.
    { text: '#leaseId = :leaseId', values: { ':leaseId': lease.leaseId } },
    // And is the grant that this holder was told of: the same acquire may have been granted anew.
    { text: '#version = :token', values: { ':token': lease.token } },
  );
  return {
    ConditionCheck: {
      TableName: leaseTable,
      Key: { name: lease.name },
      ConditionExpression: isCurrent.text,
      ExpressionAttributeNames: namesIn(isCurrent.text),
      ExpressionAttributeValues: isCurrent.values,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

/**
 * A transaction whose writes are all refused when a newer holder has written any of the items, or, with
 * `leaseTable`, when the lease is not the current one any more.
 *
 * @param input as for `TransactWriteCommand`; its `ConditionCheck`s stay as they are
 * @param options `leaseTable`: adds {@link heldCheck}
 * @returns a command for `DynamoDBDocumentClient.send`, which then throws `StaleTokenError` or `LockLostError`
 */
export function guardTransaction(
  lease: CurrentLease,
  input: TransactWriteCommandInput,
  options: FenceOptions & { readonly leaseTable?: string } = {},
): TransactWriteCommand {
  checkLease(lease);
  checkOptions('guardTransaction', options, ['fenceAttribute', 'leaseTable']);
  const { leaseTable, ...fence } = options;
  // An empty one, as from an unset variable, would leave the check out without a word.
  if (leaseTable !== undefined && (typeof leaseTable !== 'string' || leaseTable === ''))
    throw new UsageError(`leaseTable: must be the name of the lease table, got ${quoted(leaseTable)}`);
  const own = input.TransactItems ?? [];
  const guarded = own.map((item) => guardedItem(lease, item, fence));
  const TransactItems = leaseTable === undefined ? guarded : [...guarded, heldCheck(lease, leaseTable)];
  const command = new TransactWriteCommand({ ...input, TransactItems });
  // biome-ignore lint/suspicious/noExplicitAny: the SDK types a middleware stack by its command
  (command.middlewareStack as any).add(
    // biome-ignore lint/suspicious/noExplicitAny: as above
    (next: any) => async (args: any) => {
      try {
        return await next(args);
      } catch (error) {
        throw findReason(lease, own, fence, error) ?? error;
      }
    },
  );
  return command;
}

function guardedItem(lease: FencingToken, item: TransactItem, options: FenceOptions): TransactItem {
  if (item.Put) return { Put: guardPut(lease, item.Put, options).input as TransactItem['Put'] };
  if (item.Update)
    return { Update: guardUpdate(lease, item.Update, options).input as TransactItem['Update'] };
  if (item.Delete)
    return { Delete: guardDelete(lease, item.Delete, options).input as TransactItem['Delete'] };
  return item;
}

interface Cancellation {
  readonly CancellationReasons?: readonly {
    readonly Code?: string;
    readonly Item?: Record<string, unknown>;
  }[];
}

/** The first of the reasons that is ours: an overtaken fence, or the lease check at the end. */
function findReason(
  lease: CurrentLease,
  own: readonly TransactItem[],
  options: FenceOptions,
  error: unknown,
) {
  if ((error as Error).name !== 'TransactionCanceledException') return undefined;
  const reasons = (error as Cancellation).CancellationReasons ?? [];
  for (const [index, reason] of reasons.entries()) {
    if (reason.Code !== 'ConditionalCheckFailed') continue;
    const item = own[index];
    if (item === undefined) {
      const takenOver = reason.Item !== undefined && 'leaseId' in reason.Item;
      return new LockLostError(lease.name, takenOver ? 'taken-over' : 'broken', lease.token, {
        cause: error,
      });
    }
    const write = item.Put ?? item.Update ?? item.Delete;
    const ownCondition = Boolean(write?.ConditionExpression?.trim());
    const stale = write && findStaleToken(lease, reason, fenceAttribute(options), ownCondition, error);
    if (stale) return stale;
  }
  return undefined;
}
