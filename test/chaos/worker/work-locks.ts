import { setTimeout as sleep } from 'node:timers/promises';
import { type LockWorkload, lockNames, semaphores } from '../terms.js';
import { addToSet, fencedAccess, plainAccess } from './add-to-set.js';
import { asking } from './asking.js';
import type { Bench } from './bench.js';
import { findExpected } from './expected-errors.js';
import { hold, holdPermit } from './hold.js';

/** One lock after the other of one workload, as the worker's seed has it, until the process is killed. */
export function workLocks(bench: Bench, workload: LockWorkload): Promise<never> {
  const names = lockNames[workload];
  return repeat(bench, workload, () => perform(bench, workload, names[bench.between(0, names.length)]!));
}

/** One permit after the other, until the process is killed. */
export function workPermits(bench: Bench): Promise<never> {
  return repeat(bench, 'permit', () => holdPermit(bench, semaphores[bench.between(0, semaphores.length)]!));
}

async function repeat(
  bench: Bench,
  workload: LockWorkload | 'permit',
  perform: () => Promise<void>,
): Promise<never> {
  const { between, journal } = bench;
  for (;;) {
    try {
      await asking(perform);
    } catch (error) {
      const expected = findExpected(error);
      if (expected === undefined) throw error;
      journal.write({ kind: 'failed', workload, error: expected });
    }
    await sleep(between(0, 40));
  }
}

function perform(bench: Bench, workload: LockWorkload, name: string): Promise<void> {
  if (workload === 'hold') return hold(bench, name);
  return addToSet(bench, name, workload === 'fenced' ? fencedAccess : plainAccess);
}
