import { hostname } from 'node:os';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { functionArns, regionOf, tableArns } from '../aws/region-of.js';
import { elapsedBetween, StoreClock } from '../clock/store-clock.js';
import { LeaseholdError, refuse, UsageError } from '../errors/index.js';
import { publish } from '../events/events.js';
import { checkLimits, checkOptions } from '../lease/check-options.js';
import {
  type Grant,
  type HoldSettings,
  Lease,
  type LeaseContext,
  type LeaseIdentity,
  type LeaseStore,
  laterOperations,
  tableStore,
} from '../lease/index.js';
import {
  callsOf,
  firstOf,
  loadedOnce,
  orAborted,
  type Runtime,
  sdkTimeOuts,
  sharedController,
  systemRuntime,
} from '../runtime/index.js';
import { dynamoTable, type ItemTable } from '../table/index.js';
import {
  type AcquireOptions,
  acquireLimits,
  checkOwner,
  optionNames,
  timeLeftMs,
} from './acquire-options.js';
import { type AcquisitionRequest, attemptGrant, findGrant } from './attempt.js';
import type { ClientHost, LeaseLabels } from './client-host.js';
import { type ClientOptions, callTimeoutMs, checkClientOptions, defaults } from './client-options.js';
import { holdSettings } from './hold-settings.js';
import type { laterCalls } from './later-calls.js';
import { LocalQueue, type Turn } from './local-queue.js';
import { checkGroupName, checkLockName } from './lock-name.js';

/** A lock is acquired and given back with this; what else a client can do is made of it, and loaded when it is needed. */
export interface ClientCore extends ClientHost {
  /** What a client can do besides, and what it does where a lock is not had, or not given back, at once. */
  readonly later: () => Promise<ReturnType<typeof laterCalls>>;
  readonly close: () => Promise<void>;
}

/** @throws UsageError as `new LockClient` */
export function clientCore(given: ClientOptions): ClientCore {
  checkClientOptions(given);
  holdSettings(given, {});
  const options = { ...given };
  const { runtime = systemRuntime, skewMs = defaults.skewMs, retentionMs = defaults.retentionMs } = options;
  const owner = options.owner ?? defaultOwner(runtime);
  const closed = sharedController();
  const closers: (() => unknown)[] = [];
  const terms = {
    clock: new StoreClock(runtime, skewMs),
    runtime,
    skewMs,
    retentionMs,
    closed: closed.signal,
  };
  const context = (options.service === undefined ? tableContext : serviceContext)(options, terms, closers);
  const { clock } = terms;
  const queue = new LocalQueue();
  /** Calls that have not come to an end. */
  const underWay = new Set<Promise<void>>();

  /** Closing waits for it. @param ended never rejects */
  const until = (ended: Promise<void>) => {
    const settled = ended.then(() => {
      underWay.delete(settled);
    });
    underWay.add(settled);
  };

  const releaseLater = (lease: LeaseIdentity, forMs: number) => {
    const start = async () => (await later()).contention.giveBack.start(lease, forMs);
    // Where it can't be loaded any more the lease runs out by itself.
    until(start().catch(() => {}));
  };

  const acquireAs = async (name: string, given: AcquireOptions, names: readonly string[]): Promise<Lease> => {
    checkLockName(name);
    checkOptions('acquire', given, names, optionNames.internal);
    // As they are now: what the caller changes later plays no part.
    const asked = { ...given };
    const waitMs = core.checkAcquire(asked);
    const labels = { name, owner: asked.owner ?? owner };
    const settings = holdSettings(options, asked);
    if (asked.fair) return (await later()).fairAcquire(name, { ...asked, waitMs });
    return core.whileOpen(asked.signal, async (signal) => {
      const since = clock.instant();
      let turn = asked.supersede ? noTurn() : queue.tryEnter(name);
      if (!turn) {
        const { contention } = await orAborted(later(), signal);
        turn = await contention.turn(queue, name, waitMs, since, signal);
      }
      try {
        const request: AcquisitionRequest = {
          name,
          owner: labels.owner,
          group: asked.group,
          change: asked.change,
          giveUpWhen: asked.giveUpWhen,
          supersede: asked.supersede,
          signal,
          // Only a caller's own time changes what they come to.
          terms: () => (asked.endsInMs ? holdSettings(options, asked) : settings),
          lockDelayMs: Math.ceil(asked.lockDelayMs ?? 0) || undefined,
        };
        const first = await attemptGrant(context, request, runtime.randomId());
        const grant = findGrant(context, first);
        const granted = grant
          ? { grant, terms: first.terms }
          : await (await later()).contention.acquire(request, first, waitMs, since);
        const waitedMs = elapsedBetween(since, clock.instant()).most;
        return toLease(labels, granted.grant, granted.terms, waitedMs, turn);
      } catch (error) {
        turn.leave();
        throw error;
      }
    });
  };

  /** The one place where a grant becomes a lease. */
  const toLease = (
    labels: LeaseLabels,
    grant: Grant,
    terms: HoldSettings,
    waitedMs = 0,
    turn = noTurn(),
  ): Lease => {
    if (closed.signal.aborted) {
      const { leaseId, token } = grant;
      releaseLater({ ...labels, leaseId, token }, terms.leaseMs);
      throw closed.signal.reason;
    }
    const lease = new Lease(context, labels, grant, terms, { onEnd: turn.leave, releaseLater });
    turn.holder = () => lease.holderInfo;
    const { name, owner, token, leaseId, takenOverFrom } = lease;
    const { adopted } = grant;
    publish('granted', { name, owner, token, leaseId, waitedMs, takenOverFrom, adopted });
    return lease;
  };

  const core: ClientCore = {
    ...{ context, owner, options, closers, toLease },
    later: loadedOnce(async () => (await import('./later-calls.js')).laterCalls(core)),

    acquire: (name, options = {}) => acquireAs(name, options, optionNames.acquire),

    async tryAcquire(name, options = {}) {
      try {
        return await acquireAs(name, options, optionNames.tryAcquire);
      } catch (error) {
        if (error instanceof LeaseholdError && error.code === 'LOCK_HELD') return null;
        throw error;
      }
    },

    checkAcquire(asked) {
      const { owner, group, waitMs = defaults.waitMs } = asked;
      checkOwner(owner);
      if (group !== undefined) checkGroupName(group);
      checkLimits(asked, acquireLimits);
      // 'false', as from an environment, would be taken for true.
      for (const name of ['supersede', 'fair'] as const)
        if (![undefined, true, false].includes(asked[name])) refuse(name, 'true or false', asked[name]);
      return Math.min(waitMs, timeLeftMs(asked));
    },

    async whileOpen(given, call) {
      closed.signal.throwIfAborted();
      given?.throwIfAborted();
      const { signal, clear } = firstOf(given, closed.signal);
      const running = call(signal).catch((error) => {
        throw signal.aborted ? signal.reason : error;
      });
      until(running.then(clear, clear));
      return running;
    },

    async close() {
      if (!closed.signal.aborted) {
        closed.abort(new UsageError('This LockClient has been closed', undefined, { code: 'CLOSED' }));
      }
      // What ends now may leave something to give back.
      while (underWay.size > 0) await Promise.all(underWay);
      for (const close of closers) await close();
    },
  };
  const { later } = core;
  return core;
}

