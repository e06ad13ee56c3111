import { type Cluster, leaseTable } from '../world/cluster.js';

const dayMs = 24 * 3_600_000;

/**
 * So much time passes that Time to Live may remove the items, each at a moment of its own, and does. What is late
 * on the network arrives meanwhile; nobody is there to renew anything.
 */
export async function passTimeToLive(cluster: Cluster): Promise<void> {
  const items = cluster.store.itemsOf(leaseTable);
  for (let looks = 0; looks < 3 && items.size > 0; looks++) {
    const dueMs = [...items.values()].map(({ ttl }) => Number(ttl?.N ?? 0) * 1000);
    const untilMs = Math.max(cluster.nowMs, ...dueMs) + cluster.random.between(0, 2 * dayMs);
    await cluster.loop.run(untilMs);
    cluster.loop.nowMs = Math.max(cluster.loop.nowMs, untilMs);
    for (const [name, item] of [...items]) {
      const isDue = Number(item.ttl?.N ?? Number.POSITIVE_INFINITY) * 1000 < cluster.nowMs;
      if (!isDue) continue;
      cluster.countTrouble('Time to Live removes an item');
      cluster.note('ttl', `removes ${name}`);
      cluster.store.put(leaseTable, { name: { S: name } }, undefined);
    }
  }
}

/** Somebody with too many rights deletes an item while it is in use: beyond the assumptions. */
export function deleteEarly(cluster: Cluster, names: readonly string[]): void {
  cluster.loop.after(cluster.random.between(500, 6_000), () => {
    const name = cluster.random.pick(names);
    if (!cluster.store.itemsOf(leaseTable).has(name)) return;
    cluster.history.premises.deletedEarlyAtMs ??= cluster.nowMs;
    cluster.countTrouble('somebody deletes an item in use');
    cluster.note('somebody', `deletes ${name}`);
    cluster.store.put(leaseTable, { name: { S: name } }, undefined);
  });
}
