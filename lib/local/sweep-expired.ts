import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { deleteIfExpired, expiredPage, type Sender } from '../table/sweep/expired-items.js';

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
 * @throws whatever the SDK throws.
 */
export async function sweepExpired(
  client: DynamoDBClient | DynamoDBDocumentClient,
  options: SweepExpiredOptions,
): Promise<string[]> {
  const { table, nowMs, signal } = options;
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
