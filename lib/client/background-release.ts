import { elapsedBetween } from '../clock/store-clock.js';
import { StoreError } from '../errors/index.js';
import type { LeaseContext, LeaseIdentity } from '../lease/index.js';
import { BackOff, deadlineAfter, sendUntil, sleep } from '../runtime/index.js';

/** In milliseconds. */
const spacing = { firstPauseMs: 100, maxPauseMs: 5_000 };

/** Of a lease that may never have been granted: over some ten seconds, most of them in the first ones. */
const maxTriesUnseen = 8;

/** Leases of one client that are known as given back, and ids that are known as refused. */
const maxRemembered = 100;

/**
 * Gives back leases that nobody will use: of acquires that gave up while a write of theirs may have been applied,
 * or may yet arrive, and of holders whose release the store did not take. Works in the background, on its own signal,
 * and never throws.
 */
export class BackgroundRelease {
  readonly #context: LeaseContext;
  readonly #timeoutMs: number;
  readonly #running = new Set<Promise<void>>();
  readonly #recent = new Set<string>();
  readonly #refused = new Set<string>();
  readonly #closed = new AbortController();

  /** @param timeoutMs the end of one release, in milliseconds */
  constructor(context: LeaseContext, timeoutMs: number) {
    this.#context = context;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Releases the lease if it is there; if it is not it may still be on its way, so it is tried again until the
   * lease would be over anyway. A lease whose token is known has been there: it is either given back or gone.
   *
   * @param leaseMs until then, in milliseconds
   */
  start(lease: LeaseIdentity, leaseMs: number): void {
    const { leaseId } = lease;
    const run = this.#run(lease, leaseMs).finally(() => this.#running.delete(run));
    this.#running.add(run);
    remember(this.#recent, leaseId);
  }

  /** Notes an id under which a call was refused to its end: a late copy of its request may still make a lease of it. */
  noteRefused(leaseId: string): void {
    remember(this.#refused, leaseId);
  }

  /**
   * Whether a call of this client has left the lease behind: it is being given back, or was a while ago and an answer that is
   * still under way shows it, or a late copy of a refused request has made it. It is nobody's.
   */
  isLeftBehind(leaseId: string): boolean {
    return this.#recent.has(leaseId) || this.#refused.has(leaseId);
  }

  /** Ends what is going on after the tries in flight and, of what still waits, one last; and waits for them. */
  async close(): Promise<void> {
    this.#closed.abort();
    await Promise.all(this.#running);
  }

  async #run(lease: LeaseIdentity, leaseMs: number): Promise<void> {
    const { clock, runtime } = this.#context;
    const since = clock.instant();
    const backOff = new BackOff(runtime, spacing);
    // A lease that nobody has seen may never have been: for that one the store is not asked for ever.
    const maxTries = lease.token === undefined ? maxTriesUnseen : Number.POSITIVE_INFINITY;
    for (let tries = 1; !(await this.#release(lease)) && tries < maxTries; tries++) {
      if (this.#closed.signal.aborted || elapsedBetween(since, clock.instant()).least > leaseMs) return;
      await sleep(runtime, backOff.nextMs(), this.#closed.signal, { background: true }).catch(() => {});
      // Once more: what was still under way may have arrived while it waited.
      if (this.#closed.signal.aborted) return void (await this.#release(lease));
    }
  }

  async #release(lease: LeaseIdentity): Promise<boolean> {
    const { clock, runtime, store } = this.#context;
    try {
      return await sendUntil(deadlineAfter(runtime, this.#timeoutMs), async (signal) => {
        // However vaguely: only the item's `ttl` rests on it. To ask anew may fail where the release would arrive.
        if (!clock.isSet) await store.ensureTime(signal);
        const outcome = await store.release(lease, undefined, signal);
        return outcome.kind === 'done' || (outcome.kind === 'lost' && lease.token !== undefined);
      });
    } catch (error) {
      // The store is why it was given up; the lease runs out by itself. What nobody can know is not asked again.
      return error instanceof StoreError && !error.retryable && error.mayHaveApplied;
    }
  }
}

function remember(recent: Set<string>, leaseId: string): void {
  recent.add(leaseId);
  if (recent.size <= maxRemembered) return;
  // The oldest: a set keeps its order.
  for (const oldest of recent) return void recent.delete(oldest);
}
