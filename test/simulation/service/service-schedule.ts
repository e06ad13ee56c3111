import type { History } from '../history/history.js';
import { drawFaultProfile } from '../lock/fault-profile.js';
import { Lines } from '../lock/hand-over-chain.js';
import { drawClientHabits } from '../lock/hold-options.js';
import { takeLast } from '../lock/last-taker.js';
import { clusterOf, nemesisOf } from '../lock/lock-schedule.js';
import { Machine, type MachineMaker } from '../lock/machine.js';
import { drawSharedHabits, shareLast } from '../lock/shared.js';
import { SqlRows } from '../lock/sql-rows.js';
import { counted, Workers } from '../lock/workers.js';
import type { Random } from '../world/random.js';
import type { Trace } from '../world/trace.js';
import { ServicePool } from './service-pool.js';

/** The service grants no shorter lease. */
const minLeaseMs = 1_000;

/** Plays one schedule of locks that are reached through the lock service. */
export async function playService(random: Random, trace?: Trace): Promise<History> {
  const faultProfile = drawFaultProfile(random);
  const habits = drawClientHabits(random);
  const cluster = clusterOf(random, faultProfile, habits, trace, true);
  const names = random.chance(0.8) ? ['lock/a'] : ['lock/a', 'lock/b'];
  const rows = new SqlRows(cluster);
  const pool = new ServicePool(cluster, habits, faultProfile);
  const maker: MachineMaker = (id, owner, clocks) => {
    // Lease ids are made of it, and the service demands eight characters.
    const caller = `${id}-caller`;
    return new Machine(cluster, caller, owner, habits, clocks, (process) => pool.clientOf(process));
  };
  const nextCheckpoint = counted();
  const shared = drawSharedHabits(random);
  const workers = new Workers(cluster, faultProfile, habits, names, rows, 'p', nextCheckpoint, maker, shared);
  const lines = random.chance(0.3)
    ? new Lines(cluster, faultProfile, habits, names, rows, nextCheckpoint, maker)
    : undefined;
  const callers = () => [...workers.processes, ...(lines?.processes ?? [])];
  const nemesis = nemesisOf(cluster, faultProfile, habits, () => [...callers(), ...pool.processes]);
  const isDone = () => workers.isDone && (lines?.isDone ?? true);
  await cluster.loop.run(cluster.nowMs + random.between(3_000, 8_000), isDone);
  nemesis.stop();
  // What is given back in the background needs a live process.
  if (faultProfile.isCalm) await cluster.loop.run(cluster.nowMs + 3_000);

  cluster.network.calm();
  cluster.lateIsLost = true;
  workers.crashAll();
  lines?.crashAll();
  pool.crashAll();
  const longest = { ...habits, leaseMs: Math.max(habits.leaseMs, minLeaseMs) };
  await takeLast(cluster, faultProfile, longest, names, nemesis.forwardMs);
  if (shared) await shareLast(cluster, faultProfile, longest, shared, nemesis.forwardMs);
  cluster.loop.clear();
  if (cluster.failure !== undefined) throw cluster.failure;
  return cluster.history;
}
