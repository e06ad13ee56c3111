import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LockClient } from 'leasehold';

/** What has been asked of the table. */
const requests = { reads: 0, writes: 0 };
const client = new DynamoDBClient();
client.middlewareStack.add(
  (next, { commandName }) =>
    (args) => {
      requests[commandName === 'UpdateItemCommand' ? 'writes' : 'reads'] += 1;
      return next(args);
    },
  { step: 'initialize' },
);
const locks = new LockClient({ table: process.env.LEASE_TABLE ?? 'leases', client });

/** Does something and prints what it cost. */
async function priced(what: string, work: () => Promise<void>): Promise<void> {
  const { reads, writes } = requests;
  await work();
  console.log(`${what}: ${requests.writes - writes} writes, ${requests.reads - reads} reads`);
}

/** A warehouse of many processes, of which this is one: what it does with each part of the lock kit while nobody is in its way. */
try {
  // The first request of a client asks for the time.
  await locks.inspect('warehouse');

  const carrier = locks.semaphore('carrier-api', { permits: 5 });
  await priced('one of five calls at a time', () =>
    carrier.withPermit(async (permit) => {
      // … one call, with permit.signal to end it …
      permit.throwIfLost();
    }),
  );

  await priced('goods moved from one shelf to another, under the locks of both', () =>
    locks.withLocks(['shelf/7', 'shelf/3'], async (shelves) => {
      // … each shelf is written to under shelves.get(name).token …
      shelves.throwIfLost();
    }),
  );

  const prices = locks.readWriteLock('prices', { readers: 10 });
  await priced('prices read beside nine others', () => prices.read(async (lease) => lease.throwIfLost()));
  await priced('prices written alone', () => prices.write(async (lock) => lock.throwIfLost()));

  await priced('the label printer, first come, first served', async () => {
    await using turn = await locks.acquire('label-printer', { fair: true, waitMs: 60_000 });
    turn.throwIfLost();
  });

  await priced(
    'whoever plans the tours is asked to let go, and learns of it with its next renewal',
    async () => {
      await using tours = await locks.acquire('tours');
      await locks.requestRelease('tours', tours.leaseId, { reason: 'deployment' });
      await tours.renew();
      console.log(`  asked, for the reason of: ${tours.releaseRequested.reason}`);
    },
  );

  await priced('a report that is written at most once a minute', () =>
    locks.withLock('report', async (lease) => lease.throwIfLost(), { minHoldMs: 60_000 }),
  );
  const again = await locks.tryAcquire('report');
  console.log(`  another one at once: ${again ? 'yes' : 'no'}`);
} finally {
  await locks.close();
  client.destroy();
}
