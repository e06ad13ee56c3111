import { UsageError } from '../errors/index.js';
import type { LeaseContext } from '../lease/index.js';
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

/** Whether callers of a deployment may use a name. */
type NameRule = (name: string) => boolean;

/**
 * @param patterns exact names, or beginnings that end in `*`; absent: all names are allowed
 * @throws UsageError for a pattern with a `*` elsewhere, or an empty one
 */
export function nameRule(patterns: readonly string[] | undefined): NameRule {
  if (patterns === undefined) return () => true;
  for (const pattern of patterns) {
    const star = pattern.indexOf('*');
    if (pattern === '' || (star >= 0 && star !== pattern.length - 1)) {
      throw new UsageError(
        `names: a pattern must be a name, or end in its only *; got ${JSON.stringify(pattern)}`,
      );
    }
  }
  const exact = new Set(patterns.filter((pattern) => !pattern.endsWith('*')));
  const beginnings = patterns
    .filter((pattern) => pattern.endsWith('*'))
    .map((pattern) => pattern.slice(0, -1));
  return (name) => exact.has(name) || beginnings.some((beginning) => name.startsWith(beginning));
}
