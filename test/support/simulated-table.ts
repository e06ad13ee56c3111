import { type AttributeValue, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { StoreClock } from '../../lib/clock/store-clock.js';
import type { TableContext } from '../../lib/lease/index.js';
import { systemRuntime } from '../../lib/runtime/index.js';
import { dynamoTable } from '../../lib/table/index.js';
import { dateAt, HandClocks } from './hand-clocks.js';
import { directClient } from './simulation/direct-client.js';

/** Store time in {@link simulatedTable}: it lies in the second that begins here, and stands still. */
export const simulatedNow = 1_700_000_000_000;

/** A stored item, as DynamoDB has it. */
export type Item = Readonly<Record<string, AttributeValue>>;

/** The simulator's table, which is held to the engines, behind production's own `dynamoTable`. */
export function simulatedTable(options: { readonly skewMs?: number } = {}) {
  const client = directClient();
  const TableName = 'leases';
  const table = dynamoTable({
    client,
    tableName: TableName,
    // The table's responses tell the real time; here it stands still.
    clock: new StoreClock(systemRuntime),
    runtime: systemRuntime,
    callTimeoutMs: 10_000,
  });
  const runtime = new HandClocks();
  const clock = new StoreClock(runtime);
  clock.observe(clock.instant(), dateAt(simulatedNow));
  const context: TableContext = { table, clock, runtime, skewMs: 500, retentionMs: 86_400_000, ...options };
  return {
    context,
    runtime,
    put: (item: Item): Promise<unknown> => client.send(new PutItemCommand({ TableName, Item: item })),
    get: async (name: string): Promise<Item | undefined> => {
      const { Item } = await client.send(new GetItemCommand({ TableName, Key: { name: { S: name } } }));
      return Item;
    },
  };
}
