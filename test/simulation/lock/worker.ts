import type { Lease } from '../../../lib/lease/index.js';
import { runDerivedCall } from './derived-calls.js';
import type { ClientHabits } from './hold-options.js';
import { drawRetention, drawTerms } from './hold-terms.js';
import { type Asking, askToLetGo, takeTogether, type Working, waitInLine } from './line-calls.js';
import type { CallFacts, Machine } from './machine.js';
import { actOnResource, draftKind, drawKind } from './resources.js';
import { namesOf, type SharedHabits, share } from './shared.js';
import type { SqlRows } from './sql-rows.js';

/** What a worker needs to know. */
export interface WorkerOptions {
  readonly machine: Machine;
  readonly names: readonly string[];
  readonly rows: SqlRows;
  readonly habits: ClientHabits;
  /** It was here before, under the same owner, and crashed. */
  readonly isRestarted: boolean;
  /** No new work is begun. */
  readonly isOver: () => boolean;
  readonly isCalm: boolean;
  /** How likely it stands in line. */
  readonly fairness: number;
  /** Numbers all checkpoints in the order in which they are asked for. */
  readonly nextCheckpoint: () => number;
  /** What is shared by several at a time, where the schedule has it. */
  readonly shared: SharedHabits | undefined;
}

/** Takes locks, works under them, gives them back or not: what users do, badly behaved ones included. */
export async function work(options: WorkerOptions): Promise<void> {
  const { machine, names, isOver } = options;
  const { random } = machine.cluster;
  const rounds = random.whole(1, 3);
  for (let round = 0; round < rounds && !isOver(); round++) {
    await machine.process.sleep(random.spread(1, 1_500));
    const { shared } = options;
    if (shared && random.chance(0.75)) {
      if (!options.isCalm && random.chance(0.1)) await operate(machine, random.pick(namesOf(shared)));
      else await share(options, shared);
      continue;
    }
    const name = random.pick(names);
    if (!options.isCalm && random.chance(0.12)) await operate(machine, name);
    else if (random.chance(0.05)) await askToLetGo(machine, name);
    else if (random.chance(0.14)) await runDerivedCall(machine, options.habits.leaseMs);
    else if (random.chance(options.fairness))
      await waitInLine(machine, name, drawAsking(options), working(options));
    else if (names.length > 1 && random.chance(0.3))
      await takeTogether(machine, names, drawAsking(options), working(options));
    else await lockOnce(options, name, options.isRestarted || random.chance(0.1));
    if (machine.former.length > 0 && random.chance(0.15)) await writeLate(machine, options.rows);
  }
}

async function lockOnce(options: WorkerOptions, name: string, supersede: boolean): Promise<void> {
  const { machine, habits, names } = options;
  const { leaseMs } = habits;
  const { locks, cluster } = machine;
  const { random } = cluster;
  const waitMs = random.pick([0, 0, leaseMs, 4 * leaseMs]);
  const givesUp = !cluster.history.premises.isPatient && random.chance(0.25);
  const signal = givesUp ? machine.abortingAfter(random.spread(1, 2 * leaseMs)) : undefined;
  const { options: asked, terms } = drawTerms(cluster, machine.process, habits);
  const notYet = drawNotYet(options);
  const how = { supersede, ...asked, ...notYet, ...(signal && { signal }) };
  const waiting = { waitMs, ...how };
  const facts = { waitMs: Math.min(waitMs, terms.endsInMs?.() ?? waitMs), ...notYet };
  if (random.chance(0.25)) {
    const inside = async (lease: Lease) => {
      machine.hold(lease, terms);
      leaseId = lease.leaseId;
      await hold(options, lease);
      cluster.letGo(lease);
    };
    let leaseId: string | undefined;
    await machine.call(
      'withLock',
      name,
      () => locks.withLock(name, inside, waiting),
      () => ({ leaseId }),
      facts,
    );
    return;
  }
  if (!supersede && waitMs === 0 && random.chance(0.15)) {
    const next = await machine.call(
      'claimNext',
      name,
      () => locks.claimNext(random.chance(0.5) ? names : [name], how),
      (claimed) => (claimed ? { leaseId: claimed.leaseId } : { outcome: 'none free' }),
      notYet,
    );
    if (!next) return;
    machine.hold(next, terms);
    await hold(options, next);
    await end(machine, next, options);
    return;
  }
  const what = `acquire${supersede ? ' supersede' : ''}${waitMs > 0 ? ' waiting' : ''}`;
  const lease = await machine.call(
    what,
    name,
    () => locks.acquire(name, waiting),
    ({ leaseId }) => ({ leaseId }),
    facts,
  );
  if (!lease) return;
  machine.hold(lease, terms);
  await hold(options, lease);
  await end(machine, lease, options);
}

/** How a worker asks for what it waits for in line, or for several locks at once. */
function drawAsking(options: WorkerOptions): Asking {
  const { machine, habits } = options;
  const { cluster } = machine;
  const { random } = cluster;
  const givesUp = !cluster.history.premises.isPatient && random.chance(0.25);
  const signal = givesUp ? machine.abortingAfter(random.spread(1, 4 * habits.leaseMs)) : undefined;
  return {
    ...drawTerms(cluster, machine.process, habits),
    ...drawNotYet(options),
    leaseMs: habits.leaseMs,
    signal,
  };
}

function working(options: WorkerOptions): Working {
  return {
    hold: (lease) => hold(options, lease),
    end: (lease) => end(options.machine, lease, options),
  };
}

