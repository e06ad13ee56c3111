import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { anyItem, anySeen } from '../../support/lease/any-item.js';
import { checkItem, type Place } from '../../support/lease/check-item.js';
import { checkProperty } from '../../support/property.js';
import { useStage } from '../../support/use-stage.js';

describe('any item that an acquire may come upon, on a real engine', () => {
  const stage = useStage();

  it('is granted, or not, as the protocol says; what others wrote is never touched', async () => {
    const { locks } = await stage.it.readyActor();
    const { context } = locks;
    const { raw, table: TableName } = stage.it;
    const place: Place = {
      context,
      put: (Item) => raw.send(new PutItemCommand({ TableName, Item })),
      get: async (name) => {
        const Key = { name: { S: name } };
        return (await raw.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }))).Item;
      },
    };
    // Ten days away either way, so that no time that passes in this test matters.
    const { earliest } = context.clock.now();
    const items = fc.oneof(...[-864e6, 864e6].map((awayMs) => anyItem(Math.floor(earliest) + awayMs)));
    await checkProperty(
      fc.asyncProperty(items, anySeen, async (attributes, seenLeaseId) => {
        await checkItem(place, { ...attributes, name: { S: stage.name() } }, seenLeaseId);
      }),
      { cases: 400 },
    );
  });
});
