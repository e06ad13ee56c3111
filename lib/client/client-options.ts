import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { defaultSkewMs, type StoreClock } from '../clock/store-clock.js';
import { refuse, UsageError } from '../errors/index.js';
import {
  checkLimits,
  checkNumber,
  checkOptions,
  type Limits,
  maxLeaseMs,
  minRetentionMs,
} from '../lease/check-options.js';
import type { Runtime } from '../runtime/index.js';
import type { LambdaCaller, ServiceTransport } from '../service-client/service-transport.js';
import type { ItemTable } from '../table/index.js';
import { checkOwner, holdLimits } from './acquire-options.js';

/** The defaults of a client, each written once: code and documents read them here. All in milliseconds. */
export const defaults = {
  /** How long a lease runs without a renewal. */
  leaseMs: 30_000,
  /** A renewal every this part of the lease: two may fail before it is in danger. */
  renewFraction: 1 / 3,
  /** `signal` fires this part of the lease before its end. */
  safetyMarginFraction: 1 / 10,
  /** How far the store's front ends may disagree about the time. */
  skewMs: defaultSkewMs,
  /** How long an unused item stays before TTL removes it. */
  retentionMs: 7 * 24 * 60 * 60 * 1000,
  /** The least retention: a signed request may sleep for hours in a frozen Lambda (protocol, section 2). */
  minRetentionMs,
  /** The most that `leaseMs`, `minHoldMs` and `lockDelayMs` may be. */
  maxLeaseMs,
  /** The end of one attempt of a request. */
  requestTimeoutMs: 1_000,
  /** Attempts of one request, over all its retries. */
  maxAttempts: 3,
  /** `acquire` tries once and does not wait unless told to. */
  waitMs: 0,
  /** A waiter reads no more often than this … */
  pollFloorMs: 50,
  /** … and no less often than this. */
  pollCeilingMs: 1_000,
} as const;

/** All attempts of a request together may take this part of a lease: what renewing and the safety margin leave, less a reserve. */
const partOfLease = 1 / 2;

/**
 * The end of one attempt of a request that fits a lease. A client refuses a lease in which a renewal has no time for
 * all its attempts; whoever asks a function for a short lease has no other place to say how long requests may take.
 *
 * @param leaseMs the lease in milliseconds; absent: the client's default, and so is the answer
 * @returns milliseconds, never more than the client's default
 */
export function requestTimeoutFor(leaseMs: number | undefined): number {
  if (leaseMs === undefined) return defaults.requestTimeoutMs;
  const fittingMs = Math.floor((leaseMs * partOfLease) / defaults.maxAttempts);
  return Math.max(1, Math.min(defaults.requestTimeoutMs, fittingMs));
}

/** What a `LockClient` is made with. Checked at once; a `UsageError` names the option, the limit and the value. */
export interface LockClientOptions {
  /** The table's name, or its ARN. Either this or `service` is given. */
  readonly table?: string;
  /**
   * The lock service, by the name or the ARN of its Lambda function; or another way to it. Such a client needs no right
   * to the table, only to invoke the function. Either this or `table` is given.
   */
  readonly service?: string | ServiceTransport;
  /**
   * A `LambdaClient` of yours, to reach the service by; or a `Lambda`, which a bundler follows.
   * @default one of its own, closed by `close()`
   */
  readonly lambdaClient?: LambdaCaller;
  /** A DynamoDB client or document client of yours. @default one of its own, closed by `close()` */
  readonly client?: Pick<DynamoDBClient, 'send'>;
  /** For the client of its own. @default as the AWS SDK finds it */
  readonly region?: string;
  /** For the client of its own: another address of DynamoDB, or of Lambda. @default AWS */
  readonly endpoint?: string;
  /** A label for people: who holds. @default host name, process id, and a random part */
  readonly owner?: string;
  /**
   * With `service`: a secret of 16 to 128 visible ASCII characters that all attempts of an owner share, those of other
   * processes, too. `supersede` takes over a lease only if it was acquired with the same one; the service keeps its hash.
   *
   * @default one made up with this client, which so supersedes leases of its own only
   */
  readonly ownerKey?: string;
  /** How long a lease runs without a renewal, in milliseconds. @default 30,000 */
  readonly leaseMs?: number;
  /** A renewal this often, in milliseconds. @default a third of the lease */
  readonly renewEveryMs?: number;
  /** `signal` fires this long before the lease could end, in milliseconds. @default a tenth of the lease */
  readonly safetyMarginMs?: number;
  /** How far the store's front ends may disagree about the time, in milliseconds. @default 500 */
  readonly skewMs?: number;
  /** How long an unused item stays, in milliseconds, at least a day. @default 7 days */
  readonly retentionMs?: number;
  /** The end of one attempt of a request, in milliseconds. @default 1,000 */
  readonly requestTimeoutMs?: number;
  /** Attempts of one request. @default 3 */
  readonly maxAttempts?: number;
  /** A waiter reads at least this far apart, in milliseconds. @default 50 */
  readonly pollFloorMs?: number;
  /** A waiter reads at most this far apart, in milliseconds. @default 1,000 */
  readonly pollCeilingMs?: number;
  /** The longest a lease may be held, in milliseconds. @default without end, as long as it is renewed */
  readonly maxHoldMs?: number;
  /** Clocks, timers and randomness. @default the real ones */
  readonly runtime?: Runtime;
}

