import { hostname } from 'node:os';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { functionArns, regionOf, tableArns } from '../aws/region-of.js';
import { elapsedBetween, StoreClock } from '../clock/store-clock.js';
import { LeaseholdError, UsageError } from '../errors/index.js';
import { publish } from '../events/events.js';
import { checkNumber, checkOptions } from '../lease/check-options.js';
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
  type Runtime,
  sdkTimeOuts,
  sharedController,
  systemRuntime,
} from '../runtime/index.js';
import { DynamoTable, type ItemTable } from '../table/index.js';
import {
  type AcquireOptions,
  checkOwner,
  optionNames,
  type TryAcquireOptions,
  timeLeftMs,
} from './acquire-options.js';
import { type AcquisitionRequest, attemptGrant, findGrant } from './attempt.js';
import type { BackgroundRelease } from './background-release.js';
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
  /** What a client can do besides. */
  readonly later = loadedOnce(async () => (await import('./later-calls.js')).laterCalls(this));

  readonly #queue: LocalQueue;
  readonly #closed = sharedController();
  /** Calls that have not come to an end. */
  readonly #underWay = new Set<Promise<void>>();
  readonly #ownClient: DynamoDBClient | undefined;
  readonly #service: ServiceWay | undefined;
  /** Gives leases back in the background, once there is one to give back. */
  #giveBack: BackgroundRelease | undefined;
  readonly #contention = loadedOnce(async () => {
    const { Contention } = await import('./contention.js');
    const contention = new Contention(this.context, this.options);
    this.#giveBack = contention.giveBack;
    return contention;
  });

  readonly #releaseLater = (lease: LeaseIdentity, forMs: number) => {
    const start = async () => (await this.#contention()).giveBack.start(lease, forMs);
    // Where it can't be loaded any more the lease runs out by itself.
    this.#until(start().catch(() => {}));
  };

  /** @throws UsageError as `new LockClient` */
  constructor(given: ClientOptions) {
    checkClientOptions(given);
    holdSettings(given, {});
    const options = { ...given };
    const { table, service, region, runtime = systemRuntime, skewMs = defaults.skewMs } = options;
    const clock = new StoreClock(runtime, skewMs);
    const retentionMs = options.retentionMs ?? defaults.retentionMs;
    const terms = { clock, runtime, skewMs, retentionMs, closed: this.#closed.signal };
    // Whether it can be right is found out here, and not by the first request.
    if (typeof service === 'string') regionOf('service', service, functionArns, region);
    if (service !== undefined) {
      this.#service = serviceWay(options, terms);
      this.context = this.#service.context;
    } else {
      if (typeof table === 'string' && !options.client) this.#ownClient = makeOwnClient(options);
      const leases = makeTable(options, this.#ownClient, clock);
      this.context = { ...terms, table: leases, store: tableStore({ ...terms, table: leases }) };
    }
    this.options = options;
    this.owner = options.owner ?? defaultOwner(runtime);
    this.#queue = new LocalQueue(runtime);
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
      const turn = supersede ? noTurn() : await this.#queue.enter(name, waitMs, signal);
      if (!turn) {
        const holder = this.#queue.toHolder(name);
        throw (await this.#contention()).heldHere(name, holder, waitedMs());
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
          : await (await this.#contention()).acquire(request, first, waitMs, since);
        return this.toLease({ name, owner }, granted.grant, granted.terms, waitedMs(), turn);
      } catch (error) {
        turn.leave();
        throw error;
      }
    });
  }

  checkAcquire(options: AcquireOptions): number {
    const { owner, group, lockDelayMs = 0, waitMs = defaults.waitMs } = options;
    if (owner !== undefined) checkOwner(owner);
    if (group !== undefined) checkGroupName(group);
    checkNumber('lockDelayMs', lockDelayMs, 0, defaults.maxLeaseMs);
    checkNumber('waitMs', waitMs, 0);
    const leftMs = timeLeftMs(options);
    holdSettings(this.options, options);
    return Math.min(waitMs, leftMs ?? waitMs);
  }

  isLeftBehind(leaseId: string): boolean {
    return this.#giveBack?.isLeftBehind(leaseId) ?? false;
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
    await this.#giveBack?.close();
    this.#ownClient?.destroy();
    this.#service?.close();
  }

  /** Closing waits for it. */
  #until(ended: Promise<void>): void {
    const settled = ended.finally(() => this.#underWay.delete(settled));
    this.#underWay.add(settled);
  }
}

/** A superseder does not stand in line behind the very lease that it is about to take over. */
const noTurn = (): Turn => ({ holder: undefined, leave: () => {} });

function makeTable(
  options: ClientOptions,
  ownClient: DynamoDBClient | undefined,
  clock: StoreClock,
): ItemTable {
  if (typeof options.table === 'function') return options.table(clock);
  return new DynamoTable({
    client: options.client ?? ownClient!,
    isClientOurs: options.client === undefined,
    tableName: options.table!,
    clock,
    runtime: options.runtime ?? systemRuntime,
    callTimeoutMs: callTimeoutMs(options),
  });
}

function makeOwnClient(options: ClientOptions): DynamoDBClient {
  const region = regionOf('table', options.table as string, tableArns, options.region);
  return new DynamoDBClient({
    ...(region !== undefined && { region }),
    ...(options.endpoint !== undefined && { endpoint: options.endpoint }),
    maxAttempts: options.maxAttempts ?? defaults.maxAttempts,
    ...sdkTimeOuts(options.requestTimeoutMs ?? defaults.requestTimeoutMs),
  });
}

/** A label that tells people where to look: on Lambda the function and its log stream, elsewhere host and process. */
function defaultOwner(runtime: Runtime): string {
  const part = runtime.randomId().slice(0, 8);
  const { AWS_LAMBDA_FUNCTION_NAME: lambda, AWS_LAMBDA_LOG_STREAM_NAME: stream } = process.env;
  return lambda ? `${lambda}/${stream ?? part}`.slice(0, 256) : `${hostname()}/${process.pid}/${part}`;
}

/** The way to the service, loaded with the first request: most clients have a table, and need none of it. */
interface ServiceWay {
  readonly context: LeaseContext;
  /** Ends a connection of its own, if one was opened. */
  readonly close: () => void;
}

/** What leases work with when their client has a service: no table, and who asks for it is told. */
function serviceWay(options: ClientOptions, terms: Omit<LeaseContext, 'table' | 'store'>): ServiceWay {
  let close = () => {};
  const later = loadedOnce(async (): Promise<LeaseStore> => {
    const { connectService } = await import('./service-connection.js');
    const connection = connectService(options, terms);
    close = connection.close;
    return connection.store;
  });
  const store: LeaseStore = {
    takesChanges: false,
    ...callsOf(later, ['ensureTime', 'grant', 'renew', 'release', ...laterOperations]),
    async *list(...asked) {
      yield* (await later()).list(...asked);
    },
  };
  const context = {
    ...terms,
    store,
    get table(): ItemTable {
      throw new UsageError(
        'This needs a client with a table: new LockClient({ table }), not one with a service',
      );
    },
  };
  return { context, close: () => close() };
}
