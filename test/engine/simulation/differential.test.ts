import { DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLeaseTable, type LocalDynamo, startDynamo } from '../../../lib/local/index.js';
import { type ItemChange, toExpression } from '../../../lib/table/index.js';
import { oneEngine } from '../../support/engines.js';
import { checkProperty } from '../../support/property.js';
import { directClient } from '../../support/simulation/direct-client.js';
import { randomChange } from '../../support/simulation/product-changes.js';
import { randomItem } from '../../support/simulation/random-items.js';

/** Each case is four requests to a real engine. */
const cases = 1_000;

describe(`the simulated table against ${oneEngine}`, () => {
  let dynamo: LocalDynamo;
  let real: DynamoDBClient;

  beforeAll(async () => {
    dynamo = await startDynamo({ engine: oneEngine });
    real = new DynamoDBClient(dynamo.clientConfig());
    await createLeaseTable(real, 'leases');
  });

  afterAll(async () => {
    real?.destroy();
    await dynamo?.stop();
  });

  it(`answers ${cases} of the product's own writes to random items as the engine does`, async () => {
    const simulated = directClient();
    let names = 0;
    let applied = 0;
    const property = fc.asyncProperty(fc.option(randomItem), randomChange, async (item, change) => {
      const name = `item-${++names}`;
      const answers = await Promise.all(
        [real, simulated].map(async (client) => {
          if (item)
            await client.send(new PutItemCommand({ TableName: 'leases', Item: marshall({ ...item, name }) }));
          return toAnswer(client, name, change);
        }),
      );
      expect(answers[1]).toEqual(answers[0]);
      if (answers[0]!.error === undefined) applied += 1;
    });
    await checkProperty(property, { cases });
    // Neither always refused nor always applied.
    expect(applied).toBeGreaterThan(names / 20);
    expect(applied).toBeLessThan((names * 19) / 20);
  });
});

/** How a write ended, and what stands there afterwards. */
async function toAnswer(client: Pick<DynamoDBClient, 'send'>, name: string, change: ItemChange) {
  const { update, condition, names, values } = toExpression(change);
  const TableName = 'leases';
  const Key = { name: { S: name } };
  const command = new UpdateItemCommand({
    TableName,
    Key,
    UpdateExpression: update === '' ? undefined : update,
    ConditionExpression: condition,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues:
      Object.keys(values).length > 0 ? marshall(values, { removeUndefinedValues: true }) : undefined,
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    const { Attributes } = await client.send(command);
    return { item: Attributes };
  } catch (error) {
    const { name: kind, Item } = error as Error & { Item?: unknown };
    return { error: kind, item: Item };
  }
}