/**
 * The same for who brings a store of their own, as a simulation does: it is made around the clock that its responses must
 * set. No part of what users see.
 */
export interface ClientOptions extends Omit<LockClientOptions, 'table'> {
  readonly table?: string | ((clock: StoreClock) => ItemTable);
}

/** The end of one request over all its attempts: what a renewal may cost in the worst case. */
export function callTimeoutMs(options: Pick<LockClientOptions, 'requestTimeoutMs' | 'maxAttempts'>): number {
  return (
    (options.requestTimeoutMs ?? defaults.requestTimeoutMs) * (options.maxAttempts ?? defaults.maxAttempts)
  );
}

/** What numbers may be, at least and at most. */
const limits = {
  ...holdLimits,
  requestTimeoutMs: [1],
  maxAttempts: [1, 10],
  skewMs: [0],
  retentionMs: [minRetentionMs],
  pollFloorMs: [1],
} satisfies Limits;

/** The other options. */
const others = {
  ...{ table: 1, service: 1, lambdaClient: 1, client: 1, region: 1, endpoint: 1, owner: 1, ownerKey: 1 },
  ...{ pollCeilingMs: 1, runtime: 1 },
} satisfies Record<Exclude<keyof LockClientOptions, keyof typeof limits>, 1>;

const optionNames = Object.keys({ ...limits, ...others });

/** @throws UsageError if an option of the client is out of its range, or if they do not fit together */
export function checkClientOptions(options: ClientOptions): void {
  checkOptions('LockClient', options, optionNames);
  checkStore(options);
  const { endpoint } = options;
  // Without its scheme the host would be taken for one; empty, as from an unset variable, it would mean AWS itself.
  if (endpoint !== undefined && !/^https?:\/\/[^/]/.test(endpoint))
    refuse('endpoint', 'an address such as http://localhost:8000', endpoint);
  checkLimits(options, limits);
  const { pollFloorMs = defaults.pollFloorMs, pollCeilingMs } = options;
  if (pollCeilingMs !== undefined) checkNumber('pollCeilingMs', pollCeilingMs, pollFloorMs);
  checkOwner(options.owner);
  checkOwnerKey(options.ownerKey);
}

function checkOwnerKey(ownerKey: string | undefined): void {
  if (ownerKey === undefined || (typeof ownerKey === 'string' && /^[!-~]{16,128}$/.test(ownerKey))) return;
  // Not shown: it may be the right one, but for a blank at its end.
  throw new UsageError('ownerKey: must be a string of 16 to 128 visible ASCII characters');
}

/** A table or a service, and neither both nor none. */
function checkStore({ table, service }: ClientOptions): void {
  if (service === undefined) {
    if (isNamed(table) || typeof table === 'function') return;
    throw new UsageError('table: the name of the lease table is missing (or that of a service)');
  }
  if (table !== undefined) refuse('service', 'left out where a table is given', service);
  if (isNamed(service) || typeof (service as ServiceTransport)?.send === 'function') return;
  refuse('service', 'the name or the ARN of a function', service);
}

function isNamed(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
