import type { History } from '../history/history.js';
import { drawClientHabits } from '../lock/hold-options.js';
import { takeLast } from '../lock/last-taker.js';
import { Lines } from '../lock/line.js';
import { clusterOf, nemesisOf } from '../lock/lock-schedule.js';
import { Machine, type MachineMaker } from '../lock/machine.js';
import { SqlRows } from '../lock/sql-rows.js';
import { counted, Troupe } from '../lock/troupe.js';
import { drawWeather } from '../lock/weather.js';
import type { Random } from '../world/random.js';
import type { Trace } from '../world/trace.js';
import { ServicePool } from './service-pool.js';

/** The service grants no shorter lease. */
const leastLeaseMs = 1_000;

/** Plays one schedule of locks that are reached through the lock service. */
export async function playService(random: Random, trace?: Trace): Promise<History> {
  const weather = drawWeather(random);
  const habits = drawClientHabits(random);
  const cluster = clusterOf(random, weather, habits, trace);
  const names = random.chance(0.8) ? ['lock/a'] : ['lock/a', 'lock/b'];
  const rows = new SqlRows(cluster);
  const pool = new ServicePool(cluster, habits, weather);
  const maker: MachineMaker = (id, owner, clocks) => {
    // Lease ids are made of it, and the service demands eight characters.
    const caller = `${id}-caller`;
    return new Machine(cluster, caller, owner, habits, clocks, (process) => pool.clientOf(process));
  };
  const nextCheckpoint = counted();
  const troupe = new Troupe(cluster, weather, habits, names, rows, 'p', nextCheckpoint, maker);
  const lines = random.chance(0.3)
    ? new Lines(cluster, weather, habits, names, rows, nextCheckpoint, maker)
    : undefined;
  const callers = () => [...troupe.processes, ...(lines?.processes ?? [])];
  const nemesis = nemesisOf(cluster, weather, habits, () => [...callers(), ...pool.processes]);
  const isDone = () => troupe.isDone && (lines?.isDone ?? true);
  await cluster.loop.run(cluster.nowMs + random.between(3_000, 8_000), isDone);
  nemesis.stop();
  // What is given back in the background needs a live process.
  if (weather.isCalm) await cluster.loop.run(cluster.nowMs + 3_000);

  cluster.network.calm();
  cluster.lateIsLost = true;
  troupe.crashAll();
  lines?.crashAll();
  pool.crashAll();
  const longest = { ...habits, leaseMs: Math.max(habits.leaseMs, leastLeaseMs) };
  await takeLast(cluster, weather, longest, names, nemesis.forwardMs);
  cluster.loop.clear();
  if (cluster.failure !== undefined) throw cluster.failure;
  return cluster.history;
}
