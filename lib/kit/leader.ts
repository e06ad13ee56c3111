import type { AcquireOptions } from '../client/acquire-options.js';
import { LockHeldError, LockLostError } from '../errors/index.js';
import { LineFullError } from '../errors/refusals.js';
import { publish } from '../events/events.js';
import type { Lease } from '../lease/index.js';
import { sleep } from '../runtime/index.js';
import { isOver, type LockHost, passingFailure } from './lock-host.js';

/** How a leader campaigns and leads. Without `waitMs`: a campaign has no end. */
export interface LeadOptions extends Omit<AcquireOptions, 'waitMs' | 'change' | 'giveUpWhen' | 'supersede'> {
  /** Ends the campaign, or the leading: the lease is released first. */
  readonly signal?: AbortSignal;
  /** How long somebody who has stepped down leaves the lead to the others, in milliseconds. @default 3,000 */
  readonly stepDownPauseMs?: number;
}

/** What the work of a leader gets beside its lease. */
export interface Leading {
  /** Aborts when the lead is over: lost, asked for by somebody, or ended by the caller. Stop then. */
  readonly signal: AbortSignal;
}

/** One wait of a campaign; the next one follows. In milliseconds. */
const campaignMs = 3_600_000;
/** After a wait in vain, an error of the store that passes, or at a line that is full. */
const passingPauseMs = 1_000;
/** Longer than the others' longest pause between two looks. */
const defaultStepDownPauseMs = 3_000;

/**
 * Campaigns without end, runs the work while leading, and campaigns again after a loss or after stepping down.
 *
 * @returns the work's result, when it returns while it leads
 * @throws the work's own error; the signal's own reason; LockHeldError when the caller's own time (`endsInMs`) is over; StoreError that can't pass; AlreadyCompletedError; UsageError
 */
export async function lead<T>(
  host: LockHost,
  name: string,
  work: (lease: Lease, leading: Leading) => Promise<T> | T,
  options: LeadOptions = {},
): Promise<T> {
  const { signal, stepDownPauseMs = defaultStepDownPauseMs, ...terms } = options;
  for (;;) {
    const lease = await campaign(host, name, { ...terms, signal });
    const event = { name, owner: lease.owner, token: lease.token, leaseId: lease.leaseId };
    publish('elected', event);
    const term = await leadOnce(lease, work, signal);
    publish('lead-ended', { ...event, why: reasonOf(term) });
    if (term.kind === 'returned') return term.result;
    if (term.kind === 'threw') throw term.error;
    // Who was asked to step down leaves the lead to the others first, also where its lease ran out before it did.
    const wasAsked = term.kind === 'stepped-down' || (term.kind === 'lost' && term.wasAsked);
    if (wasAsked) await sleep(host.runtime, stepDownPauseMs, signal);
  }
}

async function campaign(host: LockHost, name: string, options: AcquireOptions): Promise<Lease> {
  for (;;) {
    if (isOver(options)) throw new LockHeldError(name, undefined, 0);
    try {
      return await host.acquire(name, { ...options, waitMs: campaignMs });
    } catch (error) {
      const isNotYet = error instanceof LockHeldError || error instanceof LineFullError;
      if (!isNotYet) passingFailure(error, options.signal);
      await sleep(host.runtime, passingPauseMs, options.signal);
    }
  }
}

type Term<T> =
  | { readonly kind: 'returned'; readonly result: T }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'lost'; readonly wasAsked: boolean }
  | { readonly kind: 'stepped-down' }
  | { readonly kind: 'ended' };

async function leadOnce<T>(
  lease: Lease,
  work: (lease: Lease, leading: Leading) => Promise<T> | T,
  signal: AbortSignal | undefined,
): Promise<Term<T>> {
  const over = new AbortController();
  const sources = [lease.signal, lease.releaseRequested, ...(signal ? [signal] : [])];
  const listeners = sources.map((source) => {
    const onAbort = () => over.abort(source.reason);
    if (source.aborted) onAbort();
    else source.addEventListener('abort', onAbort);
    return () => source.removeEventListener('abort', onAbort);
  });
  try {
    const settled = await Promise.resolve()
      .then(() => work(lease, { signal: over.signal }))
      .then(
        (result) => ({ kind: 'returned', result }) as const,
        (error: unknown) => ({ kind: 'threw', error }) as const,
      );
    // Whoever asks finds a loss before the timer that tells it: from here on the work's signal tells it, too.
    const wasLost = !lease.isHeld;
    const wasAsked = lease.releaseRequested.aborted;
    // Before the release, with which the lease's own signal ends: work that stopped unasked has failed.
    const hasFailed = settled.kind === 'threw' && !isToldToStop(settled.error, over.signal);
    await lease[Symbol.asyncDispose]();
    // Told to stop, it stopped: that is no end of its own. What it returns to the caller's wish to end is not lost.
    if (hasFailed) return settled;
    if (wasLost) return { kind: 'lost', wasAsked };
    if (wasAsked) return { kind: 'stepped-down' };
    // The caller's own wish to end: its reason is what comes out.
    return settled.kind === 'threw' ? { kind: 'ended' } : settled;
  } finally {
    for (const stop of listeners) stop();
  }
}

function reasonOf({ kind }: Term<unknown>) {
  if (kind === 'stepped-down') return 'asked';
  return kind === 'lost' ? 'lost' : 'ended';
}

/** Whether work that threw did so because it was told to stop. */
function isToldToStop(error: unknown, over: AbortSignal): boolean {
  if (!over.aborted) return false;
  if (error === over.reason || error instanceof LockLostError) return true;
  return error instanceof Error && (error.name === 'AbortError' || error.cause === over.reason);
}
