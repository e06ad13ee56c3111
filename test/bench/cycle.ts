/**
 * What the lock itself costs: an uncontended acquire + release against two bare `UpdateItem` calls through the same
 * SDK client on the same engine, taken in turn, so that a machine whose speed drifts slows all of them.
 *
 *     npm run bench            # the figures as a table
 *     npm run bench -- --json  # one object
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LockClient } from '../../lib/index.js';
import { createLeaseTable, startDynamo } from '../../lib/local/index.js';
import { equalItemCycle, sameContentCycle, smallestCycle } from './bare-writes.js';
import { printComparison, summaryOf, timed } from './comparison.js';

const warmUpRounds = 300;
const countedRounds = 1_000;
const table = 'leases';

await using dynamo = await startDynamo({ allowDocker: false });
const client = new DynamoDBClient(dynamo.clientConfig());
await createLeaseTable(client, table);
await using locks = new LockClient({ table, client });

// A client of the library's own, as most programs have it: its requests share what the SDK makes of its middleware.
process.env.AWS_ACCESS_KEY_ID ??= 'local';
process.env.AWS_SECRET_ACCESS_KEY ??= 'local';
await using own = new LockClient({
  table,
  endpoint: String(dynamo.clientConfig().endpoint),
  region: 'us-east-1',
});

async function lockCycle(by: LockClient): Promise<void> {
  const lease = await by.acquire('bench/lock');
  await lease.release();
}

const contenders = [
  { label: 'acquire + release', run: () => lockCycle(own), samplesMs: [] as number[] },
  {
    label: 'the same, by the bare calls’ client',
    run: () => lockCycle(locks),
    samplesMs: [] as number[],
  },
  {
    label: '2 × UpdateItem, an equal item',
    run: () => equalItemCycle(client, table),
    samplesMs: [] as number[],
  },
  {
    label: '2 × UpdateItem, same content',
    run: () => sameContentCycle(client, table),
    samplesMs: [] as number[],
  },
  {
    label: '2 × UpdateItem, one attribute',
    run: () => smallestCycle(client, table),
    samplesMs: [] as number[],
  },
];
for (let round = -warmUpRounds; round < countedRounds; round++) {
  // Each starts in turn: none always finds the connection warmed by the same other.
  const first = Math.abs(round) % contenders.length;
  for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)]) {
    const tookMs = await timed(contender.run);
    if (round >= 0) contender.samplesMs.push(tookMs);
  }
}
client.destroy();
const [measured, ...baselines] = contenders.map(({ label, samplesMs }) => ({
  label,
  ...summaryOf(samplesMs),
}));
printComparison({
  what: 'an uncontended acquire + release against two bare UpdateItem calls',
  engine: dynamo.engine,
  target: 1.15,
  measured: measured!,
  baselines,
});
