/**
 * What the functions tell CloudWatch. The one place that names it: the handlers emit by it, and the constructs'
 * metrics, dashboard and alarms ask by it. Imports nothing, so that a synthesis loads no Powertools.
 */

/** The CloudWatch namespace of all metrics here. */
export const metricNamespace = 'Leasehold';

/** The one dimension: which deployment it is. Its value is the function's `POWERTOOLS_SERVICE_NAME`. */
export const serviceDimension = 'service';

/** The dimension's value where nobody gave one. */
export const defaultServiceName = 'leasehold';

/** Every metric with its unit, as CloudWatch spells it. A count is one per event: ask for its sum. */
export const metricUnits = {
  /** Leases granted. */
  Granted: 'Count',
  /** Acquires that found the lock held, whether they then waited or gave up. */
  Held: 'Count',
  /** How long each granted acquire waited, 0 where it did not. */
  Waited: 'Milliseconds',
  /** How long each lease was held that its holder ended. */
  HoldTime: 'Milliseconds',
  /** Grants of a lock whose last holder had not released it. */
  Takeover: 'Count',
  /** Leases over without their holder's doing; one of the next five counts it, too. */
  Lost: 'Count',
  LostExpired: 'Count',
  LostTakenOver: 'Count',
  LostBroken: 'Count',
  LostStoreUnavailable: 'Count',
  LostMaxHold: 'Count',
  /** Writes under an old token that a guard refused. */
  StaleWriteRefused: 'Count',
  /** Holders that somebody asked to let go. */
  ReleaseRequested: 'Count',
  /** How long each permit of a semaphore was waited for. */
  PermitWaited: 'Milliseconds',
  /** Of each waiter that joins a line: how many stand there then. */
  LineLength: 'Count',
  /** Leads begun, and those given up because somebody asked for it. */
  LeaderElected: 'Count',
  LeaderSteppedDown: 'Count',
  /** Renewals that failed for the store's reasons; each is tried again. */
  RenewalFailed: 'Count',
  /** Releases that failed; the lease runs out by itself. */
  ReleaseFailed: 'Count',
  /** Requests that DynamoDB throttled until the SDK gave up. */
  StoreThrottled: 'Count',
  /** Slices that plans wrote. */
  SlicesPlanned: 'Count',
  SlicesDone: 'Count',
  /** Slices gone on with after a holder that had not given them back. */
  SlicesTakenOver: 'Count',
  /** Slices given back before their end: out of time, aborted, failed. */
  SlicesGivenBack: 'Count',
  /** Slices that a worker lost to another one. */
  SlicesLost: 'Count',
  /** Sightings of quarantined slices: each seat that comes by counts one. */
  SlicesQuarantined: 'Count',
} as const satisfies Readonly<Record<string, 'Count' | 'Milliseconds'>>;

/** The name of a metric. */
export type MetricName = keyof typeof metricUnits;

/** Which metric counts a loss for which reason, besides `Lost`. */
export const lossMetrics = {
  expired: 'LostExpired',
  'taken-over': 'LostTakenOver',
  broken: 'LostBroken',
  'store-unavailable': 'LostStoreUnavailable',
  'max-hold': 'LostMaxHold',
} as const satisfies Readonly<Record<string, MetricName>>;
