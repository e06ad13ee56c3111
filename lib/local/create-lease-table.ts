import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createTable } from '../table/index.js';

/** How {@link createLeaseTable} makes the table. */
export interface CreateLeaseTableOptions {
  /** Enable Time to Live on `ttl`. @default true */
  readonly ttl?: boolean;
  /** The end of waiting for the table to become active, in milliseconds. @default 60 seconds */
  readonly waitMs?: number;
}

/** What {@link createLeaseTable} did. */
export interface CreatedLeaseTable {
  /** `false` when the table was there already, with the right key and index. */
  readonly created: boolean;
  /** `unsupported`: the engine has no Time to Live; `skipped`: not asked for. */
  readonly timeToLive: 'enabled' | 'unsupported' | 'skipped';
}

/**
 * Makes the lease table of the protocol unless it is there, as `leasehold table create` does: partition key `name`,
 * on demand, index `byGroup` on `group` and `name` with keys only, Time to Live on `ttl`. May run in several
 * processes at once.
 *
 * @throws UsageError when a table of that name has another key or index; StoreError
 */
export async function createLeaseTable(
  client: DynamoDBClient,
  tableName: string,
  options: CreateLeaseTableOptions = {},
): Promise<CreatedLeaseTable> {
  const { ttl = true, waitMs = 60_000 } = options;
  const { created, timeToLive } = await createTable(client, tableName, { timeToLive: ttl, waitMs });
  const enabled = timeToLive === 'enabled-now' || timeToLive === 'enabled-before';
  return { created, timeToLive: enabled ? 'enabled' : timeToLive };
}
