import { AlreadyCompletedError, LockLostError, StoreError, UsageError } from '../errors/index.js';
import { fairAcquire } from '../kit/fair-acquire.js';
import { type Leading, type LeadOptions, lead } from '../kit/leader.js';
import { acquireAll, type GroupOptions, type LockGroup } from '../kit/lock-group.js';
import type { LockHost } from '../kit/lock-host.js';
import { makeReadWriteLock } from '../kit/read-write-lock.js';
import { makeSemaphore } from '../kit/semaphore.js';
import { checkNumber, checkOptions } from '../lease/check-options.js';
import {
  freeAfter,
  type Grant,
  type HandedOver,
  type HoldSettings,
  isInTime,
  type Lease,
  type LeaseContext,
  parseHandedOver,
  takeoverBefore,
} from '../lease/index.js';
import { childSignal } from '../runtime/index.js';
import {
  type AcquireOptions,
  optionNames,
  type ResumeOptions,
  type TryAcquireOptions,
} from './acquire-options.js';
import { Admin, type ShownLease } from './admin.js';
import type { ClientHost } from './client-host.js';
import { callTimeoutMs, defaults } from './client-options.js';
import { Contention, pacingFor } from './contention.js';
import { type CronSlotOptions, cronSlot } from './cron-slot.js';
import { holdSettings } from './hold-settings.js';
import type { LockInfo } from './lock-info.js';
import { checkLockName, checkPlainName } from './lock-name.js';
import { type OnceOptions, once } from './once.js';
import { checkWork, runUnder } from './with-lock.js';

/** The signal that a call of an operator takes. */
export interface Signalled {
  readonly signal?: AbortSignal;
}

/** What a permit takes, or several. */
const permitOptions = [...optionNames.tryAcquire, 'waitMs'];

/** What `resume` takes; the types demand that none is forgotten. */
const resumeOptions = {
  ...{ leaseMs: 1, renewEveryMs: 1, safetyMarginMs: 1, maxHoldMs: 1, minHoldMs: 1, endsInMs: 1 },
  ...{ owner: 1, signal: 1 },
} satisfies Record<keyof ResumeOptions, 1>;

type Work<T> = (lease: Lease) => Promise<T> | T;

/** See {@link laterCalls}. */
export type LaterCalls = Omit<ReturnType<typeof laterCalls>, 'contention'>;

