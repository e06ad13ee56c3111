import { planScan } from '../../../lib/scan/index.js';
import type { History, Premises } from '../history/history.js';
import { drawClocks, drawFaultProfile, type FaultProfile } from '../lock/fault-profile.js';
import { drawClientHabits } from '../lock/hold-options.js';
import { Nemesis } from '../lock/nemesis.js';
import { FrontEnds } from '../net/front-ends.js';
import { Network } from '../net/network.js';
import { Cluster, leaseTable } from '../world/cluster.js';
import type { Random } from '../world/random.js';
import type { Trace } from '../world/trace.js';
import { drawKeys } from './bucket-keys.js';
import { judge } from './judge.js';
import { type ScanHabits, ScanMachine } from './scan-machine.js';
import { SeatWorkers } from './seat-workers.js';
import { SimS3 } from './sim-s3.js';
import { steal } from './thief.js';

const run = 'run';

/** How much there is in a schedule's world. */
interface WorldSize {
  readonly isSmall: boolean;
  /** About so many; random keys may be the same. */
  readonly keys: number;
  readonly pageSize: number;
  readonly seats: number;
  /** Each planner asks for up to so many. */
  readonly maxSlices: number;
  /** Seats are started so often, all together. */
  readonly maxStarts: number;
  /** Somebody tries so often to split a slice at random. */
  readonly thefts: number;
  /** Trouble lasts up to so long, in milliseconds. */
  readonly troubleMs: number;
}

/**
 * Most worlds are small: what breaks a rule takes a few pages and two workers, as a rule, and many such worlds are played
 * in the time of a large one. That has room for what takes more: slices of slices, many restarts, seats that starve.
 */
function drawSize(random: Random): WorldSize {
  if (random.chance(0.9)) {
    const pageSize = random.pick([1, 1, 2, 3]);
    return {
      isSmall: true,
      keys: Math.max(1, random.pick([1, 2, 2, 3, 3, 4, 5, 8]) * pageSize - random.whole(0, pageSize)),
      pageSize,
      seats: random.pick([1, 2]),
      maxSlices: 2,
      maxStarts: 3,
      thefts: random.pick([1, 3]),
      troubleMs: random.between(1_000, 4_000),
    };
  }
  const keys = random.pick([1, 6, 24, 60]);
  return {
    isSmall: false,
    keys,
    // More pages show nothing that these do not.
    pageSize: Math.max(random.pick([1, 2, 3, 5]), Math.ceil(keys / 30)),
    seats: random.whole(1, 3),
    maxSlices: 5,
    maxStarts: 8,
    thefts: 6,
    troubleMs: random.between(3_000, 20_000),
  };
}

/** Plays one schedule of a scan from the draws of its seed: plan, seats and thieves in trouble, then rounds in peace, then the proof. */
export async function playScan(random: Random, trace?: Trace): Promise<History> {
  const size = drawSize(random);
  const faultProfile: FaultProfile = { ...drawFaultProfile(random, true), deepSleep: false };
  const hasLedger = !size.isSmall || random.chance(0.5);
  const habits = { ...drawClientHabits(random, size.isSmall), hasLedger };
  const keys = drawKeys(random, size.keys);
  const cluster = clusterOf(random, faultProfile, habits, keys, trace);
  const s3 = new SimS3(keys, random);
  const { seats } = size;
  const workers = new SeatWorkers(cluster, habits, s3, run, size.maxStarts);
  // A plan that fails leaves nothing to do in trouble.
  if (size.isSmall && random.chance(0.6)) cluster.network.calm();
  const plan = await planned(cluster, habits, s3, size);
  cluster.network.habits = faultProfile.network;
  if (plan) {
    for (let seat = 0; seat < seats; seat++) workers.start(seat);
    const thief = new ScanMachine(cluster, 'thief', habits, drawClocks(random, true), s3);
    steal(thief, run, keys, size.thefts).catch((error) => cluster.fail(error));
    const nemesis = new Nemesis(cluster, faultProfile, () => workers.processes, 3 * habits.leaseMs);
    if (faultProfile.earlyDeletion) cluster.loop.after(random.spread(1, 10_000), () => deleteSlice(cluster));
    if (random.chance(0.4)) putMore(cluster, s3, keys);
    await cluster.loop.run(cluster.nowMs + size.troubleMs, () => workers.isDone);
    nemesis.stop();
    thief.process.crash();
  }
  cluster.network.calm();
  cluster.lateIsLost = true;
  if (random.chance(0.5)) for (const process of workers.processes) process.crash();
  workers.isOver = true;
  await judge(cluster, habits, s3, { run, seats, isPlanned: plan });
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
  habits: ScanHabits,
  s3: SimS3,
  { seats, pageSize, maxSlices }: WorldSize,
): Promise<boolean> {
  const { random, loop } = cluster;
  let [open, done] = [0, false];
  for (let planner = 0; planner < (random.chance(0.2) ? 2 : 1); planner++) {
    const machine = new ScanMachine(cluster, `plan-${planner}`, habits, drawClocks(random, true), s3);
    const { locks } = machine;
    const slices = random.whole(1, maxSlices);
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
  habits: ScanHabits,
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
