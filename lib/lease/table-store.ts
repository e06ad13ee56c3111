import type { ItemChange, Paging, StoredItem } from '../table/index.js';
import { type GrantOutcome, type GrantRequest, requestGrant } from './acquire-request.js';
import {
  type HolderOutcome,
  type LeaseIdentity,
  requestBreak,
  requestCompletion,
  requestLettingGo,
  requestRelease,
  requestRenewal,
  requestReopening,
} from './holder-requests.js';
import { ensureStoreTime, type TableContext } from './lease-context.js';
import { type LeaseItem, parseLeaseItem } from './lease-item.js';
import type { Completion, LeaseStore } from './lease-store.js';
import { type ResumeOutcome, type ResumeRequest, requestResumption } from './resume-request.js';

/** Leases straight in a table: each operation is its one conditional write or read, by the client's own store clock. */
export class TableStore implements LeaseStore {
  readonly takesChanges = true;
  readonly #context: TableContext;

  constructor(context: TableContext) {
    this.#context = context;
  }

  grant(request: GrantRequest, signal?: AbortSignal): Promise<GrantOutcome> {
    return requestGrant(this.#context, request, signal);
  }

  resume(request: ResumeRequest, signal?: AbortSignal): Promise<ResumeOutcome> {
    return requestResumption(this.#context, request, signal);
  }

  renew(lease: LeaseIdentity, expiresAt: number, change?: ItemChange, signal?: AbortSignal) {
    return requestRenewal(this.#context, lease, expiresAt, change, signal);
  }

  release(lease: LeaseIdentity, change?: ItemChange, signal?: AbortSignal): Promise<HolderOutcome> {
    return requestRelease(this.#context, lease, change, signal);
  }

  complete(lease: LeaseIdentity, completion: Completion, signal?: AbortSignal): Promise<HolderOutcome> {
    const { result, change, retainMs } = completion;
    return requestCompletion(this.#context, lease, result, change, signal, retainMs);
  }

  break(lease: LeaseIdentity, signal?: AbortSignal): Promise<HolderOutcome> {
    return requestBreak(this.#context, lease, signal);
  }

  requestRelease(lease: LeaseIdentity, reason: string, signal?: AbortSignal): Promise<boolean> {
    return requestLettingGo(this.#context, lease, reason, signal);
  }

  reopen(name: string, signal?: AbortSignal): Promise<boolean> {
    return requestReopening(this.#context, name, signal);
  }

  async read(name: string, _leaseId?: string, signal?: AbortSignal): Promise<LeaseItem | undefined> {
    const stored = await this.#context.table.get(name, signal);
    return stored && parseLeaseItem(name, stored);
  }

  async readMany(names: readonly string[], signal?: AbortSignal) {
    const items = new Map(
      (await this.#context.table.getMany(names, signal)).map((item) => [item.name, item]),
    );
    return names.map((name) => {
      const stored = items.get(name);
      return stored && parseLeaseItem(name, stored);
    });
  }

  list(
    group: string | undefined,
    signal?: AbortSignal,
    paging?: Paging,
  ): AsyncIterable<readonly StoredItem[]> {
    if (group === undefined) return this.#context.table.scan(signal, paging);
    return this.#members(group, signal, paging);
  }

  ensureTime(signal?: AbortSignal): Promise<void> {
    return ensureStoreTime(this.#context, signal);
  }

  async *#members(group: string, signal: AbortSignal | undefined, paging: Paging | undefined) {
    for await (const all of this.#context.table.namesInGroup(group, signal, paging)) {
      const names = paging?.only ? all.filter(paging.only) : all;
      if (names.length === 0) continue;
      const items = await this.#context.table.getMany(names, signal);
      const byName = new Map(items.map((item) => [item.name, item]));
      yield names.map((name) => byName.get(name)).filter((item) => item !== undefined);
    }
  }
}
