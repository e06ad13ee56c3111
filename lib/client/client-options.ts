import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { StoreClock } from '../clock/index.js';
import { quoted, UsageError } from '../errors/index.js';
import { checkNumber, checkOptions } from '../lease/check-options.js';
import type { HoldSettings } from '../lease/index.js';
import type { Runtime } from '../runtime/index.js';
import type { LambdaCaller, ServiceTransport } from '../service-client/service-transport.js';
import type { LeaseTable } from '../table/index.js';
import { defaults } from './defaults.js';
import type { AcquireOptions, TryAcquireOptions } from './lock-client.js';
import { isWellFormed } from './lock-name.js';
import type { ResumeOptions } from './resume.js';

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
  readonly table?: string | ((clock: StoreClock) => LeaseTable);
}

/** Options of one acquisition; what is absent is as the client was made. */
export interface HoldOptions {
  readonly leaseMs?: number;
  readonly renewEveryMs?: number;
  readonly safetyMarginMs?: number;
  readonly maxHoldMs?: number;
  /**
   * How long the caller itself has left, in milliseconds, asked again whenever it matters: for code whose time is
   * limited, as a Lambda's is (`() => context.getRemainingTimeInMillis() - 1_000`). The lease is granted for no longer
   * than that and not renewed past it, `signal` fires a safety margin before, and no wait lasts longer.
   *
   * @default the caller has no end
   */
  readonly endsInMs?: () => number;
}

/** The end of one request over all its attempts: what a renewal may cost in the worst case. */
export function callTimeoutMs(options: Pick<LockClientOptions, 'requestTimeoutMs' | 'maxAttempts'>): number {
  return (
    (options.requestTimeoutMs ?? defaults.requestTimeoutMs) * (options.maxAttempts ?? defaults.maxAttempts)
  );
}

const hold = { leaseMs: 1, renewEveryMs: 1, safetyMarginMs: 1, maxHoldMs: 1, endsInMs: 1 } as const;
const resume = { ...hold, owner: 1, signal: 1 } as const satisfies Record<keyof ResumeOptions, 1>;
const tryAcquire = {
  ...resume,
  supersede: 1,
  group: 1,
  change: 1,
  giveUpWhen: 1,
} as const satisfies Record<keyof TryAcquireOptions, 1>;
const acquire = { ...tryAcquire, waitMs: 1, fair: 1 } as const satisfies Record<keyof AcquireOptions, 1>;

/** What each call takes; the types demand that none is forgotten. */
export const optionNames = {
  acquire: Object.keys(acquire),
  tryAcquire: Object.keys(tryAcquire),
  resume: Object.keys(resume),
};

/** All of them: the type demands it. */
const clientOptionNames = Object.keys({
  table: 1,
  service: 1,
  lambdaClient: 1,
  client: 1,
  region: 1,
  endpoint: 1,
  owner: 1,
  leaseMs: 1,
  renewEveryMs: 1,
  safetyMarginMs: 1,
  skewMs: 1,
  retentionMs: 1,
  requestTimeoutMs: 1,
  maxAttempts: 1,
  pollFloorMs: 1,
  pollCeilingMs: 1,
  maxHoldMs: 1,
  runtime: 1,
  ownerKey: 1,
} satisfies Record<keyof LockClientOptions, 1>);

/** @throws UsageError if an option of the client is out of its range, or if they do not fit together */
export function checkClientOptions(options: ClientOptions): void {
  checkOptions('LockClient', options, clientOptionNames);
  checkStore(options);
  checkNumber('requestTimeoutMs', options.requestTimeoutMs ?? defaults.requestTimeoutMs, 1);
  checkNumber('maxAttempts', options.maxAttempts ?? defaults.maxAttempts, 1, 10);
  checkNumber('skewMs', options.skewMs ?? defaults.skewMs, 0);
  checkNumber('retentionMs', options.retentionMs ?? defaults.retentionMs, defaults.minRetentionMs);
  const pollFloorMs = options.pollFloorMs ?? defaults.pollFloorMs;
  checkNumber('pollFloorMs', pollFloorMs, 1);
  checkNumber(
    'pollCeilingMs',
    options.pollCeilingMs ?? Math.max(defaults.pollCeilingMs, pollFloorMs),
    pollFloorMs,
  );
  if (options.owner !== undefined) checkOwner(options.owner);
  checkOwnerKey(options.ownerKey);
  holdSettings(options, {});
}

function checkOwnerKey(ownerKey: string | undefined): void {
  if (ownerKey === undefined || (typeof ownerKey === 'string' && /^[!-~]{16,128}$/.test(ownerKey))) return;
  // Not shown: it may be the right one, but for a blank at its end.
  throw new UsageError('ownerKey: must be a string of 16 to 128 visible ASCII characters');
}

