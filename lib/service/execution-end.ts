import * as v from 'valibot';
import { StoreError } from '../errors/index.js';
import type { LeaseItem } from '../lease/index.js';
import { groupOfExecution, heldNames, isExecutionItem, ownerAttribute } from './execution-group.js';
import { executionAttributes, findExecution, holderHasEnded } from './execution-watch.js';
import { execution } from './fields.js';

import type { ServiceHost } from './service-host.js';

/** An event of EventBridge, as far as the service reads it. */
interface StatusChange {
  readonly source: 'aws.states';
  readonly detail: { readonly executionArn: string };
}

/** The names of the locks that an execution held and that are free now. */
export interface FreedLocks {
  readonly ok: true;
  readonly released: readonly string[];
}

/** Whether the event is EventBridge's: the status of an execution has changed. */
export function isStatusChange(event: unknown): event is StatusChange {
  const { source, detail } = (event ?? {}) as {
    source?: unknown;
    detail?: { executionArn?: unknown } | null;
  };
  return source === 'aws.states' && v.is(execution, detail?.executionArn);
}

/**
 * Releases what the execution holds, if it has ended. Step Functions is asked, whatever the event says: whoever may
 * invoke the function could make one up. Each release names exactly the lease that was read.
 *
 * @throws StoreError when the table can't be used, or when Step Functions does not know of the end yet (its answers lag)
 *   or can't be asked: the event is then delivered again
 */
export async function endExecution(
  host: ServiceHost,
  { detail: { executionArn } }: StatusChange,
  signal: AbortSignal,
): Promise<FreedLocks> {
  const { store, clock } = host.context;
  const released: string[] = [];
  const stillHeld: string[] = [];
  await store.ensureTime(signal);
  for await (const items of heldBy(host, executionArn, signal)) {
    for (const item of items) {
      if (findExecution(item) !== executionArn) continue;
      if (!(await holderHasEnded(host.executions, item, clock.now().earliest, signal))) {
        stillHeld.push(item.name);
        continue;
      }
      const lease = { name: item.name, leaseId: item.leaseId! };
      // Marked as a break: states that go on after a redrive find out at their section's end.
      const change = {
        set: { brokenLeaseId: lease.leaseId },
        remove: [...executionAttributes, ownerAttribute],
      };
      const outcome = await store.release(lease, change, signal);
      const isFree = outcome.kind === 'done' || (outcome.kind === 'lost' && outcome.reason === 'broken');
      if (isFree) released.push(item.name);
    }
  }
  if (stillHeld.length > 0) throw notEndedYet(executionArn, stillHeld);
  return { ok: true, released };
}

/** The locks in the execution's own group, and those that stand in groups of their own, page by page. */
async function* heldBy(
  { context: { store }, isAllowed }: ServiceHost,
  executionArn: string,
  signal: AbortSignal,
): AsyncIterable<readonly LeaseItem[]> {
  const only = (name: string) => isAllowed(name) || isExecutionItem(name);
  for await (const page of store.list(groupOfExecution(executionArn), signal, { only })) {
    const items = page as readonly LeaseItem[];
    yield items.filter((item) => !isExecutionItem(item.name));
    for (const own of items.filter((item) => isExecutionItem(item.name))) {
      // Noted by a service that may do more: this one's role reaches only its own names.
      for (const name of heldNames(own).filter(isAllowed)) {
        const item = await store.read(name, undefined, signal);
        if (item) yield [item];
      }
    }
  }
}

function notEndedYet(execution: string, names: readonly string[]): StoreError {
  const message = `Step Functions does not say that ${execution} has ended; it holds ${names.length} locks`;
  return new StoreError(message, names[0], { retryable: true, mayHaveApplied: false });
}
