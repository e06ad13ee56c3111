import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { inTurns, ratios } from './rounds.js';
import { type Row, rowOf } from './row.js';
import { ownLocks, plainClient, startStore, table } from './store.js';

const result = { orderId: 'order-4711', charged: 1_999, lines: ['a', 'b'] };

/** The least that an idempotent call needs: claim the name, write the result down; whoever finds it reads the result. */
export async function onceByHand(client: DynamoDBClient, name: string): Promise<unknown> {
  try {
    await client.send(
      new PutItemCommand({
        TableName: table,
        Item: { name: { S: name }, state: { S: 'running' }, until: { N: String(Date.now() + 30_000) } },
        ConditionExpression: 'attribute_not_exists(#n)',
        ExpressionAttributeNames: { '#n': 'name' },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException && error.Item)) throw error;
    return unmarshall(error.Item).outcome;
  }
  await client.send(
    new UpdateItemCommand({
      TableName: table,
      Key: { name: { S: name } },
      UpdateExpression: 'SET #s = :s, outcome = :r',
      ConditionExpression: '#s = :running',
      ExpressionAttributeNames: { '#s': 'state' },
      ExpressionAttributeValues: {
        ':s': { S: 'done' },
        ':running': { S: 'running' },
        ':r': { M: marshall(result) },
      },
    }),
  );
  return result;
}

/** `once` against the same by hand: the call that does the work, and one that finds it done. */
export async function onceRows(rounds: number): Promise<readonly Row[]> {
  await using dynamo = await startStore();
  const client = plainClient(dynamo.endpoint);
  const locks = ownLocks(dynamo.endpoint);
  let calls = 0;
  const work = () => Promise.resolve(result);
  await locks.once('done', work);
  await onceByHand(client, 'done-by-hand');
  const took = await inTurns(
    {
      first: () => locks.once(`first-${calls++}`, work),
      firstByHand: () => onceByHand(client, `by-hand-${calls++}`),
      replay: () => locks.once('done', work),
      replayByHand: () => onceByHand(client, 'done-by-hand'),
    },
    { rounds, turns: 100, warmUpTurns: 200 },
  );
  await locks.close();
  client.destroy();
  return [
    rowOf('once, first call ÷ by hand', '≤ 1.15', ratios(took.first, took.firstByHand)),
    rowOf('once, replay ÷ by hand', '≤ 1.25', ratios(took.replay, took.replayByHand)),
  ];
}
