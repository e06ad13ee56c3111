import type { S3Client } from '@aws-sdk/client-s3';
import { checkRows, guardTransaction, guardUpdate, sqlFence } from '../../../lib/fence/index.js';
import { guardedPutObject } from '../../../lib/fence/s3/index.js';
import type { Lease } from '../../../lib/lease/index.js';
import { deadlineAfter } from '../../../lib/runtime/index.js';
import { SimClient } from '../net/sim-client.js';
import { leaseTable } from '../world/cluster.js';
import { guardedObjectsOf } from './guarded-objects.js';
import type { Machine } from './machine.js';
import type { SqlRows } from './sql-rows.js';

const sendTimeoutMs = 2_000;

/** A holder acts on what the lock protects, in one of the ways that `lib/fence` has. */
export async function actOnResource(machine: Machine, lease: Lease, rows: SqlRows): Promise<void> {
  const { random } = machine.cluster;
  const known = { leaseId: lease.leaseId };
  const update = {
    TableName: 'data',
    Key: { id: lease.name },
    UpdateExpression: 'SET #by = :by',
    ExpressionAttributeNames: { '#by': 'by' },
    ExpressionAttributeValues: { ':by': lease.leaseId },
  };
  switch (random.whole(0, 4)) {
    case 0:
      await machine.call(
        'guardUpdate',
        lease.name,
        () => send(machine, guardUpdate(lease, update)),
        undefined,
        known,
      );
      return;
    case 1: {
      const transaction = guardTransaction(lease, { TransactItems: [{ Update: update }] }, { leaseTable });
      await machine.call('guardTransaction', lease.name, () => send(machine, transaction), undefined, known);
      return;
    }
    case 2:
    case 3:
      await machine.call('guardedPutObject', lease.name, () => putObject(machine, lease), undefined, known);
      return;
    default: {
      const fence = sqlFence(lease, { placeholder: '$1' });
      const changed = async () =>
        checkRows(lease, await rows.update(machine, lease.name, lease.leaseId, fence));
      await machine.call('sqlFence', lease.name, changed, undefined, known);
    }
  }
}

/** S3 tells objects apart by their bodies: that of each holder is its own, as it must be. */
async function putObject({ process, cluster }: Machine, lease: Lease): Promise<unknown> {
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
