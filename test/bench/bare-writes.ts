import { randomUUID } from 'node:crypto';
import { type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';

/** The least that any lock in DynamoDB must send: one attribute, set and cleared under a condition. */
export async function smallestCycle(client: DynamoDBClient, table: string): Promise<void> {
  for (const state of ['held', 'free']) {
    await client.send(
      new UpdateItemCommand({
        TableName: table,
        Key: { name: { S: 'bench/smallest' } },
        UpdateExpression: 'SET #state = :state',
        ConditionExpression: 'attribute_not_exists(#state) OR #state <> :state',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':state': { S: state } },
      }),
    );
  }
}

/** Two calls that write what a grant and a release write, by hand: what is left to measure is the library. */
export async function sameContentCycle(client: DynamoDBClient, table: string): Promise<void> {
  const leaseId = randomUUID();
  const now = Date.now();
  const number = (value: number) => ({ N: String(value) });
  await client.send(
    new UpdateItemCommand({
      TableName: table,
      Key: { name: { S: 'bench/same-content' } },
      UpdateExpression:
        'SET #l = :l, #o = :o, #e = :e, #m = :m, #a = :a, #r = :zero, #t = :t, #v = if_not_exists(#v, :s) + :one',
      ConditionExpression:
        '(attribute_not_exists(#c)) AND ((attribute_not_exists(#l)) OR (#e < :b)) AND ' +
        '((attribute_not_exists(#k)) OR (#k <> :l)) AND ((attribute_not_exists(#n)) OR (attribute_type(#v, :n)))',
      ExpressionAttributeNames: {
        '#l': 'leaseId',
        '#o': 'owner',
        '#e': 'expiresAt',
        '#m': 'leaseMs',
        '#a': 'acquiredAt',
        '#r': 'renewals',
        '#t': 'ttl',
        '#v': 'version',
        '#c': 'completedAt',
        '#k': 'lastLeaseId',
        '#n': 'name',
      },
      ExpressionAttributeValues: {
        ':l': { S: leaseId },
        ':o': { S: 'bench' },
        ':e': number(now + 30_000),
        ':m': number(30_000),
        ':a': number(now),
        ':zero': number(0),
        ':t': number(Math.ceil(now / 1000) + 600_000),
        ':s': number(now),
        ':one': number(1),
        ':b': number(now - 1_000),
        ':n': { S: 'N' },
      },
      ReturnValues: 'ALL_OLD',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  );
  await client.send(
    new UpdateItemCommand({
      TableName: table,
      Key: { name: { S: 'bench/same-content' } },
      UpdateExpression: 'SET #k = :l, #t = :t REMOVE #l, #o, #e, #m, #a, #r',
      ConditionExpression: '#l = :l',
      ExpressionAttributeNames: {
        '#l': 'leaseId',
        '#o': 'owner',
        '#e': 'expiresAt',
        '#m': 'leaseMs',
        '#a': 'acquiredAt',
        '#r': 'renewals',
        '#t': 'ttl',
        '#k': 'lastLeaseId',
      },
      ExpressionAttributeValues: { ':l': { S: leaseId }, ':t': number(Math.ceil(now / 1000) + 600_000) },
      ReturnValues: 'ALL_OLD',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  );
}

/** Two calls that write an item as large as a held lease, under no condition. */
export async function equalItemCycle(client: DynamoDBClient, table: string): Promise<void> {
  for (let call = 0; call < 2; call++) {
    const now = Date.now();
    await client.send(
      new UpdateItemCommand({
        TableName: table,
        Key: { name: { S: 'bench/equal' } },
        UpdateExpression: 'SET a=:a,b=:b,c=:c,d=:d,e=:e,f=:f,g=:g,h=:h',
        ExpressionAttributeValues: {
          ':a': { S: randomUUID() },
          ':b': { S: 'bench/owner' },
          ':c': { N: String(now) },
          ':d': { N: '30000' },
          ':e': { N: String(now) },
          ':f': { N: '0' },
          ':g': { N: String(Math.ceil(now / 1000)) },
          ':h': { S: 'leasehold/1' },
        },
      }),
    );
  }
}
