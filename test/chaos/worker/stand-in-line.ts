import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import { machineMs } from '../machine-clock.js';
import { lineNames } from '../terms.js';
import { asking } from './asking.js';
import type { Bench } from './bench.js';
import { findExpected } from './expected-errors.js';

/** Longer than everybody's turn takes. */
const askedWaitMs = 30_000;
/** From one sign of life to the next. */
const lookEveryMs = 100;

/** One turn in line after the other, until the process is killed. */
export async function standInLine(bench: Bench): Promise<never> {
  const { journal, between, orders } = bench;
  for (let count = 0; ; count++) {
    const name = lineNames[between(0, lineNames.length)]!;
    const turn = `${orders.worker}.${orders.generation}.${count}`;
    try {
      await asking(() => takeTurn(bench, name, turn));
    } catch (error) {
      const expected = findExpected(error);
      if (expected === undefined) throw error;
      journal.write({ kind: 'failed', workload: 'line', error: expected });
    }
    await sleep(between(0, 200));
  }
}

/**
 * Waits in line, and shows all the while that it is alive: that its requests are answered. Whoever was stopped, or cut off,
 * may be passed over, and nobody can tell from outside when that was.
 */
async function takeTurn({ locks, journal, between }: Bench, name: string, turn: string): Promise<void> {
  const onJoined = (event: unknown) => {
    if ((event as { readonly name: string }).name === name) journal.write({ kind: 'queued', name, turn });
  };
  subscribe('leasehold:line-joined', onJoined);
  const over = new AbortController();
  const looking = (async () => {
    while (!over.signal.aborted) {
      const sinceMs = machineMs();
      const seen = await locks.inspect(name, { signal: over.signal }).catch(() => undefined);
      if (seen) journal.write({ kind: 'looked', name, turn, sinceMs });
      await sleep(lookEveryMs, undefined, { signal: over.signal }).catch(() => {});
    }
  })();
  try {
    journal.write({ kind: 'asks', name, turn });
    const lease = await locks.acquire(name, { fair: true, waitMs: askedWaitMs });
    journal.write({ kind: 'turn', name, turn, token: lease.token });
    over.abort();
    await sleep(between(20, 300));
    await lease[Symbol.asyncDispose]();
  } finally {
    over.abort();
    unsubscribe('leasehold:line-joined', onJoined);
    journal.write({ kind: 'line-left', name, turn });
    await looking;
  }
}
