import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createLeaseTable,
  type EngineName,
  type LocalDynamo,
  startDynamo,
} from '../../../lib/local/index.js';
import { systemRuntime } from '../../../lib/runtime/index.js';
import { dynamoTable } from '../../../lib/table/index.js';
import { engines, missingEngines, oneEngine } from '../../support/engines.js';
import { leaseOperationsContract } from '../../support/table/lease-operations-contract.js';
import { leaseTableContract, type StoreUnderContract } from '../../support/table/lease-table-contract.js';

// The same suite over every engine. What was not there shows as a skipped suite, with the reason in its name.
const told = missingEngines.map(({ engine, why }) => `${engine} (${why})`).join('; ');
console.info(`contract suite: runs on ${engines.join(', ')}; not on ${told || 'none'}`);

describe.each(engines)('the contract on %s', (engine) => {
  leaseTableContract(() => openStore(engine, 'DynamoDBClient'));
  leaseOperationsContract(() => openStore(engine, 'DynamoDBClient'));

  describe('what an engine answers to a refusal', () => {
    let dynamo: LocalDynamo;
    beforeAll(async () => {
      dynamo = await startDynamo({ engine });
    });
    afterAll(() => dynamo?.stop());

    it('is known before it is used: with the item, or at the cost of one consistent read', () => {
      const expected = engine === 'dynalite' ? false : engine === 'dynoxide' ? true : expect.any(Boolean);
      expect(dynamo.capabilities.refusedItem).toEqual(expected);
    });
  });
});

describe(`the contract on ${oneEngine}, through a document client`, () => {
  leaseTableContract(() => openStore(oneEngine, 'DynamoDBDocumentClient'));
  leaseOperationsContract(() => openStore(oneEngine, 'DynamoDBDocumentClient'));
});

for (const { engine, why } of missingEngines) {
  describe.skip(`the contract on ${engine}: not run, ${why}`, () => {
    it('is the same as on the others', () => {});
  });
}

async function openStore(engine: EngineName, kind: string): Promise<StoreUnderContract> {
  const dynamo = await startDynamo({ engine });
  const client = new DynamoDBClient(dynamo.clientConfig());
  const tableName = `contract-${systemRuntime.randomId()}`;
  await createLeaseTable(client, tableName);
  const used = kind === 'DynamoDBClient' ? client : DynamoDBDocumentClient.from(client);
  return {
    connect: (clock) =>
      dynamoTable({ client: used, tableName, clock, runtime: systemRuntime, callTimeoutMs: 10_000 }),
    close: async () => {
      client.destroy();
      await dynamo.stop();
    },
  };
}
