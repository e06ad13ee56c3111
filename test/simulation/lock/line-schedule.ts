import type { History } from '../history/history.js';
import type { Random } from '../world/random.js';
import type { Trace } from '../world/trace.js';
import { drawClientHabits } from './hold-options.js';
import { takeLast } from './last-taker.js';
import { Lines } from './line.js';
import { clusterOf, nemesisOf } from './lock-schedule.js';
import { SqlRows } from './sql-rows.js';
import { counted, Troupe } from './troupe.js';
import { drawWeather } from './weather.js';

/** Plays one schedule in which leases go from process to process, among others who want the same lock. */
export async function playLines(random: Random, trace?: Trace): Promise<History> {
  const weather = drawWeather(random);
  const habits = drawClientHabits(random);
  const cluster = clusterOf(random, weather, habits, trace);
  const names = ['lock/a'];
  const rows = new SqlRows(cluster);
  const nextCheckpoint = counted();
  const lines = new Lines(cluster, weather, habits, names, rows, nextCheckpoint);
  // Without others the hand-over alone decides.
  const troupe = random.chance(0.7)
    ? new Troupe(cluster, weather, habits, names, rows, 'p', nextCheckpoint)
    : undefined;
  const processes = () => [...lines.processes, ...(troupe?.processes ?? [])];
  const nemesis = nemesisOf(cluster, weather, habits, processes);
  const isDone = () => lines.isDone && (troupe?.isDone ?? true);
  await cluster.loop.run(cluster.nowMs + random.between(5_000, 15_000), isDone);
  nemesis.stop();
  if (weather.isCalm) await cluster.loop.run(cluster.nowMs + 3_000);

  cluster.network.calm();
  cluster.lateIsLost = true;
  lines.crashAll();
  troupe?.crashAll();
  await takeLast(cluster, weather, habits, names, nemesis.forwardMs);
  cluster.loop.clear();
  if (cluster.failure !== undefined) throw cluster.failure;
  return cluster.history;
}
