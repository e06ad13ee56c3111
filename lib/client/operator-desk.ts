import { UsageError } from '../errors/index.js';
import { ensureStoreTime, type LeaseContext, requestRelease, requestReopening } from '../lease/index.js';
import { type LockInfo, lockInfoOf } from './lock-info.js';
import { checkGroupName, checkLockName } from './lock-name.js';

/** What operators do with locks: look, force-release, reopen. */
export class OperatorDesk {
  readonly #context: LeaseContext;

  constructor(context: LeaseContext) {
    this.#context = context;
  }

  async inspect(name: string, signal?: AbortSignal): Promise<LockInfo | undefined> {
    checkLockName(name);
    await ensureStoreTime(this.#context, signal);
    const item = await this.#context.table.get(name, signal);
    return item && lockInfoOf(this.#context, item);
  }

  async *list(group: string | undefined, signal?: AbortSignal): AsyncIterable<LockInfo> {
    if (group !== undefined) checkGroupName(group);
    await ensureStoreTime(this.#context, signal);
    for await (const items of group === undefined
      ? this.#context.table.scan(signal)
      : this.#members(group, signal)) {
      for (const item of items) {
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
    await ensureStoreTime(this.#context, signal);
    const outcome = await requestRelease(this.#context, { name, leaseId }, undefined, signal);
    return outcome.kind === 'done';
  }

  async reopen(name: string, signal?: AbortSignal): Promise<boolean> {
    checkLockName(name);
    await ensureStoreTime(this.#context, signal);
    return requestReopening(this.#context, name, signal);
  }

  async *#members(group: string, signal: AbortSignal | undefined) {
    for await (const names of this.#context.table.namesInGroup(group, signal)) {
      yield await this.#context.table.getMany(names, signal);
    }
  }

  /** A table that others use, too, can still be listed: what is not ours is passed over. */
  #ours(item: Parameters<typeof lockInfoOf>[1]): LockInfo | undefined {
    try {
      return lockInfoOf(this.#context, item);
    } catch (error) {
      if (error instanceof UsageError) return undefined;
      throw error;
    }
  }
}
