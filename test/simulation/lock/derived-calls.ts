import type { Lease } from '../../../lib/lease/index.js';
import { drawRetention } from './hold-terms.js';
import type { Machine } from './machine.js';

/** What is built on locks runs under names of its own: the rules for them differ. */
const onceName = 'once/a';
const cronName = 'cron/a';

/** A schedule's slots lie this far apart, in milliseconds. */
const slotMs = 2_000;
/** The slots that somebody may still come with. */
const slotsBack = 4;

/** Work that may take long, fail, or not look at what it is told: what `once` and `cronSlot` are given. */
function workOf(
  machine: Machine,
  leaseMs: number,
  onLease: (lease: Lease) => void = () => {},
): (lease: Lease) => Promise<string> {
  const { cluster, process } = machine;
  const { random } = cluster;
  const result = `by ${process.id} at ${cluster.elapsedMs}`;
  return async (lease) => {
    machine.hold(lease);
    onLease(lease);
    await process.sleep(random.spread(1, 1.5 * leaseMs));
    cluster.letGo(lease);
    if (!cluster.history.premises.isCalm && random.chance(0.2)) {
      throw Object.assign(new Error('the work fails'), { name: 'WorkFailed' });
    }
    return result;
  };
}

/** One of the things that are built on locks. */
export function runDerivedCall(machine: Machine, leaseMs: number): Promise<void> {
  // A slot needs a client with a table.
  const { random, history } = machine.cluster;
  return history.premises.isService || random.chance(0.5)
    ? doOnce(machine, leaseMs)
    : runSlot(machine, leaseMs);
}

/** Wants something done once, and gets the result of whoever did it. */
async function doOnce(machine: Machine, leaseMs: number): Promise<void> {
  const waitMs = machine.cluster.random.pick([0, leaseMs, 4 * leaseMs]);
  const { cluster } = machine;
  const retainMs = drawRetention(cluster);
  const work = workOf(machine, leaseMs, ({ leaseId }) =>
    cluster.history.records.push({ kind: 'completing', atMs: cluster.nowMs, leaseId, retainMs }),
  );
  await machine.call(
    'once',
    onceName,
    () => machine.locks.once(onceName, work, { waitMs, ...(retainMs !== undefined && { retainMs }) }),
    ({ result }) => ({ value: result }),
    { waitMs },
  );
}

/** Runs the job of a slot: of this one, or of one that is past, as by a scheduler whose clock is turned back; far, too. */
async function runSlot(machine: Machine, leaseMs: number): Promise<void> {
  const { cluster, locks } = machine;
  const { random } = cluster;
  const fromMs = random.chance(0.2) ? cluster.nowMs - cluster.elapsedMs : cluster.nowMs;
  const slot = (Math.floor(fromMs / slotMs) - random.whole(0, slotsBack)) * slotMs;
  const waitMs = random.pick([0, leaseMs]);
  await machine.call(
    'cronSlot',
    cronName,
    () => locks.cronSlot(cronName, slot, workOf(machine, leaseMs), { waitMs }),
    (outcome) => ({ outcome: outcome.ran ? 'ok' : outcome.reason }),
    { value: String(slot) },
  );
}
