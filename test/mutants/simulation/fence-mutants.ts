import { mutantsOf } from './mutant.js';

/** Section 7: what a resource demands. */
export const fenceMutants = [
  ...mutantsOf('lock', 'lib/fence/fence-condition.ts', [
    [
      'fence: DynamoDB refuses an older token',
      'const notOvertaken = `${fence} <= ${token}`;',
      'const notOvertaken = `${fence} <= ${token} OR ${fence} > ${token}`;',
    ],
    [
      'fence: a write leaves its token behind',
      'const setFence = `SET ${fence} = ${token}`;',
      'const setFence = `SET ${fence} = if_not_exists(${fence}, ${token})`;',
    ],
    [
      'fence: equal tokens are one holder',
      'const notOvertaken = `${fence} <= ${token}`;',
      'const notOvertaken = `${fence} < ${token}`;',
    ],
  ]),
  ...mutantsOf('lock', 'lib/fence/guard-transaction.ts', [
    [
      'fence: a held-check demands this very lease',
      "ConditionExpression: '#leaseId = :leaseholdLeaseId',",
      "ConditionExpression: '#leaseId = :leaseholdLeaseId OR attribute_exists(#leaseId) OR attribute_not_exists(#leaseId)',",
    ],
    [
      'fence: a transaction guards its parts',
      'const guarded = own.map((item) => guardedItem(lease, item, options));',
      'const guarded = [...own];',
    ],
  ]),
  ...mutantsOf('lock', 'lib/fence/guard-sql.ts', [
    [
      'fence: SQL refuses an older token',
      'where: `(${column} IS NULL OR ${column} <= ${options.placeholder})`',
      "where: 'TRUE'",
    ],
    ['fence: no row changed means stale', 'if (!rowCount) throw', 'if (rowCount === null) throw'],
  ]),
  ...mutantsOf('lock', 'lib/fence/s3/guard-s3.ts', [
    [
      'fence: S3’s guard compares tokens',
      'if (seen?.token !== undefined && seen.token > lease.token) throw',
      'if (seen?.token !== undefined && seen.token > lease.token + 1e12) throw',
    ],
    [
      'fence: S3’s guard puts over what it has compared with',
      "const unchanged = seen ? { IfMatch: seen.etag } : { IfNoneMatch: '*' };",
      'const unchanged = {};',
    ],
  ]),
];
