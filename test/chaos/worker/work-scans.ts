import { setTimeout as sleep } from 'node:timers/promises';
import { workSeat } from '../../../lib/scan/index.js';
import { listedKeys } from '../scan/listed-keys.js';
import { asking } from './asking.js';
import type { Bench } from './bench.js';
import { findExpected } from './expected-errors.js';

/** Takes its seat in every scan that the board names, until the process is killed. */
export async function workScans(bench: Bench): Promise<never> {
  const { board, between, journal } = bench;
  let done: string | undefined;
  for (;;) {
    const { run, round } = await board.read();
    const posted = `${run} ${round}`;
    if (run === undefined || posted === done) {
      await sleep(200);
      continue;
    }
    try {
      if (await asking(() => workOn(bench, run))) done = posted;
    } catch (error) {
      const expected = findExpected(error);
      if (expected === undefined) throw error;
      journal.write({ kind: 'failed', workload: 'scan', error: expected });
      await sleep(between(50, 300));
    }
  }
}

/** Whether the run needs this seat no more. */
async function workOn({ locks, s3, orders, between, journal }: Bench, run: string): Promise<boolean> {
  const processor = listedKeys(() => between(50, 350));
  const { status, pages, lost } = await workSeat({ locks, s3, run, seat: orders.worker, processor });
  journal.write({ kind: 'seat', run, status, pages, lost });
  return status === 'done';
}
