import type { History, Premises } from '../history/history.js';
import { FrontEnds } from '../net/front-ends.js';
import { calmNetwork, Network } from '../net/network.js';
import { Cluster } from '../world/cluster.js';
import type { Random } from '../world/random.js';
import type { SimProcess } from '../world/sim-process.js';
import type { Trace } from '../world/trace.js';
import { Candidates } from './candidates.js';
import { recoverFromJump, sleepDeeply } from './deep-sleep.js';
import { drawFaultProfile, type FaultProfile } from './fault-profile.js';
import { type ClientHabits, drawClientHabits } from './hold-options.js';
import { takeLast } from './last-taker.js';
import { makerOf } from './machine.js';
import { Nemesis } from './nemesis.js';
import { backUp, restoreBackup } from './restored-table.js';
import { drawSharedHabits, shareLast } from './shared.js';
import { SqlRows } from './sql-rows.js';
import { deleteEarly, passTimeToLive } from './time-to-live.js';
import { counted, Workers } from './workers.js';

/** Calls that are still under way so long after the last fault never end. Longer than all waits of a worker together. */
const settleMs = 120_000;

/** Plays one schedule of locks from the draws of its seed. */
export async function playLocks(random: Random, trace?: Trace): Promise<History> {
  const faultProfile = drawFaultProfile(random);
  const habits = drawClientHabits(random);
  const cluster = clusterOf(random, faultProfile, habits, trace);
  const names = random.chance(0.7) ? ['lock/a'] : ['lock/a', 'lock/b'];
  const rows = new SqlRows(cluster);
  const nextCheckpoint = counted();
  const shared = drawSharedHabits(random);
  const maker = makerOf(cluster, habits);
  const act = (prefix: string) =>
    new Workers(cluster, faultProfile, habits, names, rows, prefix, nextCheckpoint, maker, shared);

  let workers = act('p');
  // They come back for ever, and would do so for days.
  const isShort = !faultProfile.ttlGap && !faultProfile.restore && !faultProfile.deepSleep;
  const candidates =
    isShort && random.chance(0.2)
      ? new Candidates(cluster, faultProfile, habits, makerOf(cluster, habits))
      : undefined;
  const processes = () => [...workers.processes, ...(candidates?.processes ?? [])];
  let nemesis = nemesisOf(cluster, faultProfile, habits, processes);
  const backup = faultProfile.restore ? backUp(cluster) : undefined;
  if (faultProfile.earlyDeletion) deleteEarly(cluster, names);
  await cluster.loop.run(cluster.nowMs + random.between(3_000, 8_000), () => workers.isDone && !candidates);
  nemesis.stop();
  let { forwardMs } = nemesis;
  // What is given back in the background needs a live process.
  if (faultProfile.isCalm) await cluster.loop.run(cluster.nowMs + 3_000);
  if (faultProfile.deepSleep) await sleepDeeply(cluster, workers, names);

  /** Other processes come, after all have gone and something has happened to the table. */
  const comeAgain = async (prefix: string, happening: () => Promise<void>) => {
    workers.crashAll();
    await happening();
    workers = act(prefix);
    nemesis = nemesisOf(cluster, faultProfile, habits, () => workers.processes);
    await cluster.loop.run(cluster.nowMs + random.between(1_000, 3_000), () => workers.isDone);
    nemesis.stop();
    if (faultProfile.isCalm) await cluster.loop.run(cluster.nowMs + 3_000);
    forwardMs += nemesis.forwardMs;
  };
  if (faultProfile.ttlGap) await comeAgain('q', () => passTimeToLive(cluster));
  if (backup) await comeAgain('r', () => restoreBackup(cluster, backup));

  // From here on nothing goes wrong any more.
  cluster.network.calm();
  cluster.lateIsLost = true;
  await candidates?.settle();
  candidates?.crashAll();
  if (random.chance(0.3)) await workers.finish(settleMs);
  workers.crashAll();
  if (faultProfile.jump) await recoverFromJump(cluster, habits);
  await takeLast(cluster, faultProfile, habits, names, forwardMs);
  if (shared) await shareLast(cluster, faultProfile, habits, shared, forwardMs);
  cluster.loop.clear();
  if (cluster.failure !== undefined) throw cluster.failure;
  return cluster.history;
}

/** The world of a schedule. */
export function clusterOf(
  random: Random,
  faultProfile: FaultProfile,
  habits: ClientHabits,
  trace: Trace,
  isService = false,
): Cluster {
  const premises: Premises = {
    clocksHold: faultProfile.clocksHold,
    skewMs: faultProfile.skewMs,
    retentionMs: habits.retentionMs,
    isCalm: faultProfile.isCalm,
    wallSteps: faultProfile.steps > 0,
    isPatient: faultProfile.isPatient,
    deletedEarlyAtMs: undefined,
    isService,
    isNetworkCalm: faultProfile.network === calmNetwork && faultProfile.cuts === 0,
    pollCeilingMs: habits.pollCeilingMs,
    pollFloorMs: habits.pollFloorMs,
  };
  return new Cluster(
    random,
    premises,
    random.pick([0, 500]),
    (loop) => ({
      network: new Network(loop, random, faultProfile.network),
      frontEnds: new FrontEnds(loop, random, faultProfile.frontEndsAheadMs),
    }),
    trace,
  );
}

/** Who brings trouble over it. */
export function nemesisOf(
  cluster: Cluster,
  faultProfile: FaultProfile,
  habits: ClientHabits,
  processes: () => readonly SimProcess[],
): Nemesis {
  return new Nemesis(cluster, faultProfile, processes, 3 * habits.leaseMs);
}
