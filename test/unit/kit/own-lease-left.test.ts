import { describe, expect, it } from 'vitest';
import type { LockInfo } from '../../../lib/client/index.js';
import { WaitPacing } from '../../../lib/client/wait-pacing.js';
import { StoreClock } from '../../../lib/clock/store-clock.js';
import { LockHeldError, StoreError } from '../../../lib/errors/index.js';
import { type FairHost, fairAcquire } from '../../../lib/kit/fair-acquire.js';
import { acquirePermit } from '../../../lib/kit/semaphore.js';
import { dateAt } from '../../support/hand-clocks.js';
import { VirtualTime } from '../../support/virtual-time.js';

/** Who holds what, as the lock service shows it: no lease ids. */
const heldBy = (owner: string): LockInfo =>
  ({
    name: 'a',
    state: 'held',
    token: 7,
    owner,
    acquiredAt: 1,
    expiresAt: 2,
    remainingMs: 30_000,
  }) as LockInfo;

const unanswered = () => new StoreError('nobody knows', 'a', { retryable: true, mayHaveApplied: true });

/** The first try is answered so, the others are refused; from then on every look shows this holder. */
function scene(answer: () => Error, owner: string) {
  const runtime = new VirtualTime();
  const clock = new StoreClock(runtime);
  clock.observe(clock.instant(), dateAt(runtime.wallMs()));
  const tries: string[] = [];
  const refused = async (name: string) => {
    tries.push(name);
    throw tries.length === 1 ? answer() : new LockHeldError(name, undefined, 0);
  };
  const tried = (name: string) =>
    refused(name).catch((error) => (error instanceof LockHeldError ? null : Promise.reject(error)));
  const tickets: { id: string; deadline: number }[] = [];
  const lines = {
    readLine: async () => [...tickets],
    joinLine: async (_: string, ticket: { id: string; deadline: number }) => void tickets.push(ticket),
    leaveLine: async () => void tickets.splice(0),
  };
  const host = {
    ...{ runtime, clock, lines, owner: 'me', callTimeoutMs: 3_000, pollFloorMs: 50 },
    ...{ acquire: refused, tryAcquire: tried, check: () => {}, untilFreeMs: () => 30_000 },
    look: async (names: readonly string[]) =>
      names.map(() => ({ info: tries.length > 0 ? heldBy(owner) : undefined, isLeftBehind: false })),
    pacing: (waitMs = 0) => new WaitPacing(clock, runtime, { waitMs, pollFloorMs: 50, pollCeilingMs: 1_000 }),
  } as unknown as FairHost;
  const endOf = (call: Promise<unknown>) => runtime.until(call.catch((error) => error));
  return { host, endOf, tries };
}

const kinds = [
  ['in line', (host: FairHost, options: object) => fairAcquire(host, 'a', { waitMs: 2_000, ...options })],
  [
    'for a permit',
    (host: FairHost, options: object) => acquirePermit(host, 'a', ['a#0'], { waitMs: 2_000, ...options }),
  ],
] as const;

describe.each(kinds)('who asks %s of a store that shows no lease ids', (_, ask) => {
  it('is told of the store where its own try may have left the lease that is in the way', async () => {
    const { host, endOf } = scene(unanswered, 'me');
    expect(await endOf(ask(host, {}))).toMatchObject({ name: 'StoreError', message: 'nobody knows' });
    const named = scene(unanswered, 'you');
    expect(await named.endOf(ask(named.host, { owner: 'you' }))).toMatchObject({ name: 'StoreError' });
  });

  it('is told of a holder that has another name, and of its own where no try has failed', async () => {
    const other = scene(unanswered, 'other');
    expect(await other.endOf(ask(other.host, {}))).toMatchObject({
      ...{ name: 'LockHeldError', holder: { owner: 'other', token: 7, leaseId: undefined } },
    });
    const refused = scene(() => new LockHeldError('a', undefined, 0), 'me');
    expect(await refused.endOf(ask(refused.host, {}))).toMatchObject({
      ...{ name: 'LockHeldError', holder: { owner: 'me', token: 7 } },
    });
  });
});
