import type { History } from '../history/history.js';
import type { Random } from '../world/random.js';
import type { Trace } from '../world/trace.js';
import { drawFaultProfile } from './fault-profile.js';
import { Lines } from './hand-over-chain.js';
import { drawClientHabits } from './hold-options.js';
import { takeLast } from './last-taker.js';
import { clusterOf, nemesisOf } from './lock-schedule.js';
import { SqlRows } from './sql-rows.js';
import { counted, Workers } from './workers.js';

/** Plays one schedule in which leases go from process to process, among others who want the same lock. */
export async function playLines(random: Random, trace?: Trace): Promise<History> {
  const faultProfile = drawFaultProfile(random);
  const habits = drawClientHabits(random);
  const cluster = clusterOf(random, faultProfile, habits, trace);
  const names = ['lock/a'];
  const rows = new SqlRows(cluster);
  const nextCheckpoint = counted();
  const lines = new Lines(cluster, faultProfile, habits, names, rows, nextCheckpoint);
  // Without others the hand-over alone decides.
  const workers = random.chance(0.7)
    ? new Workers(cluster, faultProfile, habits, names, rows, 'p', nextCheckpoint)
    : undefined;
  const processes = () => [...lines.processes, ...(workers?.processes ?? [])];
  const nemesis = nemesisOf(cluster, faultProfile, habits, processes);
  const isDone = () => lines.isDone && (workers?.isDone ?? true);
  await cluster.loop.run(cluster.nowMs + random.between(5_000, 15_000), isDone);
  nemesis.stop();
  if (faultProfile.isCalm) await cluster.loop.run(cluster.nowMs + 3_000);

  cluster.network.calm();
  cluster.lateIsLost = true;
  lines.crashAll();
  workers?.crashAll();
  await takeLast(cluster, faultProfile, habits, names, nemesis.forwardMs);
  cluster.loop.clear();
  if (cluster.failure !== undefined) throw cluster.failure;
  return cluster.history;
}
