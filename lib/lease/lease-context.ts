import type { StoreClock, TimeInterval } from '../clock/store-clock.js';
import { loadedOnce, orAborted, type Runtime } from '../runtime/index.js';
import type { ItemTable } from '../table/index.js';

/** A request that is under way, for all who wait for its answer. */
interface Flight {
  readonly landed: Promise<void>;
  /** Nobody waits any more. */
  readonly abandon: () => void;
  waiting: number;
}

const flights = new WeakMap<ItemTable, Flight>();

/**
 * One cheap request, which any response will do for: whoever needs store time while one is under way waits for that one.
 * Each waits on a signal of its own; the request is given up when all have.
 *
 * @throws the signal's own reason when it aborts; StoreError when no response came
 */
export async function sharedPing(table: ItemTable, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const flight = flights.get(table) ?? takeOff(table);
  flight.waiting += 1;
  try {
    await orAborted(flight.landed, signal);
  } finally {
    flight.waiting -= 1;
    if (flight.waiting === 0) flight.abandon();
  }
}

function takeOff(table: ItemTable): Flight {
  const controller = new AbortController();
  const end = () => {
    // Whoever comes after an abort must not get what nobody waited for.
    if (flights.get(table) === flight) flights.delete(table);
  };
  const flight: Flight = {
    landed: table.ping(controller.signal).finally(end),
    abandon: () => {
      end();
      controller.abort();
    },
    waiting: 0,
  };
  flights.set(table, flight);
  return flight;
}

/** What the operations on a table work with; made once per client. */
export interface TableContext {
  readonly table: ItemTable;
  readonly clock: StoreClock;
  readonly runtime: Runtime;
  /** How far the store's front ends may disagree about the time, in milliseconds. */
  readonly skewMs: number;
  /** How long an unused item stays before TTL removes it, in milliseconds. */
  readonly retentionMs: number;
}

/**
 * A wider interval is narrowed before it is used. A wall clock that was set forward, or an hour of idling, would else put
 * the end of a lease that far into the future; a monotonic clock that stood still would put a token that far back.
 */
export const widestIntervalMs = 5_000;

/** If a clock was set while the first request was under way, that one has only made the interval wide. */
const maxPings = 2;

/**
 * Makes sure that there is store time, and that it is worth using: sends one cheap request otherwise. An error is a
 * response, too: whether the store can be used is for the request to find out that needs the time.
 *
 * @throws StoreError when no response came, or none that tells the time
 */
export async function ensureStoreTime(context: TableContext, signal?: AbortSignal): Promise<void> {
  const { clock, table } = context;
  for (let pings = 0; pings < maxPings; pings++) {
    if (clock.isSet && isNarrow(clock.now())) return;
    try {
      await sharedPing(table, signal);
    } catch (error) {
      if (!clock.isSet || signal?.aborted) throw error;
      return;
    }
    if (!clock.isSet) throw (await timeErrors()).noStoreTime(table.tableName);
  }
}

/** What is said where the time is not known. */
export const timeErrors = loadedOnce(() => import('./time-errors.js'));

/**
 * Whether an interval is worth using. What is known too vaguely grants nothing: a token from before a freeze would be lower
 * than those that others were given meanwhile.
 */
export function isNarrow({ earliest, latest }: TimeInterval): boolean {
  return latest - earliest <= widestIntervalMs;
}

/**
 * When a lease that starts now ends: the granting rule of protocol, section 3. A renewal goes on where the interval could
 * not be narrowed; the lease then ends sooner, by its holder's own clock, too: that is safe, and nobody waits for hours
 * after a crash.
 */
export function expiryFor(context: Pick<TableContext, 'clock'>, leaseMs: number): number {
  const { earliest, latest } = context.clock.now();
  return Math.ceil(Math.min(latest, earliest + widestIntervalMs) + leaseMs);
}

/** No more of its length than this a lease loses by {@link endFor}. */
const countedPart = 1 / 10;

/**
 * What is written as the end of a lease that starts now. After a crash whoever waits also waits for what the holder's clock
 * did not know, and for `skewMs`: so it counts from that much earlier, and loses at most a tenth. Its holder counts on it by
 * its own `latest`, whatever is written: nobody believes longer by it.
 *
 * @param spareMs what the holder does not need of it
 */
export function endFor(
  context: Pick<TableContext, 'clock' | 'skewMs'>,
  leaseMs: number,
  spareMs = 0,
): number {
  const { clock, skewMs } = context;
  const soonest = Math.ceil(clock.now().earliest - skewMs + leaseMs);
  return Math.max(soonest, expiryFor(context, leaseMs - Math.min(spareMs, leaseMs * countedPart)));
}

/** A lease that ended before this can't be valid for its holder: the taking rule of protocol, section 3. */
export function takeoverBefore(context: Pick<TableContext, 'clock' | 'skewMs'>): number {
  return Math.floor(context.clock.now().earliest - context.skewMs);
}

/** The `ttl` of an item that is of no use after `atMs`, in seconds. */
export function ttlAfter(context: Pick<TableContext, 'retentionMs'>, atMs: number): number {
  return Math.ceil((atMs + context.retentionMs) / 1000);
}
