import { fairAcquire } from '../kit/fair-acquire.js';
import { type Leading, type LeadOptions, lead } from '../kit/leader.js';
import { acquireAll, type GroupOptions } from '../kit/lock-group.js';
import type { LockHost } from '../kit/lock-host.js';
import { makeReadWriteLock } from '../kit/read-write-lock.js';
import { makeSemaphore } from '../kit/semaphore.js';
import { checkNumber, checkOptions } from '../lease/check-options.js';
import type { Lease } from '../lease/index.js';
import { childSignal } from '../runtime/index.js';
import type { AcquireOptions, ResumeOptions, TryAcquireOptions } from './acquire-options.js';
import { Admin, type ShownLease } from './admin.js';
import { claimNext } from './claim-next.js';
import type { ClientHost } from './client-host.js';
import { callTimeoutMs } from './client-options.js';
import { pacingFor } from './contention.js';
import { type CronSlotOptions, cronSlot } from './cron-slot.js';
import { defaults } from './defaults.js';
import type { LockInfo } from './lock-info.js';
import { type OnceOptions, once } from './once.js';
import { resume } from './resume.js';

/** The signal that a call of an operator takes. */
export interface Signalled {
  readonly signal?: AbortSignal;
}

type Work<T> = (lease: Lease) => Promise<T> | T;

/** All that a client does besides acquiring locks and giving them back, loaded in one piece by the first call of it. */
export function laterCalls(host: ClientHost) {
  const administer = async <T>(
    call: string,
    options: Signalled,
    ask: (admin: Admin, signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    checkOptions(call, options, ['signal']);
    return host.whileOpen(options.signal, (signal) => ask(new Admin(host.context), signal));
  };
  const kit: LockHost = {
    runtime: host.context.runtime,
    owner: host.owner,
    acquire: (name, options) => host.acquire(name, options),
    tryAcquire: (name, options) => host.tryAcquire(name, options),
    inspectMany: (names, signal, lockDelayMs) =>
      administer('inspect', signal ? { signal } : {}, (admin, own) =>
        admin.inspectMany(names, own, lockDelayMs),
      ),
    pacing: (waitMs) => {
      checkNumber('waitMs', waitMs, 0);
      return pacingFor(host.context, host.options, waitMs);
    },
  };
  return {
    resume: (handedOver: unknown, options: ResumeOptions) => resume(host, handedOver, options),
    once: <T>(name: string, work: Work<T>, options: OnceOptions) => once(host, name, work, options),
    cronSlot: <T>(name: string, slot: number, job: Work<T>, options: CronSlotOptions) =>
      cronSlot(host, name, slot, job, options),
    claimNext: (names: readonly string[], options: TryAcquireOptions) => claimNext(host, names, options),

    inspect: (name: string, options: Signalled) =>
      administer('inspect', options, (admin, signal) => admin.inspect(name, signal)),
    break: (name: string, leaseId: string, options: Signalled) =>
      administer('break', options, (admin, signal) => admin.break(name, leaseId, signal)),
    reopen: (name: string, { completedAt, ...rest }: Signalled & { readonly completedAt?: number }) =>
      administer('reopen', rest, (admin, signal) => admin.reopen(name, completedAt, signal)),
    requestRelease: (
      name: string,
      seen: string | ShownLease,
      { reason = '', ...rest }: Signalled & { readonly reason?: string },
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
    acquireAll: (names: Iterable<string>, options: GroupOptions) => acquireAll(kit, names, options),
    lead: <T>(name: string, work: (lease: Lease, leading: Leading) => Promise<T> | T, options: LeadOptions) =>
      lead(kit, name, work, options),
    fairAcquire: (name: string, { fair: _, ...own }: AcquireOptions) =>
      host.whileOpen(own.signal, async (signal) => {
        const { clock, store } = host.context;
        const pollFloorMs = host.options.pollFloorMs ?? defaults.pollFloorMs;
        const terms = { pollFloorMs, callTimeoutMs: callTimeoutMs(host.options) };
        return fairAcquire({ ...kit, clock, lines: store, ...terms }, name, { ...own, signal });
      }),
  };
}
