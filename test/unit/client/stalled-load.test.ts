import { expect, it, vi } from 'vitest';
import { LockClient } from '../../../lib/client/index.js';
import { directClient } from '../../support/simulation/direct-client.js';

// A file that is not read to its end before the test is over. Then it is: whoever loads it in this process later gets it.
const stalled = vi.hoisted(() => ({ end: (_file: object): void => {} }));
vi.mock('../../../lib/client/later-calls.js', () => new Promise((resolve) => (stalled.end = resolve)));

it('C18 who waits for a turn while the part for it is loaded ends with the signal’s own reason', async () => {
  await using locks = new LockClient({ table: 'leases', client: directClient() });
  await using lease = await locks.acquire('jobs');
  const gaveUp = new AbortController();
  const second = locks.acquire('jobs', { waitMs: 60_000, signal: gaveUp.signal });
  gaveUp.abort(new Error('enough'));
  await expect(second).rejects.toThrow('enough');
  expect(lease.isHeld).toBe(true);
  stalled.end(await vi.importActual('../../../lib/client/later-calls.js'));
});
