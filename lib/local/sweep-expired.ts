import {
  type AttributeValue,
  DeleteItemCommand,
  type DynamoDBClient,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

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
 * tests that can't wait for days. Each delete is conditional on the `ttl` that was seen.
 *
 * @returns names of the items deleted, in the order of the deletes.
 * @throws whatever the SDK throws.
 */
export async function sweepExpired(
  client: DynamoDBClient | DynamoDBDocumentClient,
  options: SweepExpiredOptions,
): Promise<string[]> {
  // A document client passes plain commands through unchanged; only its type says otherwise.
  const plain = client as DynamoDBClient;
  const sendOptions = options.signal ? { abortSignal: options.signal } : {};
  const deleted: string[] = [];
  let ExclusiveStartKey: Record<string, AttributeValue> | undefined;
  do {
    const page = await plain.send(
      new ScanCommand({
        TableName: options.table,
        ConsistentRead: true,
        ProjectionExpression: '#name, #ttl',
        FilterExpression: '#ttl < :now',
        ExpressionAttributeNames: { '#name': 'name', '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':now': { N: String(options.nowMs / 1_000) } },
        ExclusiveStartKey,
      }),
      sendOptions,
    );
    for (const item of page.Items ?? []) {
      if (!item.name?.S || !item.ttl?.N) continue;
      if (await deleteUnchanged(plain, options.table, item.name, item.ttl, sendOptions)) {
        deleted.push(item.name.S);
      }
    }
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return deleted;
}

async function deleteUnchanged(
  client: DynamoDBClient,
  table: string,
  name: AttributeValue,
  ttl: AttributeValue,
  sendOptions: { abortSignal?: AbortSignal },
): Promise<boolean> {
  try {
    await client.send(
      new DeleteItemCommand({
        TableName: table,
        Key: { name },
        ConditionExpression: '#ttl = :ttl',
        ExpressionAttributeNames: { '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':ttl': ttl },
      }),
      sendOptions,
    );
    return true;
  } catch (error) {
    if ((error as Error).name === 'ConditionalCheckFailedException') return false;
    throw error;
  }
}
