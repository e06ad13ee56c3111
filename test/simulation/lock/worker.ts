import type { Lease } from '../../../lib/lease/index.js';
import { runDerivedCall } from './derived-calls.js';
import type { Machine } from './machine.js';
import { actOnResource } from './resources.js';
import type { SqlRows } from './sql-rows.js';

/** What a worker needs to know. */
export interface WorkerOptions {
  readonly machine: Machine;
  readonly names: readonly string[];
  readonly rows: SqlRows;
  readonly leaseMs: number;
  /** It was here before, under the same owner, and crashed. */
  readonly isRestarted: boolean;
  /** No new work is begun. */
  readonly isOver: () => boolean;
  readonly isCalm: boolean;
  /** Numbers all checkpoints in the order in which they are asked for. */
  readonly nextCheckpoint: () => number;
}

/** A signal of the caller's own, with a reason of the caller's own. */
function abortingAfter({ process }: Machine, delayMs: number): AbortSignal {
  const controller = new AbortController();
  const reason = Object.assign(new Error('the user has enough'), { name: 'UserAbort' });
  process.runtime.setTimer(() => controller.abort(reason), delayMs);
  return controller.signal;
}

/** Takes locks, works under them, gives them back or not: what users do, badly behaved ones included. */
export async function work(options: WorkerOptions): Promise<void> {
  const { machine, names, isOver } = options;
  const { random } = machine.cluster;
  const rounds = random.whole(1, 3);
  for (let round = 0; round < rounds && !isOver(); round++) {
    await machine.process.sleep(random.spread(1, 1_500));
    const name = random.pick(names);
    if (!options.isCalm && random.chance(0.12)) await operate(machine, name);
    else if (random.chance(0.14)) await runDerivedCall(machine, options.leaseMs);
    else await lockOnce(options, name, options.isRestarted || random.chance(0.1));
  }
}

async function lockOnce(options: WorkerOptions, name: string, supersede: boolean): Promise<void> {
  const { machine, leaseMs, names } = options;
  const { locks, cluster } = machine;
  const { random } = cluster;
  const waitMs = random.pick([0, 0, leaseMs, 4 * leaseMs]);
  const givesUp = !cluster.history.premises.isPatient && random.chance(0.25);
  const signal = givesUp ? abortingAfter(machine, random.spread(1, 2 * leaseMs)) : undefined;
  const how = { waitMs, supersede, ...(signal && { signal }) };
  if (random.chance(0.25)) {
    const inside = async (lease: Lease) => {
      machine.hold(lease);
      await hold(options, lease);
      cluster.letGo(lease);
    };
    await machine.call('withLock', name, () => locks.withLock(name, inside, how), undefined, { waitMs });
    return;
  }
  if (!supersede && waitMs === 0 && random.chance(0.15)) {
    const next = await machine.call(
      'claimNext',
      name,
      () => locks.claimNext(random.chance(0.5) ? names : [name], how),
      (claimed) => (claimed ? { leaseId: claimed.leaseId } : { outcome: 'none free' }),
    );
    if (!next) return;
    machine.hold(next);
    await hold(options, next);
    await end(machine, next, options);
    return;
  }
  const what = `acquire${supersede ? ' supersede' : ''}${waitMs > 0 ? ' waiting' : ''}`;
  const lease = await machine.call(
    what,
    name,
    () => locks.acquire(name, how),
    ({ leaseId }) => ({ leaseId }),
    { waitMs },
  );
  if (!lease) return;
  machine.hold(lease);
  await hold(options, lease);
  await end(machine, lease, options);
}

async function hold({ machine, leaseMs, rows, nextCheckpoint }: WorkerOptions, lease: Lease): Promise<void> {
  const { cluster, process } = machine;
  const { random } = cluster;
  const known = { leaseId: lease.leaseId };
  const steps = random.whole(0, 3);
  for (let step = 0; step < steps; step++) {
    switch (random.whole(0, 5)) {
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
        await actOnResource(machine, lease, rows);
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
    await machine.call('complete', lease.name, () => lease.complete('done'), toOutcome, known);
  } else if (roll < 0.95) {
    cluster.note(process.id, 'crashes');
    process.crash();
    await new Promise<never>(() => {});
  }
  // Otherwise it forgets the lease, which goes on being renewed until the process ends.
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