/** A superseder does not stand in line behind the very lease that it is about to take over. */
const noTurn = (): Turn => ({ holder: undefined, leave: () => {} });

type Terms = Omit<LeaseContext, 'table' | 'store'>;

/** What leases work with when their client has a table, and its store. */
function tableContext(options: ClientOptions, terms: Terms, closers: ClientHost['closers']): LeaseContext {
  const context = { ...terms, table: makeTable(options, terms, closers) };
  return { ...context, store: tableStore(context) };
}

/** The table, by the caller's client or one of its own. */
function makeTable(
  options: ClientOptions,
  { clock, runtime }: Terms,
  closers: ClientHost['closers'],
): ItemTable {
  const { table, client } = options;
  if (typeof table === 'function') return table(clock);
  const known = { tableName: table!, clock, runtime, callTimeoutMs: callTimeoutMs(options) };
  if (client) return dynamoTable({ ...known, client });
  const own = new DynamoDBClient(sdkConfig(options, regionOf('table', table!, tableArns, options.region)));
  closers.push(() => own.destroy());
  return dynamoTable({ ...known, client: own, isClientOurs: true });
}

/** What a client of the AWS SDK is made with. */
function sdkConfig({ endpoint, maxAttempts, requestTimeoutMs }: ClientOptions, region: string | undefined) {
  return {
    // One that is not given the SDK finds itself.
    region,
    endpoint,
    maxAttempts: maxAttempts ?? defaults.maxAttempts,
    ...sdkTimeOuts(requestTimeoutMs ?? defaults.requestTimeoutMs),
  };
}

/**
 * What leases work with when their client has a service: the way to it, loaded with the first request. There is no table,
 * and who asks for it is told.
 */
function serviceContext(options: ClientOptions, terms: Terms, closers: ClientHost['closers']): LeaseContext {
  const { service, region } = options;
  // Whether it can be right is found out here, and not by the first request.
  const own = typeof service === 'string' ? regionOf('service', service, functionArns, region) : undefined;
  const store = loadedOnce(async (): Promise<LeaseStore> => {
    const { connectService } = await import('./service-connection.js');
    return connectService(options, terms, closers, sdkConfig(options, own));
  });
  return {
    ...terms,
    store: {
      takesChanges: false,
      ...callsOf(store, ['ensureTime', 'grant', 'renew', 'release', ...laterOperations], ['list']),
    },
    get table(): ItemTable {
      throw new UsageError('This needs a client with a table, not one with a service');
    },
  };
}

/** A label that tells people where to look: on Lambda the function and its log stream, elsewhere host and process. */
function defaultOwner(runtime: Runtime): string {
  const part = runtime.randomId().slice(0, 8);
  const { AWS_LAMBDA_FUNCTION_NAME: lambda, AWS_LAMBDA_LOG_STREAM_NAME: stream = part } = process.env;
  return (lambda ? `${lambda}/${stream}` : `${hostname()}/${process.pid}/${part}`).slice(0, 256);
}
