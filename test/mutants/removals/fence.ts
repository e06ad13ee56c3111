import type { Removal } from '../removal.js';

const fenceCondition = 'lib/fence/fence-condition.ts';
const guardTransaction = 'lib/fence/guard-transaction.ts';
const guardSql = 'lib/fence/guard-sql.ts';
const guardS3 = 'lib/fence/s3/guard-s3.ts';

/** What a resource demands (protocol, section 7). */
export const fenceRemovals: readonly Removal[] = [
  {
    name: 'fence: DynamoDB refuses an older token',
    file: fenceCondition,
    find: 'const notOvertaken = `${fence} <= ${token}`;',
    replace: 'const notOvertaken = `${fence} <= ${token} OR ${fence} > ${token}`;',
    noticedBy: [{ suite: 'lock' }, { suite: 'scan' }],
  },
  {
    name: 'fence: a write leaves its token behind',
    file: fenceCondition,
    find: 'const setFence = `SET ${fence} = ${token}`;',
    replace: 'const setFence = `SET ${fence} = if_not_exists(${fence}, ${token})`;',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'fence: equal tokens are one holder',
    file: fenceCondition,
    find: 'const notOvertaken = `${fence} <= ${token}`;',
    replace: 'const notOvertaken = `${fence} < ${token}`;',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'fence: a held-check demands this very lease',
    file: guardTransaction,
    find: "ConditionExpression: '#leaseId = :leaseholdLeaseId',",
    replace:
      "ConditionExpression: '#leaseId = :leaseholdLeaseId OR attribute_exists(#leaseId) OR attribute_not_exists(#leaseId)',",
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'fence: a transaction guards its parts',
    file: guardTransaction,
    find: 'const guarded = own.map((item) => guardedItem(lease, item, options));',
    replace: 'const guarded = [...own];',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'fence: SQL refuses an older token',
    file: guardSql,
    find: 'where: `(${column} IS NULL OR ${column} <= ${options.placeholder})`',
    replace: "where: 'TRUE'",
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'fence: no row changed means stale',
    file: guardSql,
    find: 'if (!rowCount) throw',
    replace: 'if (rowCount === null) throw',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'fence: S3’s guard compares tokens',
    file: guardS3,
    find: 'if (seen?.token !== undefined && seen.token > lease.token) throw',
    replace: 'if (seen?.token !== undefined && seen.token > lease.token + 1e12) throw',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'fence: S3’s guard puts over what it has compared with',
    file: guardS3,
    find: "const unchanged = seen ? { IfMatch: seen.etag } : { IfNoneMatch: '*' };",
    replace: 'const unchanged = {};',
    noticedBy: [{ suite: 'lock' }],
  },
];