/** All that a client does besides acquiring free locks and giving them back, loaded in one piece when it is first needed. */
export function laterCalls(host: ClientHost) {
  const contention = new Contention(host.context, host.options);
  host.closers.unshift(() => contention.giveBack.close());
  const administer = async <T>(
    call: string,
    options: Signalled,
    ask: (admin: Admin, signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    checkOptions(call, options, ['signal']);
    return host.whileOpen(options.signal, (signal) => ask(new Admin(host.context), signal));
  };
  const inspect = (name: string, options: Signalled = {}) =>
    administer('inspect', options, (admin, signal) => admin.inspect(name, signal));
  const kit: LockHost = {
    runtime: host.context.runtime,
    owner: host.owner,
    callTimeoutMs: callTimeoutMs(host.options),
    acquire: (name, options) => host.acquire(name, options),
    tryAcquire: (name, options) => host.tryAcquire(name, options),
    look: async (names, signal, lockDelayMs) => {
      const infos = await administer('inspect', signal ? { signal } : {}, (admin, own) =>
        admin.inspectMany(names, own, lockDelayMs),
      );
      return infos.map((info) => {
        const leaseId = info?.state === 'held' ? info.leaseId : undefined;
        return { info, isLeftBehind: leaseId !== undefined && contention.giveBack.isLeftBehind(leaseId) };
      });
    },
    check: (call, options, without = []) => {
      checkOptions(
        call,
        options,
        permitOptions.filter((name) => !without.includes(name)),
      );
      host.checkAcquire(options);
      holdSettings(host.options, options);
    },
    pacing: (waitMs = 0, endsInMs) => {
      checkNumber('waitMs', waitMs, 0);
      return pacingFor(host.context, host.options, Math.min(waitMs, Math.max(0, endsInMs?.() ?? waitMs)));
    },
    untilFreeMs: ({ expiresAt, freeFrom }, lockDelayMs) => {
      // The lock service shows the ids of leases to operators only: that there is an end says that somebody has it.
      const leaseId = expiresAt === undefined ? undefined : '';
      return freeAfter({ leaseId, expiresAt, freeFrom }, lockDelayMs) - takeoverBefore(host.context) + 1;
    },
  };
  return {
    contention,
    resume: (handedOver: unknown, options: ResumeOptions = {}) => resume(host, handedOver, options),
    once: <T>(name: string, work: Work<T>, options: OnceOptions = {}) => {
      checkPlainName(name);
      checkWork('once', work);
      return once(host, name, work, options);
    },
    cronSlot: <T>(name: string, slot: number, job: Work<T>, options: CronSlotOptions = {}) => {
      checkWork('cronSlot', job);
      return cronSlot(host, name, slot, job, options);
    },
    claimNext: (names: Iterable<string>, options: TryAcquireOptions = {}) => claimNext(host, names, options),

    inspect,
    break: (name: string, leaseId: string, options: Signalled = {}) =>
      administer('break', options, (admin, signal) => admin.break(name, leaseId, signal)),
    reopen: (name: string, { completedAt, ...rest }: Signalled & { readonly completedAt?: number } = {}) =>
      administer('reopen', rest, (admin, signal) => admin.reopen(name, completedAt, signal)),
    requestRelease: (
      name: string,
      seen: string | ShownLease,
      { reason = '', ...rest }: Signalled & { readonly reason?: string } = {},
    ) =>
      administer('requestRelease', rest, (admin, signal) => admin.requestRelease(name, seen, reason, signal)),
    async *list({ group, signal: given }: Signalled & { readonly group?: string }): AsyncIterable<LockInfo> {
      const { closed } = host.context;
      closed?.throwIfAborted();
      const { signal, clear } = childSignal(given, closed);
      try {
        yield* new Admin(host.context).list(group, signal);
      } catch (error) {
        throw signal.aborted ? signal.reason : error;
      } finally {
        clear();
      }
    },

    semaphore: (name: string, permits: number) => makeSemaphore(kit, name, permits),
    readWriteLock: (name: string, readers: number) => makeReadWriteLock(kit, name, readers),
    acquireAll: (names: Iterable<string>, options: GroupOptions = {}) => acquireAll(kit, names, options),
    withLocks: async <T>(
      names: Iterable<string>,
      work: (group: LockGroup) => Promise<T> | T,
      options: GroupOptions = {},
    ) => {
      checkWork('withLocks', work);
      return runUnder(await acquireAll(kit, names, options), work);
    },
    lead: <T>(
      name: string,
      work: (lease: Lease, leading: Leading) => Promise<T> | T,
      options: LeadOptions = {},
    ) => {
      checkPlainName(name);
      checkWork('lead', work);
      return lead(kit, name, work, options);
    },
    leader: async (name: string, options?: Signalled) => {
      const info = await inspect(name, options);
      return info?.state === 'held' ? info : undefined;
    },
    fairAcquire: (name: string, { fair: _, ...own }: AcquireOptions) =>
      host.whileOpen(own.signal, async (signal) => {
        const { clock, store } = host.context;
        const pollFloorMs = host.options.pollFloorMs ?? defaults.pollFloorMs;
        return fairAcquire({ ...kit, clock, lines: store, pollFloorMs }, name, { ...own, signal });
      }),
  };
}

/**
 * See `LockClient.claimNext`. One write per name that is tried: the try is the write itself. A name that this
 * very process holds costs nothing, and neither do those behind the one that is got.
 */
async function claimNext(
  locks: ClientHost,
  given: Iterable<string>,
  options: TryAcquireOptions,
): Promise<Lease | null> {
  if (typeof given === 'string') throw new UsageError('claimNext: takes a list of names, got one string');
  const names = [...new Set(given)];
  // All of them before the first request: whether a call can be right must not hang on what is free.
  for (const name of names) checkPlainName(name);
  for (const [tried, name] of names.entries()) {
    // The caller's own time runs out with the names that are tried: what is left has not been got.
    if (tried > 0 && (options.endsInMs?.() ?? 1) < 1) return null;
    const lease = await locks.tryAcquire(name, options).catch(nothingLeftToDo);
    if (lease) return lease;
  }
  return null;
}

/** A name whose work is finished is passed over like one that is held. */
function nothingLeftToDo(error: unknown): null {
  if (error instanceof AlreadyCompletedError) return null;
  throw error;
}

/** See `LockClient.resume`. */
async function resume(host: ClientHost, handedOver: unknown, options: ResumeOptions): Promise<Lease> {
  checkOptions('resume', options, Object.keys(resumeOptions));
  const { owner = host.owner, ...hold } = options;
  host.checkAcquire(options);
  return host.whileOpen(options.signal, async (signal) => {
    const from = parseHandedOver(handedOver);
    const terms = holdSettings(host.options, { leaseMs: from.leaseMs, ...hold });
    const grant = await resumedGrant(host.context, from, terms, { owner, signal });
    return host.toLease({ name: from.name, owner }, grant, terms);
  });
}

/** One write; two where an earlier attempt went on with the same lease. */
async function resumedGrant(
  context: LeaseContext,
  from: HandedOver,
  terms: HoldSettings,
  { owner, signal }: { readonly owner: string; readonly signal: AbortSignal },
): Promise<Grant> {
  const { name } = from;
  checkLockName(name);
  const leaseId = context.runtime.randomId();
  try {
    await context.store.ensureTime(signal);
    const request = { name, leaseId, owner, leaseMs: terms.leaseMs, from };
    const outcome = await context.store.resume(request, signal);
    if (outcome.kind === 'lost') throw new LockLostError(name, outcome.reason, from.token);
    if (outcome.kind === 'completed') {
      throw new AlreadyCompletedError(name, outcome.item.result, outcome.item.completedAt!);
    }
    const { grant } = outcome;
    if (isInTime(context, grant, terms)) return grant;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
  // Not given back: the same hand-over can be gone on with again.
  const message = `The lease of "${name}" was taken up, but the answer arrived when it was over`;
  throw new StoreError(message, name, { retryable: true, mayHaveApplied: true });
}
