import { type Processor, withLedger } from '../../../lib/scan/index.js';
import type { ClientHabits } from '../lock/hold-options.js';
import type { ScanMachine } from './scan-machine.js';

/** The result is the keys themselves: nothing can be lost or doubled unseen. */
export interface Keys {
  readonly keys: readonly string[];
}

/** A processor that records what it is handed, takes its time, and writes a fenced row for each page where it is to. */
export function simProcessor(machine: ScanMachine, habits: ClientHabits): Processor<Keys> {
  const { cluster, process } = machine;
  const { random } = cluster;
  const held = new Set<string>();
  const plain: Processor<Keys> = {
    inlineBytes: random.pick([100_000, 30]),
    empty: () => ({ keys: [] }),
    merge: (a, b) => ({ keys: [...a.keys, ...b.keys] }),
    async process(page, { lease }) {
      if (!held.has(lease.leaseId)) machine.hold(lease);
      held.add(lease.leaseId);
      const keys = page.objects.map(({ key }) => key);
      cluster.history.records.push({
        kind: 'page',
        atMs: cluster.nowMs,
        process: process.id,
        slice: page.sliceName,
        leaseId: lease.leaseId,
        token: lease.token,
        keys,
      });
      cluster.trace && cluster.note(process.id, `is handed ${keys.join(' ')} of ${page.sliceName}`);
      cluster.survey(page.sliceName, 'page', lease.leaseId);
      if (cluster.network.isCalm) await process.sleep(1);
      else if (random.chance(0.1)) await process.block(random.spread(1, 2 * habits.leaseMs));
      else await process.sleep(random.spread(1, random.chance(0.2) ? 2 * habits.leaseMs : 300));
      return { keys };
    },
  };
  if (!machine.hasLedger) return plain;
  // biome-ignore lint/suspicious/noExplicitAny: it stands in for the document client
  return withLedger(plain, { client: machine.client as any, table: 'ledger' });
}
