import type { HandedOver, Lease } from '../../../lib/lease/index.js';
import type { Cluster } from '../world/cluster.js';
import type { SimProcess } from '../world/sim-process.js';
import { drawClocks, type FaultProfile } from './fault-profile.js';
import type { ClientHabits } from './hold-options.js';
import { drawTerms } from './hold-terms.js';
import { type Machine, type MachineMaker, makerOf } from './machine.js';
import { actOnResource } from './resources.js';
import type { SqlRows } from './sql-rows.js';

/** How often a state is tried, as a `Retry` would. */
const maxAttempts = 4;

/** How an attempt ended, as far as the execution is told. */
type Ended =
  | { readonly kind: 'done'; readonly json: string | undefined }
  | { readonly kind: 'failed' }
  /** It crashed; or it took too long, and goes on unseen. */
  | { readonly kind: 'again' };

/**
 * Executions of a state machine, each of which keeps a lock over its states: a process for each attempt, and JSON from
 * one to the next. Attempts crash, or are given up while they go on; now and then one is started that nobody asked for.
 */
export class Lines {
  readonly processes: SimProcess[] = [];
  readonly #cluster: Cluster;
  readonly #faultProfile: FaultProfile;
  readonly #habits: ClientHabits;
  readonly #rows: SqlRows;
  readonly #nextCheckpoint: () => number;
  readonly #maker: MachineMaker;
  #isOver = false;
  #running = 0;

