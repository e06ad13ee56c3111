import { Worker } from 'node:worker_threads';
import { Tally } from '../history/tally.js';
import type { Order, Report } from './messages.js';
import type { Played } from './play.js';

/** A schedule that takes longer than this goes round in circles, in milliseconds. */
const hangMs = 60_000;

/** What came of some seeds. */
export interface SeedsResult {
  readonly played: number;
  readonly records: number;
  readonly violations: readonly Played[];
  readonly cpuMs: number;
  /** How often each kind of trouble and of outcome came. */
  readonly tally: Tally;
}

/**
 * Plays seeds in worker threads.
 *
 * @param bundle the simulator, see `bundleSimulator`
 * @param onProgress told how many were played since the last time
 */
export async function runSeeds(
  bundle: string,
  order: Omit<Order, 'stride'>,
  threads: number,
  onProgress: (played: number) => void = () => {},
): Promise<SeedsResult> {
  const parts = await Promise.all(
    Array.from({ length: threads }, (_, thread) =>
      runThread(bundle, { ...order, from: order.from + thread, stride: threads }, onProgress),
    ),
  );
  const tally = new Tally();
  for (const part of parts) tally.add(part.tally.counts);
  const sum = (of: (part: SeedsResult) => number) => parts.reduce((total, part) => total + of(part), 0);
  return {
    tally,
    played: sum(({ played }) => played),
    records: sum(({ records }) => records),
    cpuMs: Math.max(...parts.map(({ cpuMs }) => cpuMs)),
    violations: parts.flatMap(({ violations }) => violations).sort((a, b) => a.seed - b.seed),
  };
}

function runThread(bundle: string, order: Order, onProgress: (played: number) => void): Promise<SeedsResult> {
  return new Promise((resolve, reject) => {
    // Almost all that a schedule makes is garbage at its end: a large nursery spares copying it.
    const resourceLimits = { maxYoungGenerationSizeMb: 64 };
    const worker = new Worker(bundle, { workerData: order, resourceLimits });
    let [played, records, cpuMs] = [0, 0, 0];
    const violations: Played[] = [];
    const tally = new Tally();
    const hang = setTimeout(() => {
      const seed = order.from + played * order.stride;
      const what = `no end within ${hangMs} ms of real time`;
      violations.push({
        seed,
        records: 0,
        draws: 0,
        counts: {},
        violations: [{ rule: 'no crash', atMs: 0, what }],
      });
      void worker.terminate();
    }, hangMs);
    worker.on('message', (report: Report) => {
      hang.refresh();
      if (report.kind === 'violation') violations.push(report.played);
      if (report.kind === 'done') {
        cpuMs = report.cpuMs;
        tally.add(report.counts);
      }
      if (report.kind !== 'progress') return;
      played += report.played;
      records += report.records;
      onProgress(report.played);
    });
    worker.on('error', (error) => {
      clearTimeout(hang);
      reject(error);
    });
    worker.on('exit', () => {
      clearTimeout(hang);
      resolve({ played, records, violations, cpuMs, tally });
    });
  });
}
