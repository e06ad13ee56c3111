import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';

const { LEASEHOLD_TABLE: table = '', LEASEHOLD_DYNAMODB_ENDPOINT: endpoint = '' } = process.env;
const client = new DynamoDBClient({ endpoint });

/** A function of one write: the least that can take a lock in DynamoDB. */
export async function handler({ name, owner }: { readonly name: string; readonly owner: string }) {
  await client.send(
    new UpdateItemCommand({
      TableName: table,
      Key: { name: { S: name } },
      UpdateExpression: 'SET #o = :o',
      ConditionExpression: 'attribute_not_exists(#o)',
      ExpressionAttributeNames: { '#o': 'owner' },
      ExpressionAttributeValues: { ':o': { S: owner } },
    }),
  );
  return { ok: true };
}