  constructor(
    cluster: Cluster,
    faultProfile: FaultProfile,
    habits: ClientHabits,
    names: readonly string[],
    rows: SqlRows,
    nextCheckpoint: () => number,
    machine: MachineMaker = makerOf(cluster, habits),
  ) {
    this.#maker = machine;
    this.#cluster = cluster;
    this.#faultProfile = faultProfile;
    this.#habits = habits;
    this.#rows = rows;
    this.#nextCheckpoint = nextCheckpoint;
    const { random } = cluster;
    for (let line = random.whole(1, 2); line > 0; line--) {
      this.#running += 1;
      this.#execute(random.pick(names)).then(
        () => {
          this.#running -= 1;
        },
        (error) => cluster.fail(error),
      );
    }
  }

  get isDone(): boolean {
    return this.#running === 0;
  }

  crashAll(): void {
    this.#isOver = true;
    for (const process of this.processes) process.crash();
  }

  async #execute(name: string): Promise<void> {
    const { random, loop } = this.#cluster;
    await loop.sleep(random.spread(1, 2_000));
    let json: string | undefined;
    for (let left = random.whole(2, 4); left > 0; left--) {
      const ended = await this.#state(name, json, left === 1);
      if (ended.kind !== 'done') return;
      json = ended.json;
      if (json !== undefined && !this.#faultProfile.isCalm && random.chance(0.3)) this.#stray(name, json);
      await loop.sleep(random.spread(1, this.#habits.leaseMs));
    }
  }

  /** One state: tried again when an attempt crashed or took too long. */
  async #state(name: string, json: string | undefined, isLast: boolean): Promise<Ended> {
    const { random, loop } = this.#cluster;
    for (let attempt = 0; attempt < maxAttempts && !this.#isOver; attempt++) {
      const ended = await this.#attempt(name, json, isLast);
      if (ended.kind !== 'again') return ended;
      await loop.sleep(random.spread(1, 1_000));
    }
    return { kind: 'failed' };
  }

  #attempt(name: string, json: string | undefined, isLast: boolean): Promise<Ended> {
    const { random, loop } = this.#cluster;
    const machine = this.#machine();
    return new Promise((resolve) => {
      machine.process.onCrash(() => resolve({ kind: 'again' }));
      if (!this.#faultProfile.isCalm && random.chance(0.3)) {
        loop.after(random.spread(100, 3 * this.#habits.leaseMs), () => resolve({ kind: 'again' }));
      }
      this.#work(machine, name, json, isLast).then(resolve, (error) => this.#cluster.fail(error));
    });
  }

  /** An invocation that comes twice, or very late. */
  #stray(name: string, json: string): void {
    const { random, loop } = this.#cluster;
    loop.after(random.spread(1, 4 * this.#habits.leaseMs), () => {
      if (!this.#isOver) void this.#attempt(name, json, random.chance(0.5));
    });
  }

  async #work(machine: Machine, name: string, json: string | undefined, isLast: boolean): Promise<Ended> {
    const { locks } = machine;
    const known = ({ leaseId }: Lease) => ({ leaseId });
    const waitMs = 2 * this.#habits.leaseMs;
    const handedOver = json === undefined ? undefined : (JSON.parse(json) as HandedOver);
    const { options, terms } = drawTerms(machine.cluster, machine.process, this.#habits, handedOver?.leaseMs);
    const facts = { waitMs: Math.min(waitMs, terms.endsInMs?.() ?? waitMs) };
    const acquire = () => locks.acquire(name, { waitMs, ...options });
    const lease = handedOver
      ? await machine.call('resume', name, () => locks.resume(handedOver, options), known)
      : await machine.call('acquire waiting', name, acquire, known, facts);
    if (!lease) return { kind: 'failed' };
    machine.hold(lease, terms);
    await this.#use(machine, lease);
    return isLast ? this.#release(machine, lease) : this.#handOver(machine, lease);
  }

  async #use(machine: Machine, lease: Lease): Promise<void> {
    const { cluster, process } = machine;
    const { random } = cluster;
    for (let step = random.whole(0, 3); step > 0; step--) {
      const checkpoint = this.#nextCheckpoint();
      const facts = { leaseId: lease.leaseId, checkpoint };
      switch (random.whole(0, 2)) {
        case 0:
          await machine.call('save', lease.name, () => lease.save(checkpoint), undefined, facts);
          break;
        case 1:
          await actOnResource(machine, lease, this.#rows);
          break;
        default:
          await process.sleep(random.spread(1, 1.5 * this.#habits.leaseMs));
      }
      cluster.survey(lease.name, 'asked', lease.isHeld ? lease.leaseId : undefined);
    }
  }

  async #handOver(machine: Machine, lease: Lease): Promise<Ended> {
    const facts = () => ({ outcome: lease.isHeld ? 'still held' : 'ok' });
    const known = { leaseId: lease.leaseId };
    const { cluster } = machine;
    const gapMs = cluster.random.chance(0.4) ? this.#drawGap(cluster) : undefined;
    const handingOver = () => (gapMs === undefined ? lease.handOver() : lease.handOver({ leaseMs: gapMs }));
    const handedOver = await machine.call<HandedOver>('handOver', lease.name, handingOver, facts, {
      ...known,
      ...(gapMs !== undefined && { gapMs }),
    });
    // The store did not say: it is held here, and the state fails.
    if (!handedOver) return lease.isHeld ? this.#release(machine, lease) : { kind: 'failed' };
    machine.cluster.letGo(lease);
    return { kind: 'done', json: JSON.stringify(handedOver) };
  }

  /** How long the next state may take to begin: less than a lease, or more. */
  #drawGap(cluster: Cluster): number {
    const { leaseMs } = this.#habits;
    const gapMs = Math.ceil(cluster.random.spread(leaseMs / 10, 4 * leaseMs));
    cluster.asksFor(gapMs);
    cluster.history.tally.count('asked: handOver with a length of its own');
    return gapMs;
  }

  async #release(machine: Machine, lease: Lease): Promise<Ended> {
    machine.cluster.letGo(lease);
    const facts = (outcome: string) => ({
      outcome:
        outcome === 'lost'
          ? `lost: ${(lease.signal.reason as { reason?: string })?.reason ?? 'never told'}`
          : outcome,
    });
    await machine.call('release', lease.name, () => lease.release(), facts, { leaseId: lease.leaseId });
    return { kind: 'done', json: undefined };
  }

  #machine(): Machine {
    const { random } = this.#cluster;
    const id = `s${this.processes.length}`;
    const clocks = drawClocks(random, this.#faultProfile.clocksHold);
    const machine = this.#maker(id, id, clocks);
    this.processes.push(machine.process);
    return machine;
  }
}
