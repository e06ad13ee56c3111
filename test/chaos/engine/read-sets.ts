import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { FinalSets } from '../check/set-updates.js';
import { setTable } from '../terms.js';

/** The sets as they stand, read strongly consistently. */
export async function readSets(client: DynamoDBClient, names: readonly string[]): Promise<FinalSets> {
  const sets = new Map<string, ReadonlySet<string>>();
  for (const name of names) {
    const Key = { name: { S: name } };
    const { Item } = await client.send(
      new GetItemCommand({ TableName: setTable, Key, ConsistentRead: true }),
    );
    sets.set(name, new Set((Item?.members?.S ?? '').split(' ').filter((element) => element !== '')));
  }
  return sets;
}
