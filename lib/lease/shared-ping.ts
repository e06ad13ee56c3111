import { orAborted } from '../runtime/index.js';
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
      controller.abort(new DOMException('nobody waits for the answer', 'AbortError'));
    },
    waiting: 0,
  };
  flight.landed.catch(() => {});
  flights.set(table, flight);
  return flight;
}
