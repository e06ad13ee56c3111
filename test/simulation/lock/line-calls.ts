import type { LockGroup } from '../../../lib/kit/lock-group.js';
import type { Lease } from '../../../lib/lease/index.js';
import type { JointRecord } from '../history/history.js';
import type { Cluster } from '../world/cluster.js';
import type { SimProcess } from '../world/sim-process.js';
import type { DrawnTerms } from './hold-terms.js';
import type { CallFacts, Machine } from './machine.js';

/** What a worker does with a lease that it has. */
export interface Working {
  hold(lease: Lease): Promise<void>;
  end(lease: Lease): Promise<void>;
}

/** How a worker asks for locks in this round. */
export interface Asking extends DrawnTerms {
  readonly leaseMs: number;
  readonly signal: AbortSignal | undefined;
  readonly lockDelayMs?: number;
  readonly minHoldMs?: number;
}

/** Waits in line, works, and gives the lock back or not. */
export async function waitInLine(
  machine: Machine,
  name: string,
  { options, terms, leaseMs, signal, minHoldMs, lockDelayMs }: Asking,
  working: Working,
): Promise<void> {
  const { locks, cluster } = machine;
  const { random } = cluster;
  const waitMs = random.pick([0, leaseMs, 4 * leaseMs, 10 * leaseMs]);
  const supersede = random.chance(0.1);
  const own = { supersede, ...options, ...(signal && { signal }) };
  const notYet = { ...(minHoldMs && { minHoldMs }), ...(lockDelayMs && { lockDelayMs }) };
  const lease = await machine.call(
    `acquire fair${supersede ? ' supersede' : ''}`,
    name,
    () => locks.acquire(name, { fair: true, waitMs, ...own, ...notYet }),
    ({ leaseId }) => ({ leaseId }),
    { isFair: true, waitMs: Math.min(waitMs, terms.endsInMs?.() ?? waitMs), ...notYet },
  );
  if (!lease) return;
  machine.hold(lease, terms);
  await working.hold(lease);
  await working.end(lease);
}

/** Wants several locks at once, named in any order. */
export async function takeTogether(
  machine: Machine,
  names: readonly string[],
  { options, terms, leaseMs, signal }: Asking,
  working: Working,
): Promise<void> {
  const { locks, cluster } = machine;
  const { random } = cluster;
  const waitMs = random.pick([0, leaseMs, 4 * leaseMs]);
  const fair = random.chance(0.3);
  const how = { waitMs, fair, ...options, ...(signal && { signal }) };
  const wanted = random.chance(0.5) ? names : [...names].reverse();
  const facts: CallFacts = {
    waitMs: Math.min(waitMs, terms.endsInMs?.() ?? waitMs),
    isFair: fair,
    wants: names,
  };
  const known = new Watched(cluster, machine.process, 'group');
  const take = (group: LockGroup) => {
    for (const name of group.names) machine.hold(group.get(name), terms);
    known.watch(group.signal, leasesOf(group), () => group.isHeld);
  };
  if (random.chance(0.5)) {
    const inside = async (group: LockGroup) => {
      take(group);
      const { signal: over } = group;
      for (let steps = random.whole(1, 3); steps > 0 && !over.aborted; steps--) {
        await working.hold(random.pick(leasesOf(group)));
        known.look();
      }
      for (const lease of leasesOf(group)) cluster.letGo(lease);
    };
    await machine.call('withLocks', '', () => locks.withLocks(wanted, inside, how), undefined, facts);
    known.forget();
    return;
  }
  const group = await machine.call('acquireAll', '', () => locks.acquireAll(wanted, how), undefined, facts);
  if (!group) return;
  take(group);
  await working.hold(random.pick(leasesOf(group)));
  known.look();
  for (const lease of leasesOf(group)) cluster.letGo(lease);
  await machine.call(
    'releaseAll',
    '',
    () => group.release(),
    (outcome) => ({ outcome }),
  );
  known.forget();
}

function leasesOf(group: LockGroup): readonly Lease[] {
  return group.names.map((name) => group.get(name));
}

/** Asks whoever holds the lock to let go; now and then a while after having looked. */
export async function askToLetGo(machine: Machine, name: string): Promise<void> {
  const { locks, cluster, process } = machine;
  const { random } = cluster;
  const seen = await machine.call(
    'leader',
    name,
    () => locks.leader(name),
    (info) => ({ otherLeaseId: info?.leaseId ?? '' }),
  );
  // To ask oneself is nothing that anybody does.
  if (!seen?.leaseId || seen.leaseId.startsWith(`${process.id}.`)) return;
  if (random.chance(0.3)) await process.sleep(random.spread(1, 1_000));
  const named = random.chance(0.5) ? seen.leaseId : seen;
  await machine.call(
    'requestRelease',
    name,
    () => locks.requestRelease(name, named, { reason: 'the simulation asks' }),
    (asked) => ({ outcome: asked ? 'ok' : 'not current' }),
    { otherLeaseId: seen.leaseId },
  );
}

/** Writes down what a joint signal says beside what it goes by: now and then, and right after any part has fired. */
export class Watched {
  readonly #cluster: Cluster;
  readonly #process: SimProcess;
  readonly #what: JointRecord['what'];
  #view: (() => Pick<JointRecord, 'isTold' | 'isHeld' | 'parts'>) | undefined;

  constructor(cluster: Cluster, process: SimProcess, what: JointRecord['what']) {
    this.#cluster = cluster;
    this.#process = process;
    this.#what = what;
  }

  /** @param more signals that it goes by besides the leases' own */
  watch(
    joint: AbortSignal,
    leases: readonly Lease[],
    isHeld?: () => boolean,
    more: readonly AbortSignal[] = [],
  ): void {
    const sources = [...leases.map(({ signal }) => signal), ...more];
    this.#view = () => {
      // To ask whether they are held may be what fires their signals.
      const valid = sources.map((_, part) => leases[part]?.isHeld ?? true);
      return {
        ...(isHeld && { isHeld: isHeld() }),
        isTold: joint.aborted,
        parts: sources.map((source, part) => ({ isTold: source.aborted, isValid: valid[part]! })),
      };
    };
    for (const source of sources) {
      source.addEventListener('abort', () => this.#cluster.loop.after(0, () => this.look()), { once: true });
    }
    this.look();
  }

  look(): void {
    const { nowMs: atMs, history } = this.#cluster;
    if (!this.#view || this.#process.isCrashed || this.#process.isPaused) return;
    history.records.push({
      kind: 'joint',
      atMs,
      process: this.#process.id,
      what: this.#what,
      ...this.#view(),
    });
  }

  forget(): void {
    this.#view = undefined;
  }
}
