import { elapsedBetween, type LocalInstant } from '../clock/store-clock.js';
import { LockHeldError } from '../errors/index.js';
import type { Grant, HoldSettings, LeaseContext } from '../lease/index.js';
import { type Runtime, whenAborted } from '../runtime/index.js';
import { Acquisition } from './acquisition.js';
import type { AcquisitionRequest, Attempt } from './attempt.js';
import { BackgroundRelease } from './background-release.js';
import { type ClientOptions, callTimeoutMs, defaults } from './client-options.js';
import type { LocalQueue, Turn } from './local-queue.js';
import { WaitPacing } from './wait-pacing.js';

/** What a client does when a lock is not had, or not given back, at once. A lock that is free needs none of it. */
export class Contention {
  readonly #context: LeaseContext;
  readonly #options: ClientOptions;
  readonly giveBack: BackgroundRelease;

  constructor(context: LeaseContext, options: ClientOptions) {
    this.#context = context;
    this.#options = options;
    this.giveBack = new BackgroundRelease(context, callTimeoutMs(options));
  }

  /**
   * Waits until the caller is the one of its process that may go to the store.
   *
   * @param since when its wait began
   * @throws LockHeldError where its turn does not come in time: it is this very client that holds the lock
   */
  async turn(
    queue: LocalQueue,
    name: string,
    waitMs: number,
    since: LocalInstant,
    signal: AbortSignal,
  ): Promise<Turn> {
    const { clock, runtime } = this.#context;
    const waitedMs = () => elapsedBetween(since, clock.instant()).most;
    const turn = await waitForTurn(queue, runtime, name, waitMs - waitedMs(), signal);
    if (turn) return turn;
    const holder = queue.lineOf(name)?.turn.holder?.();
    throw new LockHeldError(name, holder, waitedMs(), { heldHere: true });
  }

  /**
   * Goes on after a first attempt that did not get the lock.
   *
   * @returns the grant, and what was asked for with it
   */
  async acquire(
    request: AcquisitionRequest,
    first: Attempt,
    waitMs: number,
    since: LocalInstant,
  ): Promise<{ readonly grant: Grant; readonly terms: HoldSettings }> {
    const host = { context: this.#context, giveBack: this.giveBack };
    const pacing = pacingFor(this.#context, this.#options, waitMs, since);
    const acquisition = new Acquisition(host, request, first, pacing, since);
    const grant = await acquisition.run();
    return { grant, terms: acquisition.terms };
  }
}

/**
 * Waits for the turn of a name.
 *
 * @param waitMs how long at most, in milliseconds
 * @returns `undefined` when the time ran out
 * @throws the signal's reason when it aborts
 */
export async function waitForTurn(
  queue: LocalQueue,
  runtime: Runtime,
  name: string,
  waitMs: number,
  signal?: AbortSignal,
): Promise<Turn | undefined> {
  signal?.throwIfAborted();
  const free = queue.tryEnter(name);
  if (free || waitMs <= 0) return free;
  const { waiters } = queue.lineOf(name)!;
  return new Promise((resolve, reject) => {
    const settle = () => {
      cancel();
      leave();
    };
    const admit = (turn: Turn) => {
      settle();
      resolve(turn);
    };
    const giveUp = () => {
      settle();
      waiters.splice(waiters.indexOf(admit), 1);
    };
    const cancel = runtime.setAwaitedTimer(() => {
      giveUp();
      resolve(undefined);
    }, waitMs);
    const leave = whenAborted(signal, () => {
      giveUp();
      reject(signal?.reason);
    });
    waiters.push(admit);
  });
}

/** How a call of a client spaces its reads. */
export function pacingFor(
  { clock, runtime }: LeaseContext,
  options: ClientOptions,
  waitMs: number,
  since = clock.instant(),
): WaitPacing {
  const pollFloorMs = options.pollFloorMs ?? defaults.pollFloorMs;
  const pollCeilingMs = options.pollCeilingMs ?? Math.max(defaults.pollCeilingMs, pollFloorMs);
  return new WaitPacing(clock, runtime, { waitMs, pollFloorMs, pollCeilingMs, since });
}
