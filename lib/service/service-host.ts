import { UsageError } from '../errors/index.js';
import type { LeaseContext } from '../lease/index.js';
import type { NameRule } from './allowed-names.js';
import type { ShownTime } from './answer.js';
import { isExecutionItem, isReservedGroup } from './execution-group.js';
import type { ExecutionWatch } from './execution-watch.js';

/** What the operations of a service work with. */
export interface ServiceHost {
  /** Of a client with a table: the service has the store clock that its callers lack. */
  readonly context: LeaseContext;
  readonly isAllowed: NameRule;
  /** Whether callers may put locks into a group. */
  readonly isAllowedGroup: NameRule;
  /** Whether it does what operators may, and shows everybody's lease ids. */
  readonly operates: boolean;
  /** The longest lease that a caller may ask for, in milliseconds; an execution's may be longer. */
  readonly maxLeaseMs: number;
  /** Absent: a lock that an execution holds is held like any other. */
  readonly executions: ExecutionWatch | undefined;
}

/** @throws UsageError unless callers of this deployment may use the name */
export function checkAllowed({ isAllowed }: ServiceHost, name: string): void {
  if (isAllowed(name) && !isExecutionItem(name)) return;
  throw new UsageError(
    `name: ${JSON.stringify(name)} is not among the names that this service is deployed for`,
    name,
    {
      code: 'NOT_ALLOWED',
    },
  );
}

/**
 * A lock in somebody else's group, as a scan's slices are, would be taken for one of theirs.
 *
 * @throws UsageError unless callers of this deployment may put locks into the group
 */
export function checkAllowedGroup({ isAllowedGroup }: ServiceHost, group: string, name: string): void {
  if (isAllowedGroup(group) && !isReservedGroup(group)) return;
  throw new UsageError(
    `group: ${JSON.stringify(group)} is not among the groups that this service is deployed for`,
    name,
    { code: 'NOT_ALLOWED' },
  );
}

/** Store time as an answer tells it: whole milliseconds, never narrower than what is known. */
export function shownTime({ clock }: Pick<LeaseContext, 'clock'>): ShownTime {
  const { earliest, latest } = clock.now();
  return { earliest: Math.floor(earliest), latest: Math.ceil(latest) };
}

/** How long a lease still runs, by the latest that it may be now. */
export function remainingMs(expiresAt: number | undefined, now: ShownTime): number {
  return Math.max(0, (expiresAt ?? 0) - now.latest);
}
