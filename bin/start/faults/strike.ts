import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is done to a worker: it is killed, or it is stopped past its lease and then woken. */
export type StrikeKind = 'kill' | 'stop';

/** A blow that is planned: it falls on whoever claims this page of this slice. */
export interface PlannedStrike {
  readonly kind: StrikeKind;
  readonly slice: string;
  /** The page at which it falls, from 1; earlier if the slice turns out to end before. */
  readonly page: number;
}

/** A blow that fell, as the struck worker wrote it down in its last moment. */
export interface Strike extends PlannedStrike {
  readonly seat: number;
  readonly pid: number;
  readonly token: number;
}

/**
 * Planned strikes and those that fell lie in files of one directory. A worker that dies in the next instant has no
 * time for a message; a file that it alone could create is whole, and whoever comes second sees that it is there.
 */
export interface StrikeOrders {
  readonly strikes: readonly PlannedStrike[];
  readonly pageSize: number;
}

/** Writes the orders, before the first worker starts. */
export function writeOrders(directory: string, orders: StrikeOrders): void {
  writeFileSync(join(directory, 'orders.json'), JSON.stringify(orders));
}

/** Reads the orders; nothing is ordered where there is no file. */
export function readOrders(directory: string): StrikeOrders {
  return readJson<StrikeOrders>(join(directory, 'orders.json')) ?? { strikes: [], pageSize: 0 };
}

/** Writes down that a strike falls. Synchronous; `false` if it has fallen already, on somebody else. */
export function recordStrike(directory: string, strike: Strike): boolean {
  let file: number;
  try {
    file = openSync(strikePath(directory, strike.kind), 'wx');
  } catch {
    return false;
  }
  writeFileSync(file, JSON.stringify(strike));
  closeSync(file);
  return true;
}

/** The strike of a kind, if it has fallen. */
export function readStrike(directory: string, kind: StrikeKind): Strike | undefined {
  return readJson<Strike>(strikePath(directory, kind));
}

function strikePath(directory: string, kind: StrikeKind): string {
  return join(directory, `${kind}.json`);
}

/** `undefined` where there is no such file, or where it is still being written. */
function readJson<Value>(path: string): Value | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Value;
  } catch {
    return undefined;
  }
}
