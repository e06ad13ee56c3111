import type { Lease } from '../../../lib/lease/index.js';
import type { CallRecord, SharerRole } from '../history/history.js';
import { type Cluster, leaseTable } from '../world/cluster.js';
import type { Random } from '../world/random.js';
import type { FaultProfile } from './fault-profile.js';
import type { ClientHabits } from './hold-options.js';
import { drawTerms } from './hold-terms.js';
import { lastBoundMs } from './last-taker.js';
import { Machine } from './machine.js';

/** What several have at a time in a schedule: the permits of a semaphore, or a catalog with readers and a writer. */
export interface SharedHabits {
  readonly kind: 'semaphore' | 'read-write';
  readonly name: string;
  /** How many may be in: the permits that most ask for, or the readers. */
  readonly permits: number;
}

/** What a worker needs to know to take part. */
export interface Sharer {
  readonly machine: Machine;
  readonly habits: ClientHabits;
  readonly isRestarted: boolean;
  readonly isCalm: boolean;
  readonly nextCheckpoint: () => number;
}

/** So few that those who come must wait for each other. */
export function drawSharedHabits(random: Random): SharedHabits | undefined {
  if (!random.chance(0.3)) return undefined;
  return random.chance(0.5)
    ? { kind: 'semaphore', name: 'permits/a', permits: random.whole(1, 2) }
    : { kind: 'read-write', name: 'catalog/a', permits: random.whole(1, 3) };
}

/** The names of all leases that it is made of. */
export function namesOf({ kind, name, permits }: SharedHabits): readonly string[] {
  if (kind === 'semaphore') return Array.from({ length: permits + 1 }, (_, i) => `${name}#${i}`);
  return [`${name}#w`, ...Array.from({ length: permits }, (_, i) => `${name}#r#${i}`)];
}

/** Comes in, is in for a while, and goes. */
export async function share(sharer: Sharer, shared: SharedHabits): Promise<void> {
  const { random } = sharer.machine.cluster;
  if (shared.kind === 'semaphore') await takePermit(sharer, shared);
  else if (random.chance(0.65)) await read(sharer, shared);
  else await write(sharer, shared);
}

/** How one call asks. */
function drawCall({ machine, habits }: Sharer) {
  const { cluster } = machine;
  const { random } = cluster;
  const waitMs = random.pick([0, habits.leaseMs, 4 * habits.leaseMs]);
  const givesUp = !cluster.history.premises.isPatient && random.chance(0.25);
  const signal = givesUp ? machine.abortingAfter(random.spread(1, 2 * habits.leaseMs)) : undefined;
  const { options, terms } = drawTerms(cluster, machine.process, habits);
  const facts = { waitMs: Math.min(waitMs, terms.endsInMs?.() ?? waitMs) };
  return { how: { waitMs, ...options, ...(signal && { signal }) }, terms, facts };
}

async function takePermit(sharer: Sharer, { name, permits: most }: SharedHabits): Promise<void> {
  const { machine } = sharer;
  const { cluster, locks } = machine;
  const { random } = cluster;
  // While it is being changed, callers differ.
  const permits = random.chance(0.3) ? most + 1 : most;
  const semaphore = locks.semaphore(name, { permits });
  const { how, terms, ...drawn } = drawCall(sharer);
  const facts = { ...drawn.facts, permits };
  const supersede = sharer.isRestarted || random.chance(0.1);
  cluster.asksForPermit(name, permits);
  if (random.chance(0.25)) {
    const inside = async (lease: Lease) => {
      machine.hold(lease, terms);
      await beIn(sharer, name, 'permit', [lease]);
      cluster.letGo(lease);
    };
    await machine.call(
      'withPermit',
      name,
      () => semaphore.withPermit(inside, { ...how, supersede }),
      undefined,
      facts,
    );
    return;
  }
  const lease = await machine.call(
    `permit${supersede ? ' supersede' : ''}${how.waitMs > 0 ? ' waiting' : ''}`,
    name,
    () => semaphore.acquire({ ...how, supersede }),
    ({ leaseId }) => ({ leaseId }),
    facts,
  );
  if (!lease) return;
  machine.hold(lease, terms);
  await beIn(sharer, name, 'permit', [lease]);
  await end(sharer, [lease], () => release(machine, lease));
}