/** Now and then a lock is not to be had for a while after its grant, or a lease that ran out is left for a while. */
function drawNotYet({ machine, habits: { leaseMs } }: WorkerOptions) {
  const { random } = machine.cluster;
  return {
    ...(random.chance(0.15) && { minHoldMs: random.whole(1, 2 * leaseMs) }),
    ...(random.chance(0.15) && { lockDelayMs: random.whole(1, leaseMs) }),
  };
}

async function hold({ machine, habits, rows, nextCheckpoint }: WorkerOptions, lease: Lease): Promise<void> {
  const { cluster, process } = machine;
  const { leaseMs } = habits;
  const { random } = cluster;
  const known = { leaseId: lease.leaseId };
  const steps = random.whole(0, 3);
  for (let step = 0; step < steps; step++) {
    switch (random.whole(0, 9)) {
      case 0: {
        const checkpoint = nextCheckpoint();
        const facts = { ...known, checkpoint };
        await machine.call('save', lease.name, () => lease.save(checkpoint), undefined, facts);
        break;
      }
      case 1:
        await machine.call('renew', lease.name, () => lease.renew(), undefined, known);
        break;
      case 2:
      case 7:
      case 8:
        await actOnResource(machine, lease, rows);
        break;
      case 6:
        await overtake(machine, lease, rows);
        break;
      case 3:
        if (!cluster.history.premises.isCalm) await process.block(random.spread(1, 2 * leaseMs));
        break;
      default:
        await process.sleep(random.spread(1, 1.5 * leaseMs));
    }
    ask(machine, lease);
    // A worker that does not look at what it is told goes on: the fence is there for that.
    if (!lease.isHeld && random.chance(0.7)) return;
  }
}

/** What was begun under an earlier lease, here or in a process that slept or crashed, goes on. */
async function writeLate(machine: Machine, rows: SqlRows): Promise<void> {
  const { cluster, former } = machine;
  const { random } = cluster;
  cluster.history.tally.count('asked: a write under an earlier lease');
  await actOnResource(machine, random.pick(random.chance(0.5) ? former : cluster.former), rows);
}

/** Something is written, and then what was begun under an earlier lease of the name would write the same. */
async function overtake(machine: Machine, lease: Lease, rows: SqlRows): Promise<void> {
  const { random, former } = machine.cluster;
  const kind = drawKind(random);
  await actOnResource(machine, lease, rows, random.chance(0.5) ? kind : draftKind);
  const earlier = former.filter(({ name, token }) => name === lease.name && token < lease.token);
  if (earlier.length > 0) await actOnResource(machine, random.pick(earlier), rows, kind);
}

/** In one of the two ways that there are. */
function ask(machine: Machine, lease: Lease): void {
  const { cluster } = machine;
  let isHeld = true;
  if (cluster.random.chance(0.5)) isHeld = lease.isHeld;
  else {
    try {
      lease.throwIfLost();
    } catch {
      isHeld = false;
    }
  }
  cluster.survey(lease.name, 'asked', isHeld ? lease.leaseId : undefined);
}

async function end(machine: Machine, lease: Lease, { isCalm, nextCheckpoint }: WorkerOptions): Promise<void> {
  const { cluster, process } = machine;
  const roll = isCalm ? 0 : cluster.random.next();
  const known = { leaseId: lease.leaseId };
  if (roll < 0.78) {
    cluster.letGo(lease);
    const checkpoint = cluster.random.chance(0.2) ? nextCheckpoint() : undefined;
    const change = checkpoint === undefined ? undefined : { set: { checkpoint } };
    const facts = { ...known, ...(checkpoint !== undefined && { checkpoint }) };
    const toOutcome = (outcome: string) => ({
      outcome: outcome === 'lost' ? `lost: ${findLoss(lease)}` : outcome,
    });
    await machine.call('release', lease.name, () => lease.release(change), toOutcome, facts);
  } else if (roll < 0.86) {
    cluster.letGo(lease);
    const toOutcome = () => ({ outcome: lease.isHeld ? 'still held' : 'ok' });
    await complete(machine, lease, toOutcome);
  } else if (roll < 0.95) {
    cluster.note(process.id, 'crashes');
    process.crash();
    await new Promise<never>(() => {});
  }
  // Otherwise it forgets the lease, which goes on being renewed until the process ends.
}

/** For good, or for as long as the caller says. */
async function complete(machine: Machine, lease: Lease, toOutcome: () => CallFacts): Promise<void> {
  const { cluster } = machine;
  const { leaseId } = lease;
  const retainMs = drawRetention(cluster);
  cluster.history.records.push({ kind: 'completing', atMs: cluster.nowMs, leaseId, retainMs });
  const completing = () =>
    retainMs === undefined ? lease.complete('done') : lease.complete('done', { retainMs });
  await machine.call('complete', lease.name, completing, toOutcome, { leaseId });
}

function findLoss(lease: Lease): string {
  return (lease.signal.reason as { reason?: string } | undefined)?.reason ?? 'never told';
}

async function operate(machine: Machine, name: string): Promise<void> {
  const { locks, cluster } = machine;
  const seen = await machine.call('inspect', name, () => locks.inspect(name));
  if (!seen) return;
  if (seen.state === 'completed') await machine.call('reopen', name, () => locks.reopen(name));
  // Breaking a lease of one's own is not what operators do; the checkers could not tell it from a release.
  else if (seen.leaseId !== undefined && !seen.leaseId.startsWith(`${machine.process.id}.`)) {
    const leaseId = seen.leaseId;
    await machine.process.sleep(cluster.random.spread(1, 2_000));
    await machine.call(
      'break',
      name,
      () => locks.break(name, leaseId),
      (broken) => ({ outcome: broken ? 'ok' : 'not current' }),
      { otherLeaseId: leaseId },
    );
  }
}
