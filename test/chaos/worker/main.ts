/*
 * One of the processes that the driver torments: works through locks and scans until it is killed. Whatever ends it
 * otherwise is written down, and counts as a violation.
 */
import { openBench } from './bench.js';
import { readOrders } from './orders.js';
import { recordEvents } from './record-events.js';
import { standInLine } from './stand-in-line.js';
import { workLocks, workPermits } from './work-locks.js';
import { workScans } from './work-scans.js';

const bench = openBench(readOrders());
bench.journal.write({ kind: 'born', pid: process.pid });
recordEvents(bench);

const onUnexpected = (cause: unknown): never => {
  const { name, message, stack } = cause instanceof Error ? cause : new Error(String(cause));
  bench.journal.write({ kind: 'unexpected', error: name, message: stack ?? message });
  process.exit(1);
};
process.on('uncaughtException', onUnexpected);
process.on('unhandledRejection', onUnexpected);

await Promise.all([
  workLocks(bench, 'hold'),
  workLocks(bench, 'plain'),
  workLocks(bench, 'fenced'),
  workPermits(bench),
  standInLine(bench),
  workScans(bench),
]);