/** A table or a service, and neither both nor none. */
function checkStore({ table, service }: ClientOptions): void {
  if (table !== undefined && service !== undefined) {
    throw new UsageError('service: a client takes either a table or a service, got both');
  }
  if (service !== undefined) {
    if (isNamed(service) || typeof (service as ServiceTransport)?.send === 'function') return;
    throw new UsageError('service: must be the name or the ARN of a function');
  }
  if (isNamed(table) || typeof table === 'function') return;
  throw new UsageError('table: the name of the lease table is missing (or that of a service)');
}

function isNamed(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/**
 * How leases of these options are held.
 *
 * @throws UsageError if they can't work: a renewal must have time for all its attempts before the lease is in danger
 */
export function holdSettings(client: ClientOptions, hold: HoldOptions): HoldSettings {
  const leaseMs = hold.leaseMs ?? client.leaseMs ?? defaults.leaseMs;
  // A fraction of the client's lease is no measure for another lease.
  const own: HoldOptions = hold.leaseMs === undefined || hold.leaseMs === client.leaseMs ? client : {};
  const renewEveryMs = hold.renewEveryMs ?? own.renewEveryMs ?? leaseMs * defaults.renewFraction;
  const safetyMarginMs = hold.safetyMarginMs ?? own.safetyMarginMs ?? leaseMs * defaults.safetyMarginFraction;
  const capMs = hold.maxHoldMs ?? client.maxHoldMs;
  const maxHoldMs = shortest(capMs, hold.endsInMs?.());
  const timeoutMs = callTimeoutMs(client);
  checkNumber('leaseMs', leaseMs, 1);
  checkNumber('renewEveryMs', renewEveryMs, 1);
  checkNumber('safetyMarginMs', safetyMarginMs, 0);
  if (maxHoldMs !== undefined) checkNumber('maxHoldMs', maxHoldMs, 1);
  if (renewEveryMs + timeoutMs + safetyMarginMs > leaseMs) {
    // Those that are fractions of the lease grow with it.
    const fixed = (fraction: number, ms: number | undefined) =>
      ms === undefined ? { fraction, ms: 0 } : { fraction: 0, ms };
    const renewal = fixed(defaults.renewFraction, hold.renewEveryMs ?? own.renewEveryMs);
    const margin = fixed(defaults.safetyMarginFraction, hold.safetyMarginMs ?? own.safetyMarginMs);
    const needs = (ms: number) =>
      renewal.ms + renewal.fraction * ms + timeoutMs + margin.ms + margin.fraction * ms;
    let minMs = Math.ceil((renewal.ms + timeoutMs + margin.ms) / (1 - renewal.fraction - margin.fraction));
    // What a fraction comes to is known only nearly.
    if (needs(minMs) > minMs) minMs += 1;
    throw new UsageError(
      `leaseMs: ${leaseMs} is too short; renewEveryMs ${Math.round(renewEveryMs)} + requestTimeoutMs × maxAttempts ` +
        `${timeoutMs} + safetyMarginMs ${Math.round(safetyMarginMs)} need at least ${minMs}`,
    );
  }
  // A hold that ends sooner than a lease is a shorter lease, and its margin shrinks with it.
  const grantedMs = Math.min(leaseMs, maxHoldMs ?? leaseMs);
  const marginMs =
    grantedMs === leaseMs
      ? safetyMarginMs
      : Math.min(safetyMarginMs, grantedMs * defaults.safetyMarginFraction);
  return {
    leaseMs: grantedMs,
    wholeLeaseMs: leaseMs,
    renewEveryMs,
    safetyMarginMs: marginMs,
    maxHoldMs,
    capMs,
    endsInMs: hold.endsInMs,
  };
}

/**
 * How long the caller has left, if that has an end.
 *
 * @throws UsageError if that is no number, or less than a millisecond
 */
export function timeLeftMs({ endsInMs }: HoldOptions): number | undefined {
  if (endsInMs === undefined) return undefined;
  if (typeof endsInMs !== 'function') {
    throw new UsageError(`endsInMs: must be a function that tells milliseconds, got ${quoted(endsInMs)}`);
  }
  const leftMs = endsInMs();
  checkNumber('endsInMs', leftMs, 1);
  return leftMs;
}

/** Time that has run out is as good as a millisecond: a lease that short is never handed out. */
function shortest(capMs: number | undefined, endsInMs: number | undefined): number | undefined {
  if (endsInMs === undefined) return capMs;
  return Math.min(capMs ?? endsInMs, Math.max(1, endsInMs));
}

/** @throws UsageError if the label can't be stored or shown */
export function checkOwner(owner: string): void {
  if (typeof owner === 'string' && owner !== '' && isWellFormed(owner) && Buffer.byteLength(owner) <= 256)
    return;
  throw new UsageError(`owner: must be well-formed Unicode of 1 to 256 bytes, got ${quoted(owner)}`);
}
