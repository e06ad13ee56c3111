import type { LockClient } from '../../lib/index.js';
import { equalItemCycle } from './bare-writes.js';
import { inTurns, ratios } from './rounds.js';
import { type Row, rowOf } from './row.js';
import { ownLocks, plainClient, startStore, table } from './store.js';

const locksInAll = 200;
const tasks = 50;

/** All locks once, by so many tasks at a time. */
async function byTasks(cycle: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const task = async () => {
    while (next < locksInAll) await cycle(next++);
  };
  await Promise.all(Array.from({ length: tasks }, task));
}

async function lockCycle(locks: LockClient, index: number): Promise<void> {
  const lease = await locks.acquire(`many/${index}`);
  await lease.release();
}

/** How many cycles get through in a time, against two bare writes for each. */
export async function throughputRows(rounds: number): Promise<readonly Row[]> {
  await using dynamo = await startStore();
  const client = plainClient(dynamo.endpoint);
  const locks = ownLocks(dynamo.endpoint);
  const took = await inTurns(
    {
      locks: () => byTasks((index) => lockCycle(locks, index)),
      bare: () => byTasks(() => equalItemCycle(client, table)),
    },
    { rounds, turns: 5, warmUpTurns: 5 },
  );
  await locks.close();
  client.destroy();
  const what = `throughput, ${locksInAll} locks by ${tasks} tasks ÷ bare`;
  return [rowOf(what, '≥ 0.9', ratios(took.bare, took.locks))];
}
