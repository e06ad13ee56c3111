import { parentPort, workerData } from 'node:worker_threads';
import { Tally } from '../history/tally.js';
import { usePlainAbort } from '../world/plain-abort.js';
import type { Order, Report } from './messages.js';
import { play, watchForStrays } from './play.js';

/** Progress is told this often, in milliseconds. */
const tellEveryMs = 250;

const order = workerData as Order;
const tell = (report: Report) => parentPort?.postMessage(report);

usePlainAbort();
watchForStrays();
const cpuAtStart = process.cpuUsage();
const tally = new Tally();
let played = 0;
let records = 0;
let toldAtMs = performance.now();
for (let seed = order.from; seed < order.until; seed += order.stride) {
  const result = await play(order.suite, seed);
  played += 1;
  records += result.records;
  tally.add(result.counts);
  const hasViolation = result.violations.some(({ rule }) => rule === (order.rule ?? rule));
  if (hasViolation || performance.now() - toldAtMs >= tellEveryMs) {
    tell({ kind: 'progress', played, records });
    [played, records, toldAtMs] = [0, 0, performance.now()];
  }
  if (hasViolation) tell({ kind: 'violation', played: result });
  if (hasViolation && order.stopsAtFirst) break;
}
tell({ kind: 'progress', played, records });
const { user, system } = process.cpuUsage(cpuAtStart);
tell({ kind: 'done', cpuMs: (user + system) / 1000, counts: tally.counts });
