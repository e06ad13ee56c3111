import type { SqlFence } from '../../../lib/fence/index.js';
import { NotSimulated } from '../store/attribute-values.js';
import type { Cluster } from '../world/cluster.js';
import type { Machine } from './machine.js';

/** A table of rows with a fence each, that takes just the SQL which the guard makes. */
export class SqlRows {
  readonly #cluster: Cluster;
  readonly #fences = new Map<string, number>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** UPDATE … SET <fence.set> WHERE id = … AND <fence.where>: the number of rows that changed. */
  async update(machine: Machine, id: string, by: string, fence: SqlFence): Promise<number> {
    const { loop, random, history } = this.#cluster;
    await loop.sleep(random.spread(1, 3_000));
    const current = this.#fences.get(id);
    let changed = 0;
    if (holds(fence.where, current, fence.value)) {
      if (fence.set !== 'fence = $1') throw new NotSimulated(`SET ${fence.set}`);
      this.#fences.set(id, fence.value);
      changed = 1;
      const resource = `sql/${id}`;
      history.records.push({ kind: 'accepted', atMs: this.#cluster.nowMs, resource, by, token: fence.value });
    }
    await new Promise<void>((resolve) => loop.after(1, () => machine.process.deliver(resolve)));
    return changed;
  }
}

/** `(fence IS NULL OR fence <= $1)`, and parts of it. */
function holds(where: string, current: number | undefined, value: number): boolean {
  const inner = where.replace(/^\((.*)\)$/, '$1');
  return inner.split(' OR ').some((part) => {
    if (part === 'TRUE') return true;
    if (part === 'fence IS NULL') return current === undefined;
    if (part === 'fence <= $1') return current !== undefined && current <= value;
    throw new NotSimulated(`WHERE ${where}`);
  });
}
