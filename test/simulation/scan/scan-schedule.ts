import { planScan } from '../../../lib/scan/index.js';
import type { History, Premises } from '../history/history.js';
import { drawClocks, drawFaultProfile, type FaultProfile } from '../lock/fault-profile.js';
import { type ClientHabits, drawClientHabits } from '../lock/hold-options.js';
import { Nemesis } from '../lock/nemesis.js';
import { FrontEnds } from '../net/front-ends.js';
import { Network } from '../net/network.js';
import { Cluster, leaseTable } from '../world/cluster.js';
import type { Random } from '../world/random.js';
import type { Trace } from '../world/trace.js';
import { drawKeys } from './bucket-keys.js';
import { judge } from './judge.js';
import { ScanMachine } from './scan-machine.js';
import { SeatWorkers } from './seat-workers.js';
import { SimS3 } from './sim-s3.js';
import { steal } from './thief.js';

const run = 'run';

/** More pages show nothing that these do not, and take the time of many schedules. */
const maxPages = 30;

/** Plays one schedule of a scan from the draws of its seed: plan, seats and thieves in trouble, then rounds in peace, then the proof. */
export async function playScan(random: Random, trace?: Trace): Promise<History> {
  const faultProfile: FaultProfile = { ...drawFaultProfile(random, true), deepSleep: false };
  const habits = drawClientHabits(random);
  const keys = drawKeys(random);
  const cluster = clusterOf(random, faultProfile, habits, keys, trace);
  const s3 = new SimS3(keys, random);
  const seats = random.whole(1, 3);
  const workers = new SeatWorkers(cluster, habits, s3, run);
  const plan = await planned(cluster, habits, s3, { seats, keys: keys.length });
  if (plan) {
    for (let seat = 0; seat < seats; seat++) workers.start(seat);
    const thief = new ScanMachine(cluster, 'thief', habits, drawClocks(random, true), s3);
    steal(thief, run, keys).catch((error) => cluster.fail(error));
    const nemesis = new Nemesis(cluster, faultProfile, () => workers.processes, 3 * habits.leaseMs);
    if (faultProfile.earlyDeletion) cluster.loop.after(random.spread(1, 10_000), () => deleteSlice(cluster));
    if (random.chance(0.4)) putMore(cluster, s3, keys);
    await cluster.loop.run(cluster.nowMs + random.between(3_000, 20_000), () => workers.isDone);
    nemesis.stop();
    thief.process.crash();
  }
  cluster.network.calm();
  cluster.lateIsLost = true;
  if (random.chance(0.5)) for (const process of workers.processes) process.crash();
  workers.isOver = true;
  await judge(cluster, habits, s3, run, seats);
  cluster.loop.clear();
  if (cluster.failure !== undefined) throw cluster.failure;
  countSplits(cluster.history);
  return cluster.history;
}

/** How often slices were split, and what befell them while the child was only noted. */
function countSplits({ records, tally }: History): void {
  for (const record of records) {
    if (record.kind !== 'write' || record.table !== leaseTable) continue;
    const { before, after, request } = record;
    if (!before || !after) continue;
    if (!before.child && after.child) {
      tally.count(request?.process === 'thief' ? 'split: by somebody at random' : 'split: by a seat');
      if (before.leaseId) tally.count('split: of a slice that is held');
    }
    if (before.child && after.child && after.leaseId && after.leaseId.S !== before.leaseId?.S) {
      tally.count('split: another holder comes before the child is made');
    }
  }
}

/** Two planners now and then, on a network that may fail them. */
async function planned(
  cluster: Cluster,
  habits: ClientHabits,
  s3: SimS3,
  { seats, keys }: { readonly seats: number; readonly keys: number },
): Promise<boolean> {
  const { random, loop } = cluster;
  const pageSize = Math.max(random.pick([1, 2, 3, 5]), Math.ceil(keys / maxPages));
  let [open, done] = [0, false];
  for (let planner = 0; planner < (random.chance(0.2) ? 2 : 1); planner++) {
    const machine = new ScanMachine(cluster, `plan-${planner}`, habits, drawClocks(random, true), s3);
    const { locks } = machine;
    const slices = random.whole(1, 5);
    open += 1;
    planScan({ locks, s3: machine.s3, run, bucket: 'data', seats, slices, pageSize }).then(
      () => {
        [open, done] = [open - 1, true];
      },
      (error: Error) => {
        open -= 1;
        cluster.note(machine.process.id, `fails: ${error.message}`);
        if (error.name !== 'StoreError') cluster.fail(error);
      },
    );
  }
  await loop.run(loop.nowMs + 60_000, () => open === 0 || cluster.failure !== undefined);
  return done;
}

/** Keys come up while the scan runs: next to others, so that pages end elsewhere. */
function putMore(cluster: Cluster, s3: SimS3, keys: readonly string[]): void {
  const { random, loop } = cluster;
  for (let more = 0; more < 6; more++) {
    loop.after(random.spread(100, 8_000), () => s3.add(`${random.pick(keys)}${random.pick(['', '/'])}!`));
  }
}

/** Somebody with too many rights: the proof must notice. */
function deleteSlice(cluster: Cluster): void {
  const names = [...cluster.store.itemsOf(leaseTable).keys()].filter((name) =>
    name.startsWith(`scan/${run}/`),
  );
  if (names.length === 0) return;
  const free = names.filter((name) => !cluster.store.itemsOf(leaseTable).get(name)!.leaseId);
  const name = cluster.random.pick(free.length > 0 ? free : names);
  cluster.history.premises.deletedEarlyAtMs = cluster.nowMs;
  cluster.note('somebody', `deletes ${name}`);
  cluster.store.put(leaseTable, { name: { S: name } }, undefined);
}

function clusterOf(
  random: Random,
  faultProfile: FaultProfile,
  habits: ClientHabits,
  keys: readonly string[],
  trace: Trace,
): Cluster {
  const premises: Premises = {
    clocksHold: true,
    skewMs: faultProfile.skewMs,
    retentionMs: habits.retentionMs,
    isCalm: faultProfile.isCalm,
    wallSteps: faultProfile.steps > 0,
    isPatient: true,
    deletedEarlyAtMs: undefined,
    keys,
  };
  return new Cluster(
    random,
    premises,
    random.pick([0, 500, 5_000]),
    (loop) => ({
      network: new Network(loop, random, faultProfile.network),
      frontEnds: new FrontEnds(loop, random, faultProfile.frontEndsAheadMs),
    }),
    trace,
  );
}
