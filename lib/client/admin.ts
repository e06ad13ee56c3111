import { quoted, UsageError } from '../errors/index.js';
import { publish } from '../events/events.js';
import { readLineItem } from '../kit/line-store.js';
import type { LeaseContext } from '../lease/index.js';
import { type LockInfo, toLockInfo } from './lock-info.js';
import { checkGroupName, checkLockName } from './lock-name.js';

/** Every renewal's answer carries it. */
const maxReasonBytes = 256;

/** A lease as `inspect` or `leader` showed it. The lock service shows ids to operators only, and tokens to everybody. */
export interface ShownLease {
  readonly leaseId?: string | undefined;
  readonly token?: number | undefined;
}

/** What operators do with locks: look, force-release, reopen. */
export class Admin {
  readonly #context: LeaseContext;

  constructor(context: LeaseContext) {
    this.#context = context;
  }

  async inspect(name: string, signal?: AbortSignal): Promise<LockInfo | undefined> {
    checkLockName(name);
    await this.#context.store.ensureTime(signal);
    const item = await this.#context.store.read(name, undefined, signal);
    return item && toLockInfo(this.#context, item);
  }

  async inspectMany(
    names: readonly string[],
    signal?: AbortSignal,
    lockDelayMs?: number,
  ): Promise<readonly (LockInfo | undefined)[]> {
    await this.#context.store.ensureTime(signal);
    const { store } = this.#context;
    const [only] = names;
    // A part of a batch may go unread and be asked for again and again; one read is answered or refused.
    const isOne = names.length === 1 && only !== undefined;
    const items = isOne ? [await store.read(only, undefined, signal)] : await store.readMany(names, signal);
    return items.map((item) => item && toLockInfo(this.#context, item, lockDelayMs));
  }

  /** @param onLine is told of the lines of waiters that the listing comes across; that of a group comes across none */
  async *list(
    group: string | undefined,
    signal?: AbortSignal,
    onLine?: (name: string, inLine: number) => void,
  ): AsyncIterable<LockInfo> {
    if (group !== undefined) checkGroupName(group);
    await this.#context.store.ensureTime(signal);
    for await (const items of this.#context.store.list(group, signal)) {
      for (const item of items) {
        const line = onLine && readLineItem(item);
        if (line) onLine(line.name, line.inLine);
        const info = this.#ours(item);
        if (info) yield info;
      }
    }
  }

  async break(name: string, leaseId: string, signal?: AbortSignal): Promise<boolean> {
    checkLockName(name);
    if (typeof leaseId !== 'string' || leaseId === '') {
      throw new UsageError('break: name the lease id that inspect showed', name);
    }
    await this.#context.store.ensureTime(signal);
    const outcome = await this.#context.store.break({ name, leaseId }, signal);
    return outcome.kind === 'done';
  }

  async requestRelease(
    name: string,
    seen: string | ShownLease,
    reason: string,
    signal?: AbortSignal,
  ): Promise<boolean> {
    checkLockName(name);
    const { leaseId, token } = readSeen(name, seen);
    if (typeof reason !== 'string' || Buffer.byteLength(reason) > maxReasonBytes) {
      throw new UsageError(`reason: must be a text of at most ${maxReasonBytes} bytes`, name);
    }
    await this.#context.store.ensureTime(signal);
    const lease = { name, ...(leaseId !== undefined && { leaseId }), ...(token !== undefined && { token }) };
    const asked = await this.#context.store.requestRelease(lease, reason, signal);
    if (asked) publish('release-asked', { name, leaseId, token, reason });
    return asked;
  }

  async reopen(name: string, completedAt?: number, signal?: AbortSignal): Promise<boolean> {
    checkLockName(name);
    if (completedAt !== undefined && !(Number.isSafeInteger(completedAt) && completedAt > 0)) {
      const message = `completedAt: must be the time that inspect showed, got ${quoted(completedAt)}`;
      throw new UsageError(message, name);
    }
    await this.#context.store.ensureTime(signal);
    return this.#context.store.reopen(name, completedAt, signal);
  }

  /** A table that others use, too, can still be listed: what is not ours is passed over. */
  #ours(item: Parameters<typeof toLockInfo>[1]): LockInfo | undefined {
    try {
      return toLockInfo(this.#context, item);
    } catch (error) {
      if (error instanceof UsageError) return undefined;
      throw error;
    }
  }
}

/** @throws UsageError for what names no lease */
function readSeen(name: string, seen: string | ShownLease): ShownLease {
  const { leaseId, token } = typeof seen === 'string' ? { leaseId: seen } : (seen ?? {});
  const isNamed = typeof leaseId === 'string' && leaseId !== '';
  if (isNamed || (leaseId === undefined && Number.isSafeInteger(token))) {
    return { leaseId, ...(Number.isSafeInteger(token) && { token }) };
  }
  throw new UsageError(
    'requestRelease: name the lease that inspect showed, by its id or as it was shown',
    name,
  );
}
