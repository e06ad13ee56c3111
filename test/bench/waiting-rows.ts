import { usePlainAbort } from '../simulation/world/plain-abort.js';
import { type Row, rowOf } from './row.js';
import { playCrash, playRenewals, playSemaphore, playWaiting, type SemaphoreFigures } from './waiting.js';

/** Waiting, take-over after a crash, and renewals, in virtual time: no quiet machine is needed. */
export async function waitingRows(): Promise<readonly Row[]> {
  // Also of everything that runs after it in this process.
  usePlainAbort();
  const rows: Row[] = [];
  for (const { waiters, gap, reads } of waits) {
    const played = [];
    // One waiter's luck differs most, and costs least to play.
    const plays = waiters === 1 ? 20 : 4;
    for (let seed = 1; seed <= plays; seed++) played.push(await playWaiting(waiters, { seed, holds: 40 }));
    const of = `${waiters} ${waiters === 1 ? 'waiter' : 'waiters'}`;
    rows.push(
      rowOf(
        `ms from a release to the next grant, holds of 1 s, ${of}`,
        gap,
        played.map(({ meanMs }) => meanMs),
      ),
      rowOf(
        `reads for a grant, ${of}`,
        reads,
        played.map(({ readsPerGrant }) => readsPerGrant),
      ),
    );
  }
  rows.push(...(await lineRows()));
  for (const { leaseMs, aim } of crashes) {
    const played: number[] = [];
    for (let seed = 1; seed <= 60; seed++) played.push(await playCrash(leaseMs, seed, 20));
    rows.push(rowOf(`leases from a crash to the next grant, of ${leaseMs / 1_000} s`, aim, played));
  }
  for (const workers of [11, 20, 50]) {
    const played: SemaphoreFigures[] = [];
    for (const seed of [1, 2, 3]) played.push(await playSemaphore(10, workers, { seed }));
    rows.push(
      rowOf(
        `part of the time that 10 permits are in use, holds of 1 s, ${workers} workers`,
        '1 is ideal',
        played.map(({ utilisation }) => utilisation),
      ),
      rowOf(
        `reads for a permit, ${workers} workers`,
        '',
        played.map(({ readsPerGrant }) => readsPerGrant),
      ),
    );
  }
  const { most, average } = await playRenewals(1_000, 1);
  rows.push(
    rowOf('most renewals in a second ÷ the average, 1,000 leases taken together', '≤ 2', [most / average]),
  );
  return rows;
}

/** From a release to the next grant in line, first come, first served, as a ratio to the same without a line. */
async function lineRows(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const { waiters } of waits) {
    const [gaps, reads]: [number[], number[]] = [[], []];
    for (const seed of [1, 2, 3]) {
      const inLine = await playWaiting(waiters, { seed, holds: 40, fair: true });
      const others = await playWaiting(waiters, { seed, holds: 40 });
      gaps.push(inLine.meanMs / others.meanMs);
      reads.push(inLine.readsPerGrant / others.readsPerGrant);
    }
    rows.push(
      rowOf(`in line ÷ not in line: from a release to the next grant, waiters: ${waiters}`, '', gaps),
    );
    rows.push(rowOf(`in line ÷ not in line: reads for a grant, waiters: ${waiters}`, '', reads));
  }
  return rows;
}

/** Aims of reads: 1.2 × what it was before waiters looked more closely. */
const waits = [
  { waiters: 1, gap: '≤ 100', reads: '≤ 4.32' },
  { waiters: 10, gap: '≤ 100', reads: '≤ 52' },
  { waiters: 50, gap: '≤ 10', reads: '≤ 256' },
] as const;

const crashes = [
  { leaseMs: 6_000, aim: '≤ 1.03' },
  { leaseMs: 1_000, aim: '≤ 1.3' },
] as const;
