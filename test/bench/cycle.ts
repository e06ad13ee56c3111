import { LockClient } from '../../lib/index.js';
import { equalItemCycle, sameContentCycle } from './bare-writes.js';
import { startRelay } from './relay.js';
import { inTurns, ratios } from './rounds.js';
import { type Row, rowOf } from './row.js';
import { ownLocks, plainClient, startStore, table } from './store.js';

/** Each client has a lock of its own: one that others have just had may cost a write more (docs/protocol.md, section 2). */
async function lockCycle(locks: LockClient, name: string): Promise<void> {
  const lease = await locks.acquire(name);
  await lease.release();
}

/** What the lock itself costs: an uncontended acquire + release against two bare `UpdateItem` calls. */
export async function cycleRows(rounds: number): Promise<readonly Row[]> {
  await using dynamo = await startStore();
  const rows: Row[] = [];
  for (const delayMs of [0, 4]) {
    await using relay = delayMs > 0 ? await startRelay(dynamo.endpoint, delayMs) : undefined;
    const endpoint = relay?.endpoint ?? dynamo.endpoint;
    const client = plainClient(endpoint);
    const passed = new LockClient({ table, client });
    const cachingClient = plainClient(endpoint, { cacheMiddleware: true });
    const caching = new LockClient({ table, client: cachingClient });
    const own = ownLocks(endpoint);
    const took = await inTurns(
      {
        own: () => lockCycle(own, `own/${delayMs}`),
        passed: () => lockCycle(passed, `passed/${delayMs}`),
        caching: () => lockCycle(caching, `caching/${delayMs}`),
        byHand: () => sameContentCycle(client, table),
        bare: () => equalItemCycle(client, table),
      },
      { rounds, turns: delayMs > 0 ? 40 : 100, warmUpTurns: 200 },
    );
    const aim = delayMs > 0 ? '≤ 1.03' : '≤ 1.15';
    const at = `at ${delayMs} ms`;
    rows.push(
      rowOf(
        `acquire + release ÷ 2 bare UpdateItem of an equal item, ${at}`,
        aim,
        ratios(took.own, took.bare),
      ),
      rowOf(`the same by a client that is passed in, ${at}`, aim, ratios(took.passed, took.bare)),
      rowOf(`the same, made with cacheMiddleware, ${at}`, aim, ratios(took.caching, took.bare)),
      rowOf(`the same requests by hand, ${at}`, '', ratios(took.byHand, took.bare)),
    );
    await Promise.all([own, passed, caching].map((locks) => locks.close()));
    client.destroy();
    cachingClient.destroy();
  }
  return [...rows, ...(await sizeRows(dynamo.endpoint))];
}

/** What travels. */
async function sizeRows(store: string): Promise<readonly Row[]> {
  const cycles = 10;
  const rows: Row[] = [];
  for (const whose of ['of its own', 'that is passed in'] as const) {
    await using relay = await startRelay(store, 0);
    const client = plainClient(relay.endpoint);
    const locks =
      whose === 'of its own' ? ownLocks(relay.endpoint) : new LockClient({ table, client, owner: 'bench' });
    // Its first request asks for the time.
    await lockCycle(locks, `size/${rows.length}`);
    const [bytes, requests] = [relay.bytesUp, relay.requests];
    for (let cycle = 0; cycle < cycles; cycle++) await lockCycle(locks, `size/${rows.length}`);
    const perCycle = (after: number, before: number) => [Math.round((after - before) / cycles)];
    const aim = whose === 'of its own' ? '≤ 2,300' : '';
    rows.push(
      rowOf(`bytes up for a cycle, by an SDK client ${whose}`, aim, perCycle(relay.bytesUp, bytes)),
      rowOf(`requests for a cycle, by an SDK client ${whose}`, '2', perCycle(relay.requests, requests)),
    );
    await locks.close();
    client.destroy();
  }
  return rows;
}
