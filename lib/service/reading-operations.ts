import { type LockInfo, toLockInfo } from '../client/lock-info.js';
import { UsageError } from '../errors/index.js';
import { publish } from '../events/events.js';
import type { LeaseItem } from '../lease/index.js';
import type { StoredItem } from '../table/index.js';
import type { ShownTime } from './answer.js';
import type { ShownLock, SuccessOf } from './answers.js';
import { isExecutionItem } from './execution-group.js';
import { findExecution } from './execution-watch.js';
import { toJson } from './json-value.js';
import type { RequestOf } from './requests.js';
import { remainingMs, type ServiceHost, shownTime } from './service-host.js';

const defaultListed = 100;

/** Lambda answers at most 6 MB. */
const maxPageBytes = 4_000_000;

/** Who holds the lock, in one strongly consistent read. */
export async function inspect(
  host: ServiceHost,
  { name, leaseId }: RequestOf<'inspect'>,
  signal: AbortSignal,
): Promise<SuccessOf<'inspect'>> {
  const { context } = host;
  await context.store.ensureTime(signal);
  const item = await context.store.read(name, leaseId, signal);
  const now = shownTime(context);
  return { ok: true, lock: item ? shownLock(host, item, now, leaseId) : null, now };
}

/** Many locks in one strongly consistent batch read, in the order of the names: who holds, not what they have written. */
export async function readMany(
  host: ServiceHost,
  { names }: RequestOf<'readMany'>,
  signal: AbortSignal,
): Promise<SuccessOf<'readMany'>> {
  const { context } = host;
  await context.store.ensureTime(signal);
  const items = await context.store.readMany(names, signal);
  const now = shownTime(context);
  const locks = items.map((item) => {
    if (!item) return null;
    const { checkpoint: _, result: __, ...rest } = item;
    return shownLock(host, rest, now);
  });
  return { ok: true, locks, now };
}

/** A page of locks: those of a group, or all; names that are not this deployment's are passed over. */
export async function list(
  host: ServiceHost,
  { group, limit = defaultListed, cursor }: RequestOf<'list'>,
  signal: AbortSignal,
): Promise<SuccessOf<'list'>> {
  const { context } = host;
  await context.store.ensureTime(signal);
  const locks: ShownLock[] = [];
  let bytes = 0;
  const page = { pageSize: limit, only: host.isAllowed, ...(cursor !== undefined && { after: cursor }) };
  for await (const items of context.store.list(group, signal, page)) {
    for (const item of items) {
      if (typeof item.name !== 'string' || !host.isAllowed(item.name) || isExecutionItem(item.name)) continue;
      const lock = ours(host, item);
      if (!lock) continue;
      bytes += Buffer.byteLength(JSON.stringify(lock));
      const isFull = locks.length === limit || (locks.length > 0 && bytes > maxPageBytes);
      if (isFull) return { ok: true, locks, cursor: locks.at(-1)!.name, now: shownTime(context) };
      locks.push(lock);
    }
  }
  return { ok: true, locks, now: shownTime(context) };
}

/** A table that others use, too, can still be listed. */
function ours(host: ServiceHost, item: StoredItem): ShownLock | undefined {
  try {
    return shownLock(host, item, shownTime(host.context));
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/** @param knownLeaseId the caller's own, which is no secret to it */
function shownLock(host: ServiceHost, item: StoredItem, now: ShownTime, knownLeaseId?: string): ShownLock {
  const info = toLockInfo(host.context, item);
  const { leaseId } = info;
  const showsLeaseId = leaseId !== undefined && (host.operates || leaseId === knownLeaseId);
  return {
    name: info.name,
    state: info.state,
    token: info.token,
    remainingMs: remainingMs(info.expiresAt ?? info.freeFrom, now),
    ...present('group', info),
    ...present('owner', info),
    ...present('acquiredAt', info),
    ...present('expiresAt', info),
    ...present('freeFrom', info),
    ...present('releaseRequested', info),
    ...present('renewals', info),
    ...present('completedAt', info),
    ...(showsLeaseId && { leaseId }),
    ...defined('execution', findExecution(item as LeaseItem)),
    ...defined('checkpoint', toJson(info.checkpoint)),
    ...defined('result', toJson(info.result)),
  };
}

function present<Key extends keyof LockInfo>(key: Key, info: LockInfo) {
  return defined(key, info[key]);
}

function defined<Key extends string, Value>(key: Key, value: Value | undefined) {
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: Value };
}

/** The tickets of who waits in line for a lock, first come first, those past their deadline among them. */
export async function line(
  { context }: ServiceHost,
  { name }: RequestOf<'line'>,
  signal: AbortSignal,
): Promise<SuccessOf<'line'>> {
  await context.store.ensureTime(signal);
  const tickets = await context.store.readLine(name, signal);
  return {
    ok: true,
    tickets: tickets.map(({ id, deadline }) => ({ id, deadline })),
    now: shownTime(context),
  };
}

/** Appends a ticket, once: the same request, sent again, finds it. */
export async function joinLine(
  { context }: ServiceHost,
  { name, ticketId, deadline }: RequestOf<'joinLine'>,
  signal: AbortSignal,
): Promise<SuccessOf<'joinLine'>> {
  await context.store.ensureTime(signal);
  await context.store.joinLine(name, { id: ticketId, deadline }, signal);
  return { ok: true, joined: true, now: shownTime(context) };
}

/** Takes a ticket out; one that is not there is out. */
export async function leaveLine(
  { context }: ServiceHost,
  { name, ticketId }: RequestOf<'leaveLine'>,
  signal: AbortSignal,
): Promise<SuccessOf<'leaveLine'>> {
  await context.store.ensureTime(signal);
  await context.store.leaveLine(name, { id: ticketId }, signal);
  return { ok: true, left: true, now: shownTime(context) };
}

/** Asks the holder of the lease that was seen to let go; it learns of it with its next renewal. */
export async function requestRelease(
  { context }: ServiceHost,
  { name, leaseId, token, reason = '' }: RequestOf<'requestRelease'>,
  signal: AbortSignal,
): Promise<SuccessOf<'requestRelease'>> {
  await context.store.ensureTime(signal);
  const seen = { name, ...(leaseId !== undefined && { leaseId }), ...(token !== undefined && { token }) };
  const asked = await context.store.requestRelease(seen, reason, signal);
  if (asked) publish('release-asked', { name, leaseId, token, reason });
  return { ok: true, asked, now: shownTime(context) };
}
