import type { History, Premises } from '../history/history.js';
import { FrontEnds } from '../net/front-ends.js';
import { Network } from '../net/network.js';
import { Cluster } from '../world/cluster.js';
import type { Random } from '../world/random.js';
import type { SimProcess } from '../world/sim-process.js';
import type { Trace } from '../world/trace.js';
import { recoverFromJump, sleepDeeply } from './deep-sleep.js';
import { type ClientHabits, drawClientHabits } from './hold-options.js';
import { takeLast } from './last-taker.js';
import { Nemesis } from './nemesis.js';
import { SqlRows } from './sql-rows.js';
import { deleteEarly, passTimeToLive } from './time-to-live.js';
import { Troupe } from './troupe.js';
import { drawWeather, type Weather } from './weather.js';

/** Calls that are still under way so long after the last fault never end. Longer than all waits of a worker together. */
const settleMs = 120_000;

/** Plays one schedule of locks from the draws of its seed. */
export async function playLocks(random: Random, trace?: Trace): Promise<History> {
  const weather = drawWeather(random);
  const habits = drawClientHabits(random);
  const cluster = clusterOf(random, weather, habits, trace);
  const names = random.chance(0.7) ? ['lock/a'] : ['lock/a', 'lock/b'];
  const rows = new SqlRows(cluster);
  const act = (prefix: string) => new Troupe(cluster, weather, habits, names, rows, prefix);

  let troupe = act('p');
  let nemesis = nemesisOf(cluster, weather, habits, () => troupe.processes);
  if (weather.earlyDeletion) deleteEarly(cluster, names);
  await cluster.loop.run(cluster.nowMs + random.between(3_000, 8_000), () => troupe.isDone);
  nemesis.stop();
  let { forwardMs } = nemesis;
  // What is given back in the background needs a live process.
  if (weather.isCalm) await cluster.loop.run(cluster.nowMs + 3_000);
  if (weather.deepSleep) await sleepDeeply(cluster, troupe, names);

  if (weather.ttlGap) {
    troupe.crashAll();
    await passTimeToLive(cluster);
    troupe = act('q');
    nemesis = nemesisOf(cluster, weather, habits, () => troupe.processes);
    await cluster.loop.run(cluster.nowMs + random.between(1_000, 3_000), () => troupe.isDone);
    nemesis.stop();
    if (weather.isCalm) await cluster.loop.run(cluster.nowMs + 3_000);
    forwardMs += nemesis.forwardMs;
  }

  // From here on nothing goes wrong any more.
  cluster.network.calm();
  cluster.lateIsLost = true;
  if (random.chance(0.3)) await troupe.finish(settleMs);
  troupe.crashAll();
  if (weather.jump) await recoverFromJump(cluster, habits);
  await takeLast(cluster, weather, habits, names, forwardMs);
  cluster.loop.clear();
  if (cluster.failure !== undefined) throw cluster.failure;
  return cluster.history;
}

/** The world of a schedule. */
export function clusterOf(random: Random, weather: Weather, habits: ClientHabits, trace: Trace): Cluster {
  const premises: Premises = {
    clocksHold: weather.clocksHold,
    skewMs: weather.skewMs,
    retentionMs: habits.retentionMs,
    isCalm: weather.isCalm,
    wallSteps: weather.steps > 0,
    isPatient: weather.isPatient,
    deletedEarlyAtMs: undefined,
  };
  return new Cluster(
    random,
    premises,
    random.pick([0, 500]),
    (loop) => ({
      network: new Network(loop, random, weather.network),
      frontEnds: new FrontEnds(loop, random, weather.frontEndsAheadMs),
    }),
    trace,
  );
}

/** Who brings trouble over it. */
export function nemesisOf(
  cluster: Cluster,
  weather: Weather,
  habits: ClientHabits,
  processes: () => readonly SimProcess[],
): Nemesis {
  return new Nemesis(cluster, weather, processes, 3 * habits.leaseMs);
}
