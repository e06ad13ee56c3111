import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease } from '../../../lib/lease/index.js';
import { machineMs } from '../machine-clock.js';
import { leaseTerms } from '../terms.js';
import type { Bench } from './bench.js';

/** Holders wait no longer than this for their turn, in milliseconds. */
const askedWaitMs = 6_000;

/**
 * Workload (a): goes in, asks its lease again and again whether it is held, and goes out. Each answer "held" is
 * written down with the times from before the question, so that a process which is stopped in between does not
 * count as holding: it asks again before it says anything.
 */
export async function hold(bench: Bench, name: string): Promise<void> {
  const { locks, journal, between } = bench;
  const lease = await locks.acquire(name, { waitMs: askedWaitMs });
  // Now and then longer than a lease, so that it takes renewals.
  const stayMs = between(0, 4) === 0 ? leaseTerms.leaseMs + between(0, 1_500) : between(20, 500);
  const endMs = machineMs() + stayMs;
  while (isHeld(bench, lease) && machineMs() < endMs) await sleep(between(10, 60));
  journal.write({ kind: 'left', name, token: lease.token });
  await lease[Symbol.asyncDispose]();
}

function isHeld({ locks, journal }: Bench, lease: Lease): boolean {
  const atMs = machineMs();
  const { earliest } = locks.context.clock.now();
  if (!lease.isHeld) return false;
  journal.write({ kind: 'held', atMs, name: lease.name, token: lease.token, earliest });
  return true;
}
