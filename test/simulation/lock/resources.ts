import type { S3Client } from '@aws-sdk/client-s3';
import {
  type CurrentLease,
  checkRows,
  guardDelete,
  guardPut,
  guardTombstone,
  guardTransaction,
  guardUpdate,
  sqlFence,
} from '../../../lib/fence/index.js';
import { guardedPutObject } from '../../../lib/fence/s3/index.js';
import { deadlineAfter } from '../../../lib/runtime/index.js';
import { SimClient } from '../net/sim-client.js';
import { heldTable, leaseTable } from '../world/cluster.js';
import type { Random } from '../world/random.js';
import { guardedObjectsOf } from './guarded-objects.js';
import type { CallFacts, Machine } from './machine.js';
import type { SqlRows } from './sql-rows.js';

const sendTimeoutMs = 2_000;

/** Of what may be deleted. */
export const draftKind = 2;

/** One of the ways. */
export function drawKind(random: Random): number {
  return random.whole(0, 9);
}

/** A holder acts on what the lock protects, in one of the ways that `lib/fence` has. */
export async function actOnResource(
  machine: Machine,
  lease: CurrentLease,
  rows: SqlRows,
  kind = drawKind(machine.cluster.random),
): Promise<void> {
  const act = (what: string, toCommand: () => unknown, facts: CallFacts = {}) =>
    machine.call(what, lease.name, async () => send(machine, toCommand()), undefined, {
      leaseId: lease.leaseId,
      ...facts,
    });
  switch (kind) {
    case 0:
      return void (await act('guardUpdate', () => guardUpdate(lease, updateOf(lease)), {
        touches: ['data'],
      }));
    case 1:
      return void (await act('guardPut', () => guardPut(lease, putOf(lease, machine)), {
        touches: ['documents'],
      }));
    case draftKind: {
      // A deletion takes the fence along: another one can only be overtaken by what was written in between.
      const draft = { ...updateOf(lease), TableName: 'drafts' };
      const writes = machine.cluster.random.chance(0.5);
      if (writes) return void (await act('guardUpdate', () => guardUpdate(lease, draft)));
      return void (await act('guardDelete', () => guardDelete(lease, deletionOf(lease))));
    }
    case 3: {
      const { TableName, Item } = putOf(lease, machine);
      const input = { TableName, Key: { id: Item.id } };
      const tombstone = () => guardTombstone(lease, input, { keep: { by: lease.leaseId } });
      return void (await act('guardTombstone', tombstone, { touches: ['documents'] }));
    }
    case 4:
    case 5:
    case 6:
      return transact(machine, lease, act);
    case 7:
    case 8: {
      const put = () => putObject(machine, lease);
      return void (await machine.call('guardedPutObject', lease.name, put, undefined, {
        leaseId: lease.leaseId,
        touches: ['s3'],
      }));
    }
    default: {
      const fence = () => sqlFence(lease, { placeholder: '$1' });
      const changed = async () =>
        checkRows(lease, await rows.update(machine, lease.name, lease.leaseId, fence()));
      const facts = { leaseId: lease.leaseId, touches: ['sql'] };
      await machine.call('sqlFence', lease.name, changed, undefined, facts);
    }
  }
}

const updateOf = (lease: CurrentLease) => ({
  TableName: 'data',
  Key: { id: lease.name },
  UpdateExpression: 'SET #by = :by',
  ExpressionAttributeNames: { '#by': 'by' },
  ExpressionAttributeValues: { ':by': lease.leaseId },
});

/** What was read is written back, with the fence as it stood. */
const putOf = (lease: CurrentLease, { cluster }: Machine) => {
  const fence = cluster.store.itemsOf('documents').get(lease.name)?.fence?.N;
  return {
    TableName: 'documents',
    Item: { id: lease.name, by: lease.leaseId, ...(fence !== undefined && { fence: Number(fence) }) },
  };
};

/** Its condition holds always; it says who deletes. */
const deletionOf = (lease: CurrentLease) => ({
  TableName: 'drafts',
  Key: { id: lease.name },
  ConditionExpression: 'attribute_not_exists(#keptFor) OR #keptFor = :by',
  ExpressionAttributeNames: { '#keptFor': 'keptFor' },
  ExpressionAttributeValues: { ':by': lease.leaseId },
});

/**
 * Some writes that stand or fall together, of each kind, with a check of their own that may fail, and now and then the check
 * that the lease is the current one.
 */
async function transact(
  machine: Machine,
  lease: CurrentLease,
  act: (what: string, toCommand: () => unknown, facts: CallFacts) => Promise<unknown>,
): Promise<void> {
  const { random, store } = machine.cluster;
  const parts = [
    { Update: updateOf(lease) },
    { Put: putOf(lease, machine) },
    { Delete: deletionOf(lease) },
    { Update: { ...updateOf(lease), TableName: 'drafts' } },
  ].filter(() => random.chance(0.6));
  const alone = [{ Delete: deletionOf(lease) }];
  // Two writes of one transaction may not be of one item.
  const writes = (random.chance(0.3) ? alone : parts).filter(
    (part, at, all) => at === all.findIndex((other) => tableOf(other) === tableOf(part)),
  );
  const demandsLease = random.chance(0.5);
  if (demandsLease || writes.length === 0) {
    writes.push({ Update: { ...updateOf(lease), TableName: demandsLease ? heldTable : 'data' } });
  }
  const isClosed = random.chance(0.15);
  const settings = { id: `${lease.leaseId} ${machine.process.idsMade} ${machine.cluster.elapsedMs}` };
  if (isClosed) store.put('settings', { id: { S: settings.id } }, { id: { S: settings.id } });
  const check = {
    TableName: 'settings',
    Key: settings,
    ConditionExpression: 'attribute_not_exists(#id)',
    ExpressionAttributeNames: { '#id': 'id' },
  };
  const items = [...writes, { ConditionCheck: check }];
  const TransactItems = random.chance(0.5) ? items : items.reverse();
  const command = () => guardTransaction(lease, { TransactItems }, demandsLease ? { leaseTable } : {});
  await act('guardTransaction', command, {
    parts: writes.length,
    touches: writes.map((part) => String(tableOf(part))),
    value: isClosed ? 'closed' : 'open',
  });
}

function tableOf(part: object): unknown {
  return (Object.values(part)[0] as { TableName: string }).TableName;
}

/** S3 tells objects apart by their bodies: that of each holder is its own, as it must be. */
async function putObject({ process, cluster }: Machine, lease: CurrentLease): Promise<unknown> {
  const objects = guardedObjectsOf(cluster);
  const way = cluster.wayOf(process, (operation, input) => objects.carryOut(operation, input));
  const s3 = new SimClient(process, { maxAttempts: 2, requestTimeoutMs: 500 }, way);
  const deadline = deadlineAfter(process.runtime, sendTimeoutMs);
  const input = { Bucket: 'reports', Key: lease.name, Body: lease.leaseId, Metadata: { by: lease.leaseId } };
  try {
    return await guardedPutObject(s3 as unknown as Pick<S3Client, 'send'>, lease, input, {
      signal: deadline.signal,
    });
  } finally {
    deadline.clear();
  }
}

/** Without a time limit of its own the caller would wait as long as the network does. */
async function send(machine: Machine, command: unknown): Promise<unknown> {
  const deadline = deadlineAfter(machine.process.runtime, sendTimeoutMs);
  try {
    return await machine.client.send(command, { abortSignal: deadline.signal });
  } finally {
    deadline.clear();
  }
}
