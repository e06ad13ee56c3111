import type { CallRecord, History, OpenRecord } from '../simulation/history/history.js';
import * as models from './models.js';
import { explain, type Operation } from './search.js';

/** What of a schedule's history could not be explained, and how many objects were looked at. */
export interface Linear {
  readonly impossible: readonly string[];
  readonly explained: number;
  readonly unknown: number;
}

const never = Number.POSITIVE_INFINITY;

/** What works only under the current lease. */
const underLease = new Set(['renew', 'save', 'handOver']);

type Call = CallRecord | OpenRecord;

/**
 * Reads a schedule's history as its callers saw it, without a look at the store, and asks whether a lock and a fence could have
 * answered so. Not of one whose table was changed by hand: no lock answers for that.
 */
export function readLinear({ records, premises }: History): Linear {
  if (premises.deletedEarlyAtMs !== undefined || records.some(({ kind }) => kind === 'restore'))
    return { impossible: [], explained: 0, unknown: 0 };
  const calls = records.filter((record): record is Call => record.kind === 'call' || record.kind === 'open');
  const locks = new Map<string, Operation<models.LockState>[]>();
  const fences = new Map<string, Operation<number>[]>();
  const tokens = new Map<string, number>();
  for (const record of records) {
    // Time to Live has removed it: what happens to the world, not what the product did.
    if (record.kind === 'write' && record.table === 'leases' && !record.request && !record.after)
      add(locks, record.key, models.forgotten(record.atMs));
    if (record.kind !== 'handed') continue;
    tokens.set(record.leaseId, record.token);
    const call = callOf(record.leaseId, calls);
    const between = { fromMs: call?.sinceMs ?? 0, toMs: record.atMs };
    add(locks, record.name, models.granted(between, record.leaseId, record.token));
    // By a callback's end, a disposer, or one whose answer never came.
    add(locks, record.name, models.ended({ fromMs: record.atMs, toMs: never }, record.leaseId, true));
    add(locks, record.name, models.completed({ fromMs: record.atMs, toMs: never }, record.leaseId, true));
  }
  for (const call of calls) {
    // Several locks at once are not one object.
    if (call.name === '') continue;
    for (const operation of lockOperations(call, tokens)) add(locks, call.name, operation);
    for (const [resource, operation] of fenceOperations(call, tokens)) add(fences, resource, operation);
  }
  let [explained, unknown] = [0, 0];
  const impossible: string[] = [];
  const look = <State>(
    objects: ReadonlyMap<string, Operation<State>[]>,
    model: Parameters<typeof explain<State>>[1],
  ) => {
    for (const [name, operations] of objects) {
      const { kind, ...found } = explain(operations, model, 20_000);
      if (kind === 'explained') explained += 1;
      if (kind === 'unknown') unknown += 1;
      if (kind !== 'impossible') continue;
      const { order, stuck } = found as { order: readonly string[]; stuck: readonly string[] };
      impossible.push(
        `${name}: after "${order.slice(-3).join('", "')}" none of "${stuck.join('", "')}" can be`,
      );
    }
  };
  look(locks, models.lock);
  look(fences, models.fence);
  return { impossible, explained, unknown };
}

function add<Value>(objects: Map<string, Value[]>, name: string, value: Value): void {
  const known = objects.get(name) ?? [];
  objects.set(name, known);
  known.push(value);
}

function callOf(leaseId: string, calls: readonly Call[]): Call | undefined {
  const dot = leaseId.lastIndexOf('.');
  const [process, number] = [leaseId.slice(0, dot), Number(leaseId.slice(dot + 1))];
  return calls.find((call) => call.process === process && call.firstId < number && number <= call.lastId);
}

function* lockOperations(
  call: Call,
  tokens: ReadonlyMap<string, number>,
): Iterable<Operation<models.LockState>> {
  const { what, leaseId, sinceMs: fromMs, process } = call;
  const between = { fromMs, toMs: call.kind === 'call' ? call.atMs : never };
  const outcome = call.kind === 'call' ? call.outcome : 'nobody knows';
  // Lease ids that this call has made up and nobody was handed: perhaps granted, and given back some time.
  for (let number = call.firstId + 1; number <= call.lastId; number++) {
    const id = `${process}.${number}`;
    if (tokens.has(id) || outcome === 'UsageError') continue;
    yield models.perhapsGranted(fromMs, id);
    yield models.ended({ fromMs, toMs: never }, id, true);
  }
  const unsure = outcome === 'nobody knows' || /StoreError|Abort|Timeout/.test(outcome);
  if (underLease.has(what) && outcome === 'ok') yield models.worked(between, leaseId!, what);
  if (what === 'release' && outcome === 'released') yield models.ended(between, leaseId!);
  if (what === 'complete' && outcome === 'ok') yield models.completed(between, leaseId!);
  if (what === 'reopen' && outcome === 'ok') yield models.reopened(between);
  if (what === 'reopen' && unsure) yield models.reopened({ fromMs, toMs: never }, true);
  const other = call.kind === 'call' ? call.otherLeaseId : undefined;
  if (what === 'break' && other !== undefined && (outcome === 'ok' || unsure))
    yield models.ended({ fromMs, toMs: never }, other, true);
  if (outcome === 'AlreadyCompletedError' && !what.startsWith('complete'))
    yield models.foundCompleted(between);
}

/** Resources whose fence stays: a deletion takes it along. */
const fenced = new Set(['data', 'documents', 'accounts', 's3', 'sql']);

function* fenceOperations(
  call: Call,
  tokens: ReadonlyMap<string, number>,
): Iterable<readonly [string, Operation<number>]> {
  const { touches = [], name, leaseId, sinceMs: fromMs } = call;
  const token = tokens.get(leaseId ?? '');
  if (token === undefined) return;
  const outcome = call.kind === 'call' ? call.outcome : 'nobody knows';
  const between = { fromMs, toMs: call.kind === 'call' ? call.atMs : never };
  for (const resource of touches.filter((one) => fenced.has(one))) {
    const object = `${resource}/${name}`;
    if (outcome === 'ok') yield [object, models.wrote(between, token)];
    else if (outcome === 'StaleTokenError') {
      // Of several writes together any may be the stale one.
      if (touches.length === 1) yield [object, models.refused(between, token)];
    } else if (!/UsageError|LockLost|TransactionCanceled/.test(outcome))
      yield [object, models.wrote({ fromMs, toMs: never }, token, true)];
  }
}
