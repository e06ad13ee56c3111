import type { Item } from '../store/attribute-values.js';
import { type Cluster, leaseTable } from '../world/cluster.js';

/** To restore a table takes minutes, in which nobody uses it; here never less than any clock's interval is wide. */
const minRestoreMs = 10_000;
const maxRestoreMs = 600_000;

/** The table as it was at one moment. */
export interface Backup {
  items: ReadonlyMap<string, Item>;
}

/** Takes a backup of the lease table at a moment of the schedule. Items are never changed, only replaced. */
export function backUp(cluster: Cluster): Backup {
  const backup: Backup = { items: new Map() };
  cluster.loop.after(cluster.random.between(0, 4_000), () => {
    backup.items = new Map(cluster.store.itemsOf(leaseTable));
    cluster.note('somebody', `backs up the table: ${backup.items.size} items`);
  });
  return backup;
}

/** Some time passes, and the table is what it was. All who used it have gone. */
export async function restoreBackup(cluster: Cluster, { items }: Backup): Promise<void> {
  const untilMs = cluster.nowMs + cluster.random.between(minRestoreMs, maxRestoreMs);
  await cluster.loop.run(untilMs);
  cluster.loop.nowMs = Math.max(cluster.loop.nowMs, untilMs);
  cluster.restore(items);
}
