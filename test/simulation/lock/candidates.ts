import type { Leading } from '../../../lib/kit/leader.js';
import type { Lease } from '../../../lib/lease/index.js';
import type { Cluster } from '../world/cluster.js';
import type { SimProcess } from '../world/sim-process.js';
import { drawClocks, type FaultProfile } from './fault-profile.js';
import type { ClientHabits } from './hold-options.js';
import { askToLetGo, Watched } from './line-calls.js';
import type { Machine, MachineMaker } from './machine.js';

/** Locks that are led under have names of their own: who takes one for a moment knows nothing of elections. */
export const leadName = 'lead/a';

/** Whoever has stepped down leaves the lead to the others for so long, in milliseconds. */
const stepDownPauseMs = 3_000;
/** Between two tries of a campaign whose store is in trouble. */
const storePauseMs = 1_000;
/** The clocks' widest interval, and what drift and the last pauses add. */
const clocksMs = 8_000;

/** Processes that want to lead, crash, come back, and are asked to step down. */
export class Candidates {
  readonly processes: SimProcess[] = [];
  readonly #cluster: Cluster;
  readonly #faultProfile: FaultProfile;
  readonly #habits: ClientHabits;
  readonly #machine: MachineMaker;
  readonly #leading = new Set<Lease>();
  #isOver = false;

  constructor(cluster: Cluster, faultProfile: FaultProfile, habits: ClientHabits, machine: MachineMaker) {
    this.#cluster = cluster;
    this.#faultProfile = faultProfile;
    this.#habits = habits;
    this.#machine = machine;
    for (let candidate = cluster.random.whole(2, 3); candidate > 0; candidate--)
      this.#start(`c${candidate}`, 0);
  }

  /** Nothing goes wrong any more: somebody leads, and goes on doing so, in time. */
  async settle(): Promise<void> {
    const { loop, history } = this.#cluster;
    const { leaseMs, pollCeilingMs, requestTimeoutMs, maxAttempts } = this.#habits;
    const { skewMs } = this.#faultProfile;
    // A lease that was granted last, a pause that is under way, and those of whoever stepped down or met trouble.
    const pausedMs = Math.max(0, ...this.processes.map(({ runningSinceMs }) => runningSinceMs - loop.nowMs));
    const requestsMs = 4 * requestTimeoutMs * maxAttempts;
    const withinMs =
      pausedMs +
      2 * Math.max(leaseMs, this.#cluster.longestAskedMs) +
      2 * skewMs +
      clocksMs +
      stepDownPauseMs +
      storePauseMs +
      requestsMs +
      2 * pollCeilingMs;
    const isLed = () => [...this.#leading].some(({ isHeld }) => isHeld);
    await loop.run(loop.nowMs + withinMs, isLed);
    if (!isLed() && this.#faultProfile.clocksHold)
      history.records.push({
        kind: 'stuck',
        atMs: loop.nowMs,
        what: 'nobody leads',
        name: leadName,
        withinMs,
      });
  }

  crashAll(): void {
    this.#isOver = true;
    for (const process of this.processes) process.crash();
  }

  #start(owner: string, restarts: number): void {
    const { random, loop } = this.#cluster;
    const id = `${owner}${restarts === 0 ? '' : `r${restarts}`}`;
    const machine = this.#machine(id, owner, drawClocks(random, this.#faultProfile.clocksHold));
    const { process } = machine;
    this.processes.push(process);
    machine.isShared = true;
    const scripts = [this.#campaign(machine), this.#ask(machine)];
    for (const script of scripts) script.catch((error) => this.#cluster.fail(error));
    process.onCrash(() => {
      if (this.#isOver) return;
      loop.after(random.spread(10, 2_000), () => {
        if (!this.#isOver) this.#start(owner, restarts + 1);
      });
    });
  }

  async #campaign(machine: Machine): Promise<void> {
    const { random } = this.#cluster;
    while (!this.#isOver) {
      const end = new AbortController();
      const reason = Object.assign(new Error('the user has enough'), { name: 'UserAbort' });
      if (random.chance(0.2))
        machine.process.runtime.setTimer(() => end.abort(reason), random.spread(100, 10_000));
      const fair = random.chance(0.3);
      await machine.call(
        'lead',
        leadName,
        () =>
          machine.locks.lead(leadName, (lease, leading) => this.#lead(machine, lease, leading, end.signal), {
            fair,
            signal: end.signal,
          }),
        (value) => ({ value }),
      );
      await machine.process.sleep(random.spread(10, 2_000));
    }
  }

  /** Leads until it is told to stop; now and then it does not look, or comes to an end of its own. */
  async #lead(machine: Machine, lease: Lease, { signal }: Leading, end: AbortSignal): Promise<string> {
    const { process } = machine;
    const { random } = this.#cluster;
    machine.hold(lease);
    this.#leading.add(lease);
    const watched = new Watched(this.#cluster, process, 'lead');
    watched.watch(signal, [lease], undefined, [lease.releaseRequested, end]);
    const over = aborted(signal);
    try {
      while (!signal.aborted) {
        await Promise.race([process.sleep(random.spread(10, 2_000)), over]);
        watched.look();
        this.#cluster.survey(leadName, 'asked');
        if (random.chance(0.05)) return lease.isHeld ? 'its own end' : 'told to stop';
        if (random.chance(0.05)) throw Object.assign(new Error('the work fails'), { name: 'WorkFailed' });
        if (!this.#faultProfile.isCalm && random.chance(0.1))
          await process.block(random.spread(1, 2 * this.#habits.leaseMs));
      }
      if (random.chance(0.5)) signal.throwIfAborted();
      return end.aborted ? 'its caller’s end' : 'told to stop';
    } finally {
      this.#cluster.survey(leadName, 'asked');
      watched.look();
      watched.forget();
      this.#leading.delete(lease);
      this.#cluster.letGo(lease);
    }
  }

  /** A deployment asks whoever leads to let go. */
  async #ask(machine: Machine): Promise<void> {
    const { random } = this.#cluster;
    while (!this.#isOver) {
      await machine.process.sleep(random.spread(500, 10_000));
      await askToLetGo(machine, leadName);
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