async function read(sharer: Sharer, { name, permits }: SharedHabits): Promise<void> {
  const { machine } = sharer;
  const { how, terms, facts } = drawCall(sharer);
  const catalog = machine.locks.readWriteLock(name, { readers: permits });
  const lease = await machine.call(
    `read${how.waitMs > 0 ? ' waiting' : ''}`,
    name,
    () => catalog.acquireRead(how),
    ({ leaseId }) => ({ leaseId }),
    facts,
  );
  if (!lease) return;
  machine.hold(lease, terms);
  await beIn(sharer, name, 'reader', [lease]);
  await end(sharer, [lease], () => release(machine, lease));
}

async function write(sharer: Sharer, { name, permits }: SharedHabits): Promise<void> {
  const { machine } = sharer;
  const { how, terms, facts } = drawCall(sharer);
  const catalog = machine.locks.readWriteLock(name, { readers: permits });
  const lock = await machine.call(
    `write${how.waitMs > 0 ? ' waiting' : ''}`,
    name,
    () => catalog.acquireWrite(how),
    undefined,
    facts,
  );
  if (!lock) return;
  const leases = lock.names.map((one) => lock.get(one));
  for (const lease of leases) machine.hold(lease, terms);
  await beIn(sharer, name, 'writer', leases);
  const toOutcome = (outcome: string) => ({
    outcome: outcome === 'lost' ? `lost: ${lock.loss?.reason ?? 'never told'}` : outcome,
  });
  const goOut = () => machine.call('release write', name, () => lock.release(), toOutcome);
  await end(sharer, leases, goOut);
}

/** What is done under one lease, or under several at once. */
async function beIn(sharer: Sharer, name: string, role: SharerRole, leases: readonly Lease[]): Promise<void> {
  const { machine, habits, nextCheckpoint } = sharer;
  const { cluster, process } = machine;
  const { random } = cluster;
  const letGo = cluster.holdShared(name, { role, process, leases });
  for (let step = random.whole(0, 3); step > 0; step--) {
    const lease = random.pick(leases);
    const known = { leaseId: lease.leaseId };
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
        if (!sharer.isCalm) await process.block(random.spread(1, 2 * habits.leaseMs));
        break;
      default:
        await process.sleep(random.spread(1, 1.5 * habits.leaseMs));
    }
    for (const one of leases) cluster.survey(one.name, 'asked', one.isHeld ? one.leaseId : undefined);
    cluster.surveyShared(name);
    if (leases.some(({ isHeld }) => !isHeld) && random.chance(0.7)) break;
  }
  letGo();
}

/** Goes, crashes, or forgets what it has, which goes on being renewed until the process ends. */
async function end(sharer: Sharer, leases: readonly Lease[], goOut: () => Promise<unknown>): Promise<void> {
  const { cluster, process } = sharer.machine;
  const roll = sharer.isCalm ? 0 : cluster.random.next();
  if (roll < 0.86) {
    for (const lease of leases) cluster.letGo(lease);
    await goOut();
  } else if (roll < 0.95) {
    cluster.note(process.id, 'crashes');
    process.crash();
    await new Promise<never>(() => {});
  }
}

async function release(machine: Machine, lease: Lease): Promise<void> {
  const toOutcome = (outcome: string) => {
    const { reason = 'never told' } = (lease.signal.reason ?? {}) as { reason?: string };
    return { outcome: outcome === 'lost' ? `lost: ${reason}` : outcome };
  };
  await machine.call('release', lease.name, () => lease.release(), toOutcome, { leaseId: lease.leaseId });
}

/** How long those who come at last are in, in milliseconds. */
const lastStayMs = 200;
/** How long a newcomer waits besides for others who come at the same time: some stays, looks and requests of each. */
const perOtherMs = 2 * lastStayMs + 500;

/**
 * I6: everybody has crashed and nothing goes wrong any more. One more comes than there are permits, and each gets one; or
 * readers come again and again, and the writer gets its turn all the same.
 */
