import { expect, it, vi } from 'vitest';
import { LockClient } from '../../../lib/client/index.js';
import { directClient } from '../../support/simulation/direct-client.js';

// A file that is never read to its end.
vi.mock('../../../lib/client/later-calls.js', () => new Promise(() => {}));

it('C18 who waits for a turn while the part for it is loaded ends with the signal’s own reason', async () => {
  await using locks = new LockClient({ table: 'leases', client: directClient() });
  await using lease = await locks.acquire('jobs');
  const gaveUp = new AbortController();
  const second = locks.acquire('jobs', { waitMs: 60_000, signal: gaveUp.signal });
  gaveUp.abort(new Error('enough'));
  await expect(second).rejects.toThrow('enough');
  expect(lease.isHeld).toBe(true);
});
