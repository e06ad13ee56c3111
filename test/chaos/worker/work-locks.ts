import { setTimeout as sleep } from 'node:timers/promises';
import { type LockWorkload, lockNames } from '../terms.js';
import { addToSet, fencedAccess, plainAccess } from './add-to-set.js';
import { asking } from './asking.js';
import type { Bench } from './bench.js';
import { findExpected } from './expected-errors.js';
import { hold } from './hold.js';

/** One lock after the other of one workload, as the worker's seed has it, until the process is killed. */
export async function workLocks(bench: Bench, workload: LockWorkload): Promise<never> {
  const { between, journal } = bench;
  const names = lockNames[workload];
  for (;;) {
    const name = names[between(0, names.length)]!;
    try {
      await asking(() => perform(bench, workload, name));
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
