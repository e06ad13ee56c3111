import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LockClient } from '../../../lib/client/index.js';
import { accessDenied, cannedServer, errorAnswer } from '../../support/canned-server.js';
import { EventLog } from '../../support/event-log.js';
import { madeTable } from '../../support/made-table.js';
import { useStage } from '../../support/use-stage.js';

describe('requests to the table', () => {
  const stage = useStage();
  afterEach(() => vi.unstubAllEnvs());

  it('C40 every read that decides is strongly consistent', async () => {
    using events = new EventLog();
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    const lease = await a.locks.acquire(name, { group: 'g' });
    const waiting = b.locks.acquire(name, { waitMs: 60_000, group: 'g' });
    await events.next('held', name);
    await b.locks.inspect(name);
    for await (const _info of b.locks.list());
    for await (const _info of b.locks.list({ group: 'g' }));
    await lease.release();
    await (await waiting).release();
    const reads = b.meter.log.filter(({ operation }) => /Get|Scan/.test(operation));
    expect(new Set(reads.map(({ operation }) => operation))).toEqual(
      new Set(['GetItem', 'BatchGetItem', 'Scan']),
    );
    for (const { body } of reads) {
      const consistent = body.ConsistentRead ?? body.RequestItems?.[stage.it.table]?.ConsistentRead;
      expect(consistent).toBe(true);
    }
  });

  it('every write is one conditional write that asks for the item it is refused by', async () => {
    const name = stage.name();
    const { locks, meter } = await stage.it.readyActor();
    const lease = await locks.acquire(name);
    await lease.save('x');
    await lease.release();
    await (await locks.acquire(name)).complete('r');
    await locks.reopen(name);
    await locks.break(name, 'none');
    expect(meter.writes).toBe(7);
    for (const { operation, body } of meter.log.filter(({ operation }) => operation !== 'GetItem')) {
      expect(operation).toBe('UpdateItem');
      expect(body.ConditionExpression).not.toBe('');
      expect(body.ReturnValuesOnConditionCheckFailure).toBe('ALL_OLD');
      expect(body.UpdateExpression).not.toMatch(/\bADD\b/);
    }
  });

  it('a request ends by the client’s own deadline, even where the SDK has none', async () => {
    const name = stage.name();
    const { locks, faults } = await stage.it.readyActor({ config: { requestHandler: {}, maxAttempts: 1 } });
    faults.on('UpdateItem').hang();
    await expect(locks.acquire(name)).rejects.toMatchObject({
      name: 'StoreError',
      mayHaveApplied: true,
      cause: { name: 'TimeoutError' },
    });
    faults.clear();
  });

  it('a client of its own gives up an attempt that hangs and tries again, within the request’s time', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
    let attempts = 0;
    const server = createServer((request, response) => {
      request.resume();
      // The first attempt is never answered.
      if (++attempts > 1) response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const options = { endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', requestTimeoutMs: 1_000 };
    const locks = new LockClient({ table: 'leases', ...options });
    const lease = await locks.acquire('x');
    expect(attempts).toBe(3);
    await lease.release();
    await locks.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('C20 a table that is not there fails at once, with the original error, also for a waiter', async () => {
    const { locks } = stage.it.actor({ table: 'no-such-table' });
    const missing = { name: 'StoreError', retryable: false, cause: { name: 'ResourceNotFoundException' } };
    await expect(locks.acquire('x', { waitMs: 3_600_000 })).rejects.toMatchObject(missing);
    await expect(locks.inspect('x')).rejects.toMatchObject(missing);
    await expect(locks.break('x', 'id')).rejects.toMatchObject(missing);
    await expect(locks.reopen('x')).rejects.toMatchObject(missing);
  });

  it('C20 a table with another key fails at once, and says which key it needs', async () => {
    await madeTable(stage.it.raw, 'other-key', 'id');
    const { locks } = stage.it.actor({ table: 'other-key' });
    await expect(locks.acquire('x', { waitMs: 3_600_000 })).rejects.toMatchObject({
      name: 'StoreError',
      retryable: false,
      message: expect.stringContaining('partition key "name"'),
      cause: { name: 'ValidationException' },
    });
  });

  it('C20 a caller without permission fails at once, with the original error', async () => {
    await using server = await cannedServer(() => accessDenied);
    await using locks = new LockClient({ table: 'leases', client: server.client });
    await expect(locks.acquire('x', { waitMs: 3_600_000 })).rejects.toMatchObject({
      name: 'StoreError',
      retryable: false,
      mayHaveApplied: false,
      message: expect.stringContaining('may not be used by this identity'),
      cause: { name: 'AccessDeniedException' },
    });
  });

  it('a caller that may write but not read still learns the time, from the refusal', async () => {
    await using server = await cannedServer((operation) =>
      operation === 'GetItem' ? accessDenied : { status: 200, body: {} },
    );
    await using locks = new LockClient({ table: 'leases', client: server.client });
    const lease = await locks.acquire('x');
    await lease.release();
    expect(server.asked).toEqual(['GetItem', 'UpdateItem', 'UpdateItem']);
  });

  it.each([
    ['a transaction on the item, such as a guard’s check of the lease', 'TransactionConflictException'],
    ['a write in another Region of a global table', 'ReplicatedWriteConflictException'],
  ])('%s is waited for', async (_what, error) => {
    const conflict = errorAnswer(error, 'The item is being written to');
    let writes = 0;
    await using server = await cannedServer((operation) =>
      operation === 'UpdateItem' && ++writes <= 2 ? conflict : { status: 200, body: {} },
    );
    await using locks = new LockClient({ table: 'leases', client: server.client });
    const once = await locks.acquire('x').catch((error) => error);
    expect(once).toMatchObject({ name: 'StoreError', retryable: true, mayHaveApplied: false });
    const lease = await locks.acquire('x', { waitMs: 30_000 });
    await lease.release();
  });
});
