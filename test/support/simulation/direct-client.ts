import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SimClient } from '../../simulation/net/sim-client.js';
import { GroupIndex } from '../../simulation/store/group-index.js';
import { carryOut } from '../../simulation/store/operations.js';
import { SimStore } from '../../simulation/store/sim-store.js';
import { EventLoop } from '../../simulation/world/event-loop.js';
import { Random } from '../../simulation/world/random.js';
import { SimProcess } from '../../simulation/world/sim-process.js';

/** The simulated store behind its simulated SDK, answering at once and by the real time. */
export function directClient(): Pick<DynamoDBClient, 'send'> {
  const random = new Random(1);
  const loop = new EventLoop(0);
  const index = new GroupIndex(loop, random, 0);
  const backend = { store: new SimStore(index, () => {}), index, random };
  const clocks = { monotonicRate: 1, wallRate: 1, wallAheadMs: 0 };
  const process = new SimProcess(loop, random, 'p', clocks);
  const client = new SimClient(
    process,
    { maxAttempts: 1, requestTimeoutMs: 1_000 },
    (operation, input, reply) => {
      const answer = carryOut(backend, operation, input);
      setImmediate(() => reply({ date: new Date().toUTCString(), answer }));
    },
  );
  return client as unknown as Pick<DynamoDBClient, 'send'>;
}
