import { describe } from 'vitest';
import { systemRuntime } from '../../../lib/runtime/index.js';
import { dynamoTable } from '../../../lib/table/index.js';
import { directClient } from '../../support/simulation/direct-client.js';
import { leaseOperationsContract } from '../../support/table/lease-operations-contract.js';
import { leaseTableContract, type StoreUnderContract } from '../../support/table/lease-table-contract.js';

describe('the simulated table', () => {
  leaseTableContract(openStore);
  leaseOperationsContract(openStore);
});

/** The simulator's table behind production's `dynamoTable`, on real time and without a network. */
async function openStore(): Promise<StoreUnderContract> {
  const client = directClient();
  return {
    connect: (clock) =>
      dynamoTable({
        client,
        tableName: 'contract',
        clock,
        runtime: systemRuntime,
        callTimeoutMs: 10_000,
      }),
    close: async () => {},
  };
}
