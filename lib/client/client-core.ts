import { hostname } from 'node:os';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { functionArns, regionOf, tableArns } from '../aws/region-of.js';
import { elapsedBetween, StoreClock } from '../clock/store-clock.js';
import { LeaseholdError, UsageError } from '../errors/index.js';
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
import { DynamoTable, type ItemTable } from '../table/index.js';
import {
  type AcquireOptions,
  acquireLimits,
  checkOwner,
  optionNames,
  type TryAcquireOptions,
  timeLeftMs,
} from './acquire-options.js';
import { type AcquisitionRequest, attemptGrant, findGrant } from './attempt.js';
import type { ClientHost, LeaseLabels } from './client-host.js';
import { type ClientOptions, callTimeoutMs, checkClientOptions, defaults } from './client-options.js';
import { holdSettings } from './hold-settings.js';
import { LocalQueue, type Turn } from './local-queue.js';
import { checkGroupName, checkLockName } from './lock-name.js';

/** A lock is acquired and given back with this; what else a client can do is made of it, and loaded when it is needed. */
export class ClientCore implements ClientHost {
  readonly context: LeaseContext;
  readonly owner: string;
  readonly options: ClientOptions;
  readonly closers: (() => unknown)[] = [];
  /** What a client can do besides, and what it does where a lock is not had, or not given back, at once. */
  readonly later = loadedOnce(async () => (await import('./later-calls.js')).laterCalls(this));

  readonly #queue = new LocalQueue();
  readonly #closed = sharedController();
  /** Calls that have not come to an end. */
  readonly #underWay = new Set<Promise<void>>();

