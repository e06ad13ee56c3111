import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';

const { LEASEHOLD_TABLE: table = '', LEASEHOLD_DYNAMODB_ENDPOINT: endpoint = '' } = process.env;
const client = new DynamoDBClient({ endpoint });

interface Request {
  readonly name: string;
  readonly owner: string;
  readonly leaseMs: number;
  readonly leaseId: string;
}

/** A function of one write: the least that can take a lock in DynamoDB, in an item as large as a lease of the service's. */
export async function handler({ name, owner, leaseMs, leaseId }: Request) {
  const now = Date.now();
  const number = (value: number) => ({ N: String(value) });
  await client.send(
    new UpdateItemCommand({
      TableName: table,
      Key: { name: { S: name } },
      UpdateExpression: 'SET #i=:i,#o=:o,#e=:e,#m=:m,#a=:a,#r=:r,#t=:t,#f=:f,#v=:v',
      ConditionExpression: 'attribute_not_exists(#i)',
      ExpressionAttributeNames: {
        '#i': 'leaseId',
        '#o': 'owner',
        '#e': 'expiresAt',
        '#m': 'leaseMs',
        '#a': 'acquiredAt',
        '#r': 'renewals',
        '#t': 'ttl',
        '#f': 'format',
        '#v': 'version',
      },
      ExpressionAttributeValues: {
        ':i': { S: leaseId },
        ':o': { S: owner },
        ':e': number(now + leaseMs),
        ':m': number(leaseMs),
        ':a': number(now),
        ':r': number(0),
        ':t': number(Math.ceil(now / 1000) + 604_800),
        ':f': { S: 'bench/1' },
        ':v': number(now),
      },
    }),
  );
  return { ok: true, granted: { name, leaseId, owner, token: now, expiresAt: now + leaseMs } };
}
