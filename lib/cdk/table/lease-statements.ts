import { Token } from 'aws-cdk-lib';
import { groupIndexName, pingName } from '../../table/table-names.js';
import { type KitScope, kitKeys } from './kit-keys.js';
import type { LockScope } from './lease-table-props.js';
import { checkedPatterns, iamPattern } from './name-patterns.js';

/** A statement, before it is added to a grantee. */
export interface LeaseStatement {
  readonly actions: string[];
  readonly resourceArns: string[];
  readonly conditions?: Record<string, Record<string, unknown>>;
}

/** What is asked of the table's items, and whether groups are listed. */
export interface LeaseActions {
  /** By key: each action is one that names the keys of the items it touches. */
  readonly byKey: readonly string[];
  /** Added where groups may be listed: the names of a group come from the index, their items from a batch. */
  readonly byGroup?: readonly string[];
  /** Added where every name is allowed; the actions have no keys, so they can't be limited. */
  readonly wholeTable?: readonly string[];
}

/**
 * The statements of a grant. `dynamodb:LeadingKeys` are the partition keys that a request names, all of them in a
 * batch; those of a query on an index are the index's own, the group.
 *
 * @param tableArns the table's in each Region
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
 * @throws Error if a name or a group is not in the form that {@link checkedPatterns} allows
 */
export function leaseStatements(
  tableArns: readonly string[],
  scope: LockScope & KitScope,
  actions: LeaseActions,
): LeaseStatement[] {
  const keys = kitKeys(scope);
  const names = checkedPatterns('names', scope.names)?.map(iamPattern) ?? (keys.length > 0 ? [] : undefined);
  const groups = checkedPatterns('groups', scope.groups);
  const lists = groups !== undefined || names === undefined;
  // All permits of a semaphore are looked at in one batch. Only deployment may know whether the names cover any; a batch
  // reads no items but those that could be read one by one.
  const batches = keys.length > 0 || Token.isUnresolved(scope.names) ? ['dynamodb:BatchGetItem'] : [];
  const all = [...actions.byKey, ...batches, ...(lists ? (actions.byGroup ?? []) : [])];
  const resourceArns = [...tableArns];
  const statements: LeaseStatement[] = [];
  if (names === undefined) {
    statements.push({ actions: [...new Set([...all, ...(actions.wholeTable ?? [])])], resourceArns });
  } else {
    statements.push(
      { actions: [...new Set(all)], resourceArns, conditions: onlyKeys([...new Set([...names, ...keys])]) },
      // The first request of a client reads this item for the time of the response; it holds nothing.
      { actions: ['dynamodb:GetItem'], resourceArns, conditions: onlyKeys([iamPattern(pingName)]) },
    );
  }
  if (lists) {
    statements.push({
      actions: ['dynamodb:Query'],
      resourceArns: tableArns.map((arn) => `${arn}/index/${groupIndexName}`),
      ...(groups && { conditions: onlyKeys(groups.map(iamPattern)) }),
    });
  }
  return statements;
}

/**
 * "All of the values" is true of no values, too: a request that names no key must not pass.
 *
 * @param patterns in IAM's own form
 */
function onlyKeys(patterns: readonly string[]): Record<string, Record<string, unknown>> {
  return {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns },
    Null: { 'dynamodb:LeadingKeys': 'false' },
  };
}