  readonly #releaseLater = (lease: LeaseIdentity, forMs: number) => {
    const start = async () => (await this.later()).contention.giveBack.start(lease, forMs);
    // Where it can't be loaded any more the lease runs out by itself.
    this.#until(start().catch(() => {}));
  };

  /** @throws UsageError as `new LockClient` */
  constructor(given: ClientOptions) {
    checkClientOptions(given);
    holdSettings(given, {});
    const options = { ...given };
    const { service, runtime = systemRuntime, skewMs = defaults.skewMs } = options;
    const clock = new StoreClock(runtime, skewMs);
    const retentionMs = options.retentionMs ?? defaults.retentionMs;
    const terms = { clock, runtime, skewMs, retentionMs, closed: this.#closed.signal };
    if (service === undefined) {
      const inTable = { ...terms, table: makeTable(options, terms, this.closers) };
      this.context = { ...inTable, store: tableStore(inTable) };
    } else this.context = serviceContext(options, terms, this.closers);
    this.options = options;
    this.owner = options.owner ?? defaultOwner(runtime);
  }

  acquire(name: string, options: AcquireOptions = {}): Promise<Lease> {
    return this.#acquire(name, options, optionNames.acquire);
  }

  async tryAcquire(name: string, options: TryAcquireOptions = {}): Promise<Lease | null> {
    try {
      return await this.#acquire(name, options, optionNames.tryAcquire);
    } catch (error) {
      if (error instanceof LeaseholdError && error.code === 'LOCK_HELD') return null;
      throw error;
    }
  }

  async #acquire(name: string, given: AcquireOptions, names: readonly string[]): Promise<Lease> {
    checkLockName(name);
    checkOptions('acquire', given, names);
    // As they are now: what the caller changes later plays no part.
    const options = { ...given };
    const waitMs = this.checkAcquire(options);
    const { owner = this.owner, group, change, giveUpWhen, supersede = false, lockDelayMs = 0 } = options;
    const terms = () => holdSettings(this.options, options);
    if (options.fair) return (await this.later()).fairAcquire(name, { ...options, waitMs });
    return this.whileOpen(options.signal, async (signal) => {
      const { clock, runtime } = this.context;
      const since = clock.instant();
      const waitedMs = () => elapsedBetween(since, clock.instant()).most;
      let turn = supersede ? noTurn() : this.#queue.tryEnter(name);
      if (!turn) {
        const { contention } = await orAborted(this.later(), signal);
        turn = await contention.turn(this.#queue, name, waitMs, since, signal);
      }
      try {
        const request: AcquisitionRequest = {
          ...{ name, owner, terms, supersede, signal, group, change, giveUpWhen },
          lockDelayMs: lockDelayMs > 0 ? Math.ceil(lockDelayMs) : undefined,
        };
        const first = await attemptGrant(this.context, request, runtime.randomId());
        const grant = findGrant(this.context, first);
        const granted = grant
          ? { grant, terms: first.terms }
          : await (await this.later()).contention.acquire(request, first, waitMs, since);
        return this.toLease({ name, owner }, granted.grant, granted.terms, waitedMs(), turn);
      } catch (error) {
        turn.leave();
        throw error;
      }
    });
  }

  checkAcquire(options: AcquireOptions): number {
    const { owner, group, waitMs = defaults.waitMs } = options;
    if (owner !== undefined) checkOwner(owner);
    if (group !== undefined) checkGroupName(group);
    checkLimits(options, acquireLimits);
    const leftMs = timeLeftMs(options);
    holdSettings(this.options, options);
    return Math.min(waitMs, leftMs ?? waitMs);
  }

  /** The one place where a grant becomes a lease. */
  toLease(labels: LeaseLabels, grant: Grant, terms: HoldSettings, waitedMs = 0, turn = noTurn()): Lease {
    const { name, owner } = labels;
    if (this.#closed.signal.aborted) {
      this.#releaseLater({ name, leaseId: grant.leaseId, token: grant.token }, terms.leaseMs);
      throw this.#closed.signal.reason;
    }
    const listener = { onEnd: turn.leave, releaseLater: this.#releaseLater };
    const lease = new Lease(this.context, labels, grant, terms, listener);
    turn.holder = () => lease.holderInfo;
    const { token, leaseId, takenOverFrom } = lease;
    publish('granted', { name, owner, token, leaseId, waitedMs, takenOverFrom, adopted: grant.adopted });
    return lease;
  }

  async whileOpen<T>(given: AbortSignal | undefined, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#closed.signal.throwIfAborted();
    given?.throwIfAborted();
    const { signal, clear } = firstOf(given, this.#closed.signal);
    const running = call(signal).catch((error) => {
      throw signal.aborted ? signal.reason : error;
    });
    this.#until(running.then(clear, clear));
    return running;
  }

  async close(): Promise<void> {
    if (!this.#closed.signal.aborted) {
      this.#closed.abort(new UsageError('This LockClient has been closed', undefined, { code: 'CLOSED' }));
    }
    // What ends now may leave something to give back.
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    for (const close of this.closers) await close();
  }

  /** Closing waits for it. */
  #until(ended: Promise<void>): void {
    const settled = ended.finally(() => this.#underWay.delete(settled));
    this.#underWay.add(settled);
  }
}

/** A superseder does not stand in line behind the very lease that it is about to take over. */
const noTurn = (): Turn => ({ holder: undefined, leave: () => {} });

type Terms = Omit<LeaseContext, 'table' | 'store'>;

/** The table, by the caller's client or one of its own. */
function makeTable(
  options: ClientOptions,
  { clock, runtime }: Terms,
  closers: ClientHost['closers'],
): ItemTable {
  const { table, client } = options;
  if (typeof table === 'function') return table(clock);
  const known = { tableName: table!, clock, runtime, callTimeoutMs: callTimeoutMs(options) };
  if (client) return new DynamoTable({ ...known, client });
  const own = new DynamoDBClient(sdkConfig(options, regionOf('table', table!, tableArns, options.region)));
  closers.push(() => own.destroy());
  return new DynamoTable({ ...known, client: own, isClientOurs: true });
}

/** What a client of the AWS SDK is made with. */
function sdkConfig({ endpoint, maxAttempts, requestTimeoutMs }: ClientOptions, region: string | undefined) {
  return {
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
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
    const connection = connectService(options, terms, sdkConfig(options, own));
    closers.push(connection.close);
    return connection.store;
  });
  return {
    ...terms,
    store: {
      takesChanges: false,
      ...callsOf(store, ['ensureTime', 'grant', 'renew', 'release', ...laterOperations]),
      async *list(...asked) {
        yield* (await store()).list(...asked);
      },
    },
    get table(): ItemTable {
      throw new UsageError('This needs a client with a table, not one with a service');
    },
  };
}

/** A label that tells people where to look: on Lambda the function and its log stream, elsewhere host and process. */
function defaultOwner(runtime: Runtime): string {
  const part = runtime.randomId().slice(0, 8);
  const { AWS_LAMBDA_FUNCTION_NAME: lambda, AWS_LAMBDA_LOG_STREAM_NAME: stream } = process.env;
  return lambda ? `${lambda}/${stream ?? part}`.slice(0, 256) : `${hostname()}/${process.pid}/${part}`;
}
