import { expect, it } from 'vitest';
import { createLockService } from '../../../lib/service/index.js';
import type { VirtualWorld } from '../../bench/virtual-world.js';
import '../../simulation/run/loaded.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';
import { endsOfHangingRequests } from '../../support/hanging-requests.js';

usePlainAbort();

const execution = 'arn:aws:states:eu-central-1:123456789012:execution:settle:run-1';
const key = 'a-secret-of-sixteen';

/** A lock that is held under a key, and one that is free. */
async function prepare(world: VirtualWorld) {
  const { context } = world.locks(world.process('service'));
  const service = createLockService({ context });
  const { signal } = new AbortController();
  const lease = { name: 'held', leaseId: 'lease-id-1' };
  const acquire = {
    operation: 'acquire',
    ...lease,
    owner: 'worker',
    leaseMs: 30_000,
    ownerKey: key,
    group: 'g',
  };
  // biome-ignore lint/suspicious/noExplicitAny: an answer, looked at loosely
  const { granted, now } = (await service.answer(acquire, signal)) as any;
  return { lease: { ...lease, token: granted.token as number }, latest: now.latest as number };
}

type Prepared = Awaited<ReturnType<typeof prepare>>;
const free = { name: 'free', leaseId: 'lease-id-2', owner: 'worker', leaseMs: 30_000 };

it.each<[string, (prepared: Prepared) => object]>([
  ['acquire', () => ({ operation: 'acquire', ...free })],
  ['acquire for an execution, in a group', () => ({ operation: 'acquire', ...free, execution, group: 'g' })],
  ['acquire of a held lock', () => ({ operation: 'acquire', ...free, name: 'held' })],
  [
    'acquire that supersedes',
    ({ lease }) => ({ operation: 'acquire', ...free, name: 'held', ownerKey: key, supersedes: lease.token }),
  ],
  [
    'resume',
    ({ lease }) => ({
      operation: 'resume',
      ...free,
      name: 'held',
      fromLeaseId: lease.leaseId,
      fromToken: lease.token,
    }),
  ],
  ['renew', ({ lease }) => ({ operation: 'renew', ...lease, leaseMs: 40_000 })],
  [
    'renew for long',
    ({ lease, latest }) => ({ operation: 'renew', ...lease, expiresAt: latest + 86_400_000 }),
  ],
  ['release', ({ lease }) => ({ operation: 'release', ...lease })],
  ['complete', ({ lease }) => ({ operation: 'complete', ...lease, result: 1 })],
  ['inspect', () => ({ operation: 'inspect', name: 'held' })],
  ['list', () => ({ operation: 'list' })],
  ['list of a group', () => ({ operation: 'list', group: 'g' })],
  ['readMany', () => ({ operation: 'readMany', names: ['held', 'free'] })],
  ['requestRelease', ({ lease }) => ({ operation: 'requestRelease', name: 'held', token: lease.token })],
  ['line', () => ({ operation: 'line', name: 'held' })],
  [
    'joinLine',
    ({ latest }) => ({ operation: 'joinLine', name: 'held', ticketId: 'ticket-1', deadline: latest }),
  ],
  ['leaveLine', () => ({ operation: 'leaveLine', name: 'held', ticketId: 'ticket-1' })],
  ['break', ({ lease: { name, leaseId } }) => ({ operation: 'break', name, leaseId })],
  ['reopen', () => ({ operation: 'reopen', name: 'held' })],
])(
  'C20 %s ends with its invocation, whichever of its requests is under way: nobody knows',
  async (_, request) => {
    const ends = await endsOfHangingRequests(({ world, client, signal, prepared }) => {
      const { context } = world.locks(world.process('late'), { client });
      const executions = { findState: async () => 'running' as const };
      const service = createLockService({ context, executions, operations: 'operate' });
      return service.answer(request(prepared), signal);
    }, prepare);
    expect(ends.length).toBeGreaterThan(0);
    for (const end of ends)
      expect(end).toMatchObject({ ok: false, error: { name: 'StoreError', retryable: true } });
  },
);
