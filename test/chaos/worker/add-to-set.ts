import { setTimeout as sleep } from 'node:timers/promises';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { guardPut, guardUpdate } from '../../../lib/fence/index.js';
import type { Lease } from '../../../lib/lease/index.js';
import { setTable } from '../terms.js';
import type { Bench } from './bench.js';

/** As holders do. */
const askedWaitMs = 6_000;

/** Elements, one after the other; a string is far cheaper to read and write than a set of thousands. */
interface SetItem {
  readonly members?: string;
}

/** Reads a set and writes it back; the two ways differ in nothing but the guard. */
interface SetAccess {
  readonly read: (bench: Bench, lease: Lease) => Promise<SetItem | undefined>;
  readonly write: (bench: Bench, lease: Lease, members: string) => Promise<unknown>;
}

/** Workload (b): as one would write it who takes a lock for mutual exclusion. */
export const plainAccess: SetAccess = {
  async read({ documents }, { name }) {
    const input = { TableName: setTable, Key: { name }, ConsistentRead: true };
    return (await documents.send(new GetCommand(input))).Item;
  },
  write: ({ documents }, { name }, members) =>
    documents.send(new PutCommand({ TableName: setTable, Item: { name, members } })),
};

/**
 * Workload (c): the same behind the guard. The read raises the fence. A plain read would not do: a write of the holder
 * before, late on its way, could still come in between this read and this holder's first write, be accepted and
 * acknowledged, and then be overwritten.
 */
export const fencedAccess: SetAccess = {
  async read({ documents }, lease) {
    const input = { TableName: setTable, Key: { name: lease.name }, ReturnValues: 'ALL_NEW' as const };
    return (await documents.send(guardUpdate(lease, input))).Attributes;
  },
  write: ({ documents }, lease, members) =>
    documents.send(guardPut(lease, { TableName: setTable, Item: { name: lease.name, members } })),
};

/** Reads the set, thinks, and writes it with one element more. It does not look at its lease: that is the guard's work. */
export async function addToSet(bench: Bench, name: string, access: SetAccess): Promise<void> {
  const { locks, journal, between, orders } = bench;
  await locks.withLock(
    name,
    async (lease) => {
      const { members = '' } = (await access.read(bench, lease)) ?? {};
      await sleep(between(50, 450));
      const element = `${orders.worker}.${orders.generation}.${lease.token}`;
      const about = { set: name, element, token: lease.token };
      journal.write({ kind: 'adding', ...about });
      await access.write(bench, lease, members === '' ? element : `${members} ${element}`);
      journal.write({ kind: 'added', ...about });
    },
    { waitMs: askedWaitMs },
  );
}
