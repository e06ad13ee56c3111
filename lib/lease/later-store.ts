import { TableLines } from '../kit/line-store.js';
import type { Paging, StoredItem } from '../table/index.js';
import type { GrantRequest, GrantWrite } from './acquire-request.js';
import type { HolderOutcome, LeaseIdentity } from './holder-requests.js';
import { requestBreak, requestCompletion, requestLettingGo, requestReopening } from './later-requests.js';
import type { TableContext } from './lease-context.js';
import type { Completion, LeaseStore } from './lease-store.js';
import { parseLeaseItem } from './parse-item.js';
import { afterGrant, afterRelease, afterRenewal } from './refused-writes.js';
import { type ResumeOutcome, type ResumeRequest, requestResumption } from './resume-request.js';

// In one part with what a lease can do besides: one load.
export { leaseCalls } from './lease-ends.js';

/** The operations over a table that a plain lock does not need. */
export type LaterStore = Pick<
  LeaseStore,
  | 'resume'
  | 'complete'
  | 'break'
  | 'requestRelease'
  | 'reopen'
  | 'read'
  | 'readMany'
  | 'list'
  | 'readLine'
  | 'joinLine'
  | 'leaveLine'
>;

/** As {@link LeaseStore} says of each, straight in a table. */
export function laterStore(context: TableContext) {
  const { table } = context;
  const lines = new TableLines(table);
  async function* members(group: string, signal: AbortSignal | undefined, paging: Paging | undefined) {
    for await (const all of table.namesInGroup(group, signal, paging)) {
      const names = paging?.only ? all.filter(paging.only) : all;
      if (names.length === 0) continue;
      const items = await table.getMany(names, signal);
      const byName = new Map(items.map((item) => [item.name, item]));
      yield names.map((name) => byName.get(name)).filter((item) => item !== undefined);
    }
  }
  const store: LaterStore = {
    resume: (request: ResumeRequest, signal?: AbortSignal): Promise<ResumeOutcome> =>
      requestResumption(context, request, signal),
    complete: (
      lease: LeaseIdentity,
      completion: Completion,
      signal?: AbortSignal,
    ): Promise<HolderOutcome> => {
      const { result, change, retainMs } = completion;
      return requestCompletion(context, lease, result, change, signal, retainMs);
    },
    break: (lease, signal) => requestBreak(context, lease, signal),
    requestRelease: (lease, reason, signal) => requestLettingGo(context, lease, reason, signal),
    reopen: (name, completedAt, signal) => requestReopening(context, name, completedAt, signal),
    read: async (name, _leaseId, signal) => {
      const stored = await table.get(name, signal);
      return stored && parseLeaseItem(name, stored);
    },
    readMany: async (names, signal) => {
      const items = new Map((await table.getMany(names, signal)).map((item) => [item.name, item]));
      return names.map((name) => {
        const stored = items.get(name);
        return stored && parseLeaseItem(name, stored);
      });
    },
    readLine: (name, signal) => lines.readLine(name, signal),
    joinLine: (name, ticket, signal) => lines.joinLine(name, ticket, signal),
    leaveLine: (name, ticket, signal) => lines.leaveLine(name, ticket, signal),
    list: (group, signal, paging): AsyncIterable<readonly StoredItem[]> =>
      group === undefined ? table.scan(signal, paging) : members(group, signal, paging),
  };
  return {
    ...store,
    afterGrant: (request: GrantRequest, first: GrantWrite, signal?: AbortSignal) =>
      afterGrant(context, request, first, signal),
    afterRenewal,
    afterRelease,
  };
}
