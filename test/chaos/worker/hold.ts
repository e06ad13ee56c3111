import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease } from '../../../lib/lease/index.js';
import { machineMs } from '../machine-clock.js';
import { leaseTerms, type SemaphoreTerms } from '../terms.js';
import type { Bench } from './bench.js';

/** Holders wait no longer than this for their turn, in milliseconds. */
const askedWaitMs = 6_000;

/** Workload (a): acquires a lock, and holds it for a while. */
export async function hold(bench: Bench, name: string): Promise<void> {
  await stay(bench, await bench.locks.acquire(name, { waitMs: askedWaitMs }));
}

/** Takes a permit of a semaphore whose number is being changed, and holds it for a while. */
export async function holdPermit(bench: Bench, { name, permits }: SemaphoreTerms): Promise<void> {
  const semaphore = bench.locks.semaphore(name, { permits: bench.between(permits - 1, permits + 1) });
  await stay(bench, await semaphore.acquire({ waitMs: askedWaitMs }));
}

/**
 * Asks the lease again and again whether it is held, and gives it back. Each answer "held" is written down with the times
 * from before the question, so that a process which is stopped in between does not count as holding: it asks again before
 * it says anything.
 */
async function stay(bench: Bench, lease: Lease): Promise<void> {
  const { journal, between } = bench;
  // Now and then longer than a lease, so that it takes renewals.
  const stayMs = between(0, 4) === 0 ? leaseTerms.leaseMs + between(0, 1_500) : between(20, 500);
  const endMs = machineMs() + stayMs;
  while (isHeld(bench, lease) && machineMs() < endMs) await sleep(between(10, 60));
  journal.write({ kind: 'left', name: lease.name, token: lease.token });
  await lease[Symbol.asyncDispose]();
}

function isHeld({ locks, journal }: Bench, lease: Lease): boolean {
  const atMs = machineMs();
  const { earliest } = locks.context.clock.now();
  if (!lease.isHeld) return false;
  journal.write({ kind: 'held', atMs, name: lease.name, token: lease.token, earliest });
  return true;
}
