import { defaults } from '../../client/client-options.js';
import type { LockClient } from '../../client/index.js';
import { type Lease, takeoverBefore } from '../../lease/index.js';
import { boundedClient, type Runtime, sleep } from '../../runtime/index.js';
import { inParallel } from '../../scan/seats/in-parallel.js';
import { sweepName } from '../table-names.js';
import { deleteIfExpired, type ExpiryRule, expiredPage, type Sender } from './expired-items.js';

/** What a sweep works with. */
export interface SweepOptions {
  /** Of the table that is swept. */
  readonly locks: LockClient;
  /** For reading the table page by page, and deleting; its time-outs must be real. */
  readonly client: Sender;
  /** The table's name. */
  readonly table: string;
  /** Items deleted in a second, at most. */
  readonly deletesPerSecond: number;
  /** How long the caller may still take, in milliseconds; the sweep ends in time. @default without end */
  readonly remainingMs?: () => number;
  readonly signal?: AbortSignal;
}

/** How far a sweep got. */
export interface SweepAnswer {
  /** `more`: the time ran short, the next sweep goes on from here; `busy`: another sweep is under way. */
  readonly status: 'done' | 'more' | 'busy';
  /** Items read. */
  readonly scanned: number;
  /** Items deleted. */
  readonly deleted: number;
  /** Items that were expired when read, and not any more when they were to be deleted. */
  readonly spared: number;
}

/** A page is at most this long, so that the place where the sweep got to is never old. */
const pageMs = 5_000;
const maxItemsOfPage = 1_000;
/** What a request may take with all its attempts, and giving the lock back. */
const reserveMs = 30_000;
/** The end of one request over all its attempts, in milliseconds. */
const callTimeoutMs = 20_000;
const lanes = 8;

/**
 * Deletes the items that DynamoDB's Time to Live would delete, for tables that can't have it.
 *
 * The retention is the client's: `ttl` lies at least a day after the last lease ended, which is what keeps tokens
 * rising over a deletion (protocol, section 2). Each delete demands it of the item as it is then, by the earliest
 * time that it can be, and demands of a lease or a completion that it is a day old, whatever `ttl` says.
 *
 * One sweep at a time: it holds a lock of its own in the table, whose checkpoint is the place where it got to.
 *
 * @throws StoreError, LockLostError, whatever the SDK throws; the next sweep goes on from the last full page
 */
export async function sweepLeases(options: SweepOptions): Promise<SweepAnswer> {
  const lease = await options.locks.tryAcquire(sweepName, { leaseMs: 60_000, signal: options.signal });
  if (!lease) return { status: 'busy', scanned: 0, deleted: 0, spared: 0 };
  await using held = lease;
  const { answer, after } = await sweepFrom(readAfter(held), options, held);
  await held.release(after === undefined ? { remove: ['checkpoint'] } : { set: { checkpoint: { after } } });
  return answer;
}

interface Progress {
  readonly answer: SweepAnswer;
  /** Where to go on. */
  readonly after: string | undefined;
}

async function sweepFrom(start: string | undefined, options: SweepOptions, lease: Lease): Promise<Progress> {
  const { locks, table, deletesPerSecond, remainingMs = () => Number.POSITIVE_INFINITY } = options;
  const { signal } = lease;
  const client = boundedClient(options.client, locks.context.runtime, callTimeoutMs);
  const pace = new Pace(locks.context.runtime, deletesPerSecond);
  const limit = Math.max(1, Math.min(maxItemsOfPage, Math.floor((deletesPerSecond * pageMs) / 1_000)));
  const count = { scanned: 0, deleted: 0, spared: 0 };
  let after = start;
  do {
    if (remainingMs() < reserveMs + pageMs) return { answer: { status: 'more', ...count }, after };
    options.signal?.throwIfAborted();
    const rule = makeRule(locks);
    const page = await expiredPage(client, { table, rule, after, limit, signal });
    count.scanned += page.scanned;
    await inParallel(page.names, lanes, async (name) => {
      await pace.turn(signal);
      if (await deleteIfExpired(client, table, name, rule, signal)) count.deleted += 1;
      else count.spared += 1;
    });
    after = page.after;
    if (after !== undefined) await lease.save({ after });
  } while (after !== undefined);
  return { answer: { status: 'done', ...count }, after };
}

/** By the earliest that it can be anywhere, as when a lock is taken over. */
function makeRule(locks: LockClient): ExpiryRule {
  const nowMs = takeoverBefore(locks.context);
  return { ttlBefore: Math.floor(nowMs / 1_000), usedBefore: nowMs - defaults.minRetentionMs };
}

function readAfter(lease: Lease): string | undefined {
  const { after } = (lease.checkpoint ?? {}) as { readonly after?: unknown };
  return typeof after === 'string' ? after : undefined;
}

/** Hands out turns, evenly spaced: at most so many a second, and none to catch up on after a pause. */
export class Pace {
  readonly #runtime: Runtime;
  readonly #spacingMs: number;
  #nextMs: number;

  constructor(runtime: Runtime, perSecond: number) {
    this.#runtime = runtime;
    this.#spacingMs = 1_000 / perSecond;
    this.#nextMs = runtime.monotonicMs();
  }

  /** Waits for the next turn. @throws the signal's own reason */
  async turn(signal?: AbortSignal): Promise<void> {
    const nowMs = this.#runtime.monotonicMs();
    const turnMs = Math.max(nowMs, this.#nextMs);
    this.#nextMs = turnMs + this.#spacingMs;
    if (turnMs > nowMs) await sleep(this.#runtime, turnMs - nowMs, signal);
  }
}
