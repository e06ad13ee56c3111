import {
  type AttributeValue,
  DeleteItemCommand,
  type DynamoDBClient,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';

/** Something that sends plain commands: a DynamoDB client, or a document client, which passes them through. */
export type Sender = Pick<DynamoDBClient, 'send'>;

/** Which items are expired. */
export interface ExpiryRule {
  /** Items go whose numeric `ttl` (seconds since the epoch) lies before this. */
  readonly ttlBefore: number;
  /**
   * And, if it is given, only those whose lease, if they hold one, and whose completion, if they have one, lie before
   * this, in milliseconds of store time.
   */
  readonly usedBefore?: number;
}

/** One page of a table. */
export interface ExpiredPage {
  /** Names of items that were expired when they were read. */
  readonly names: readonly string[];
  /** Items that were read, expired or not. */
  readonly scanned: number;
  /** The name after which the next page begins; absent at the end of the table. */
  readonly after: string | undefined;
}

/** How a table is read. */
export interface ExpiredPageRequest {
  readonly table: string;
  readonly rule: ExpiryRule;
  /** Where to go on. @default at the beginning */
  readonly after?: string;
  /** Items a page at most. @default what DynamoDB puts into a page: 1 MB */
  readonly limit?: number;
  /** Whether every write is seen; it costs twice as much. @default false */
  readonly consistent?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Reads a page of a table, in the table's own order, and answers what is expired in it. The item after which it goes
 * on may be gone: its place in that order is not.
 *
 * @throws whatever the SDK throws
 */
export async function expiredPage(client: Sender, request: ExpiredPageRequest): Promise<ExpiredPage> {
  const page = await client.send(
    new ScanCommand({
      TableName: request.table,
      ConsistentRead: request.consistent ?? false,
      ProjectionExpression: '#name',
      FilterExpression: '#ttl < :ttlBefore',
      ExpressionAttributeNames: { '#name': 'name', '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':ttlBefore': number(request.rule.ttlBefore) },
      Limit: request.limit,
      ExclusiveStartKey: request.after === undefined ? undefined : toKey(request.after),
    }),
    { abortSignal: request.signal },
  );
  return {
    names: (page.Items ?? []).map(({ name }) => name!.S!),
    scanned: page.ScannedCount ?? 0,
    after: page.LastEvaluatedKey?.name?.S,
  };
}

/**
 * Deletes an item if it is expired at that moment. Whoever took the lock since it was read has moved its `ttl`, so
 * the condition does not hold; a late duplicate of the request changes nothing for the same reason.
 *
 * @returns whether it was deleted, by this request
 * @throws whatever else the SDK throws
 */
export async function deleteIfExpired(
  client: Sender,
  table: string,
  name: string,
  rule: ExpiryRule,
  signal?: AbortSignal,
): Promise<boolean> {
  const conditions = ['#ttl < :ttlBefore'];
  if (rule.usedBefore !== undefined) {
    for (const moment of ['#expiresAt', '#completedAt']) {
      conditions.push(`(attribute_not_exists(${moment}) OR ${moment} < :usedBefore)`);
    }
  }
  const command = new DeleteItemCommand({
    TableName: table,
    Key: toKey(name),
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: {
      '#ttl': 'ttl',
      ...(rule.usedBefore !== undefined && { '#expiresAt': 'expiresAt', '#completedAt': 'completedAt' }),
    },
    ExpressionAttributeValues: {
      ':ttlBefore': number(rule.ttlBefore),
      ...(rule.usedBefore !== undefined && { ':usedBefore': number(rule.usedBefore) }),
    },
  });
  try {
    await client.send(command, { abortSignal: signal });
    return true;
  } catch (error) {
    if ((error as Error).name === 'ConditionalCheckFailedException') return false;
    throw error;
  }
}

function toKey(name: string): Record<string, AttributeValue> {
  return { name: { S: name } };
}

function number(value: number): AttributeValue {
  return { N: String(value) };
}
