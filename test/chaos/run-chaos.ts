import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosOptions } from './chaos-options.js';
import { checkHistory, type Evidence } from './check/check-history.js';
import { type Liveness, liveness, unfinishedScan } from './check/liveness.js';
import type { Violation } from './check/violation.js';
import { readSets } from './engine/read-sets.js';
import { planFaults } from './faults/plan-faults.js';
import { skippedFaults } from './faults/skipped-faults.js';
import { Striker } from './faults/striker.js';
import { readHistory } from './history/read-history.js';
import { PutAway } from './put-away.js';
import { figuresOf } from './report/figures.js';
import type { ChaosReport } from './report/report.js';
import { walkKeys } from './scan/key-field.js';
import { ScanSeries } from './scan/scan-series.js';
import { type Stage, setStage } from './stage.js';
import { allLockNames, lockNames, semaphores } from './terms.js';
import { startWorkers } from './workers/start-workers.js';
import type { SupervisedWorker } from './workers/supervised-worker.js';

/** A scan that nobody disturbs any more takes a fraction of this, in milliseconds. */
const scanEndMs = 60_000;
/** The last requests of the killed, which a proxy held back, have this long to arrive, in milliseconds. */
const arrivalMs = 2_000;

/**
 * One run: workers work and faults strike, for as long as was asked; then there is peace, the scan that is on must
 * come to its end, all workers are killed, and every lock must be there to be had. What they wrote down is judged.
 *
 * @param interrupted ends it early: with a report of what there is
 */
export async function runChaos(options: ChaosOptions, interrupted: AbortSignal): Promise<ChaosReport> {
  await using putAway = new PutAway();
  const stage = await setStage(putAway, options);
  const workers = await startWorkers(stage, putAway, options);
  const striker = new Striker(workers, stage.engine, skippedFaults(stage.engine, workers));
  const scans = new ScanSeries(stage.clients, stage.board, options.workers);
  const lastCall = new AbortController();
  const scansEnd = new AbortController();
  interrupted.addEventListener('abort', () => scansEnd.abort(), { once: true });
  if (interrupted.aborted) scansEnd.abort();
  const scanning = scans.run(lastCall.signal, scansEnd.signal);
  // Awaited later: a failure until then must not end this process on the spot.
  scanning.catch(() => {});

  await untilOver(options, striker, interrupted);
  await striker.makePeace();
  lastCall.abort();
  const slow = setTimeout(() => scansEnd.abort(), scanEndMs);
  await scanning.finally(() => clearTimeout(slow));
  const violations: Violation[] = [];
  if (scans.current !== undefined && !interrupted.aborted) {
    violations.push(unfinishedScan(scans.current, scanEndMs));
  }
  await Promise.all(workers.map((member) => member.dismiss()));
  const alive = interrupted.aborted
    ? undefined
    : await liveness(stage.clients.locks, allLockNames, semaphores);
  const evidence = await gathered(stage, workers, scans);
  violations.push(...(alive?.violations ?? []), ...checkHistory(evidence));
  return toReport(options, stage, workers, striker, evidence, alive, violations, interrupted.aborted);
}

/** Strikes for as long as was asked. */
async function untilOver(options: ChaosOptions, striker: Striker, interrupted: AbortSignal): Promise<void> {
  const durationMs = options.minutes * 60_000;
  const over = sleep(durationMs, undefined, { signal: interrupted }).catch(() => {});
  await striker.run(planFaults({ ...options, durationMs }), interrupted);
  await over;
}

async function gathered(
  stage: Stage,
  workers: readonly SupervisedWorker[],
  scans: ScanSeries,
): Promise<Evidence> {
  const arrived = workers.flatMap(({ proxies }) => proxies.map((proxy) => proxy.drained()));
  await Promise.race([Promise.all(arrived), sleep(arrivalMs)]);
  return {
    history: await readHistory(stage.journals),
    sets: await readSets(stage.clients.dynamo, [...lockNames.plain, ...lockNames.fenced]),
    verdicts: scans.verdicts,
    walked: await walkKeys(stage.data),
    ownEnds: workers.flatMap(({ ownEnds }) => ownEnds),
  };
}

function toReport(
  { seed, minutes }: ChaosOptions,
  stage: Stage,
  workers: readonly SupervisedWorker[],
  { struck, skipped }: Striker,
  evidence: Evidence,
  alive: Liveness | undefined,
  violations: readonly Violation[],
  interrupted: boolean,
): ChaosReport {
  const total = Object.values(struck).reduce((sum, count) => sum + count, 0);
  const { locks, slowestMs, boundMs } = alive ?? {};
  return {
    seed,
    minutes,
    interrupted,
    engine: stage.engine.name,
    workers: { at: workers.length, processesStarted: workers.reduce((sum, { started }) => sum + started, 0) },
    faults: { total, struck, skipped },
    ...figuresOf(evidence),
    ...(alive && { liveness: { locks: locks!, slowestMs: slowestMs!, boundMs: boundMs! } }),
    violations,
  };
}
