import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { refuse } from '../errors/index.js';
import { checkNumber, checkOptions } from '../lease/check-options.js';
import { createTable } from '../table/index.js';
import { deleteIfExpired, expiredPage, type Sender } from '../table/sweep/expired-items.js';

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
 * @throws UsageError when a table of that name has another key or index, or for what can't be right; StoreError
 */
export async function createLeaseTable(
  client: DynamoDBClient,
  tableName: string,
  options: CreateLeaseTableOptions = {},
): Promise<CreatedLeaseTable> {
  checkClient(client);
  checkTableName(tableName);
  checkOptions('createLeaseTable', options, ['ttl', 'waitMs']);
  const { ttl = true, waitMs = 60_000 } = options;
  checkNumber('waitMs', waitMs, 0);
  const { created, timeToLive } = await createTable(client, tableName, { timeToLive: ttl, waitMs });
  const enabled = timeToLive === 'enabled-now' || timeToLive === 'enabled-before';
  return { created, timeToLive: enabled ? 'enabled' : timeToLive };
}

/** What {@link sweepExpired} sweeps. */
export interface SweepExpiredOptions {
  /** Table with partition key `name` and Time to Live on `ttl`. */
  readonly table: string;
  /** The moment to sweep for, ms since the epoch; may lie in the future. */
  readonly nowMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Deletes what DynamoDB's Time to Live would have deleted by a given moment: every item whose numeric `ttl`
 * (seconds since the epoch) lies before it. For engines that accept Time to Live but never sweep, and for
 * tests that can't wait for days. Each delete is conditional on a `ttl` that still lies before that moment.
 *
 * @returns names of the items deleted, in the order of the deletes.
 * @throws UsageError for what can't be right; whatever the SDK throws.
 */
export async function sweepExpired(
  client: DynamoDBClient | DynamoDBDocumentClient,
  options: SweepExpiredOptions,
): Promise<string[]> {
  checkClient(client);
  checkOptions('sweepExpired', options, ['table', 'nowMs', 'signal']);
  const { table, nowMs, signal } = options;
  checkTableName(table);
  checkNumber('nowMs', nowMs, 0);
  // A document client passes plain commands through unchanged; only its type says otherwise.
  const plain = client as Sender;
  const rule = { ttlBefore: nowMs / 1_000 };
  const deleted: string[] = [];
  let after: string | undefined;
  do {
    const page = await expiredPage(plain, { table, rule, after, consistent: true, signal });
    for (const name of page.names) {
      if (await deleteIfExpired(plain, table, name, rule, signal)) deleted.push(name);
    }
    after = page.after;
  } while (after !== undefined);
  return deleted;
}

function checkClient(client: unknown): void {
  if (typeof (client as Partial<Sender> | undefined)?.send !== 'function')
    refuse('client', 'a DynamoDBClient', client);
}

function checkTableName(name: unknown): void {
  if (typeof name !== 'string' || name === '') refuse('table', 'the name of a table', name);
}