export async function shareLast(
  cluster: Cluster,
  faultProfile: FaultProfile,
  habits: ClientHabits,
  shared: SharedHabits,
  forwardMs: number,
): Promise<void> {
  const { name, kind } = shared;
  const used = [...cluster.store.itemsOf(leaseTable).keys()].filter((key) => key.startsWith(`${name}#`));
  // A writer waits for the gate, and then for all permits together.
  const turns = kind === 'semaphore' ? 1 : 2;
  const others = shared.permits + 2;
  const boundMs = lastBoundMs(cluster, faultProfile, habits, used, forwardMs);
  const withinMs = turns * boundMs + others * (perOtherMs + 2 * habits.pollCeilingMs);
  // Broken clocks grant leases of any length: nobody waits.
  const waitMs = faultProfile.clocksHold ? 1.001 * withinMs + 1 : 1;
  const clocks = { monotonicRate: 1, wallRate: 1, wallAheadMs: 0 };
  const machines = Array.from(
    { length: shared.permits + (kind === 'semaphore' ? 1 : 2) },
    (_, i) => new Machine(cluster, `last-${i}`, `last-${i}`, habits, clocks),
  );
  let open = machines.length;
  let hasWritten = false;
  const come = async (machine: Machine, index: number) => {
    if (kind === 'semaphore') return void (await permitAtLast(machine, shared, waitMs));
    if (index === 0) {
      await writeAtLast(machine, shared, waitMs);
      hasWritten = true;
      return;
    }
    do await readAtLast(machine, shared, waitMs);
    while (!hasWritten);
  };
  for (const [index, machine] of machines.entries()) {
    come(machine, index).then(
      () => {
        open -= 1;
      },
      (error) => cluster.fail(error),
    );
  }
  await cluster.loop.run(cluster.nowMs + 2 * waitMs + 10_000, () => open === 0);
  const { records } = cluster.history;
  if (open > 0)
    records.push({ kind: 'stuck', atMs: cluster.nowMs, what: 'a call never ends', name, withinMs });
  const calls = records.filter(
    (record): record is CallRecord =>
      record.kind === 'call' && record.name === name && / at last$/.test(record.what),
  );
  for (const { what, outcome, sinceMs, atMs } of calls) {
    if (!faultProfile.clocksHold || what.startsWith('release')) continue;
    const isLate = atMs - sinceMs > withinMs;
    if (outcome === 'ok' && !isLate) continue;
    records.push({ kind: 'stuck', atMs, what: `${what}: ${isLate ? 'too late' : outcome}`, name, withinMs });
  }
}

async function permitAtLast(machine: Machine, { name, permits }: SharedHabits, waitMs: number) {
  machine.cluster.asksForPermit(name, permits);
  const semaphore = machine.locks.semaphore(name, { permits });
  const lease = await machine.call('permit at last', name, () => semaphore.acquire({ waitMs }));
  if (lease) await stayAtLast(machine, name, 'permit', [lease], () => release(machine, lease));
}

async function readAtLast(machine: Machine, { name, permits }: SharedHabits, waitMs: number) {
  const catalog = machine.locks.readWriteLock(name, { readers: permits });
  const lease = await machine.call('read at last', name, () => catalog.acquireRead({ waitMs }));
  if (lease) await stayAtLast(machine, name, 'reader', [lease], () => release(machine, lease));
}

async function writeAtLast(machine: Machine, { name, permits }: SharedHabits, waitMs: number) {
  const catalog = machine.locks.readWriteLock(name, { readers: permits });
  const lock = await machine.call('write at last', name, () => catalog.acquireWrite({ waitMs }));
  if (!lock) return;
  const leases = lock.names.map((one) => lock.get(one));
  const goOut = () => machine.call('release write', name, () => lock.release());
  await stayAtLast(machine, name, 'writer', leases, goOut);
}

async function stayAtLast(
  machine: Machine,
  name: string,
  role: SharerRole,
  leases: readonly Lease[],
  goOut: () => Promise<unknown>,
): Promise<void> {
  const { cluster, process } = machine;
  for (const lease of leases) machine.hold(lease);
  const letGo = cluster.holdShared(name, { role, process, leases });
  await process.sleep(lastStayMs);
  cluster.surveyShared(name);
  letGo();
  for (const lease of leases) cluster.letGo(lease);
  await goOut();
}
