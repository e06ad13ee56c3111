import { setTimeout as sleep } from 'node:timers/promises';
import { LockClient } from 'leasehold';

const locks = new LockClient({ table: process.env.LEASE_TABLE ?? 'leases' });
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort(name));

/**
 * A service of many processes, one of which does the scheduling. When the leader dies another one leads after its lease;
 * when it is told to stop, as in a deployment, it releases first and another one leads at once.
 */
try {
  await locks.lead(
    'scheduler',
    async (lease, { signal }) => {
      console.log(`leading under token ${lease.token}`);
      while (!signal.aborted) {
        // … one round of scheduling, with lease.token for what it writes to …
        await sleep(1_000, undefined, { signal }).catch(() => {});
      }
      signal.throwIfAborted();
    },
    { signal: stop.signal, leaseMs: 10_000 },
  );
} catch (error) {
  if (error !== stop.signal.reason) throw error;
  console.log('stopped');
} finally {
  await locks.close();
}
