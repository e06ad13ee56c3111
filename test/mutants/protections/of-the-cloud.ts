import type { Protection } from './protection.js';

/** What the sweeper may delete, what roles may do, and which tables can hold locks at all. */
export const ofTheCloud: readonly Protection[] = [
  {
    id: 'sweep-ttl-condition',
    what: 'a lock that is taken between the reading of its item and the delete is spared',
    file: 'lib/table/sweep/expired-items.ts',
    find: "const conditions = ['#ttl < :ttlBefore'];",
    replace: "const conditions = ['(attribute_exists(#ttl) OR :ttlBefore = :ttlBefore)'];",
    test: {
      file: 'test/engine/table/sweep-leases.test.ts',
      name: 'spares an item whose lock is taken after it was read, and a late duplicate of the delete changes nothing',
    },
  },
  {
    id: 'sweep-used-before',
    what: 'a lease or a completion of the last day is spared, whatever ttl says',
    file: 'lib/table/sweep/expired-items.ts',
    find: "for (const moment of ['#expiresAt', '#completedAt']) {",
    replace: 'for (const moment of [] as string[]) {',
    test: { file: 'test/engine/table/sweep-leases.test.ts', name: 'deletes nothing else' },
  },
  {
    id: 'sweep-a-day-old',
    what: 'the last lease ended a day ago before its item goes',
    file: 'lib/table/sweep/sweep-leases.ts',
    find: 'usedBefore: nowMs - defaults.minRetentionMs',
    replace: 'usedBefore: nowMs - 0 * defaults.minRetentionMs',
    test: { file: 'test/engine/table/sweep-leases.test.ts', name: 'deletes nothing else' },
  },
  {
    id: 'sweep-earliest-time',
    what: 'the uncertainty of the time counts for the item',
    file: 'lib/table/sweep/sweep-leases.ts',
    find: 'const nowMs = takeoverBefore(locks.context);',
    replace: 'const nowMs = locks.context.clock.now().latest + 0 * takeoverBefore(locks.context) + 1_000;',
    test: { file: 'test/engine/table/sweep-leases.test.ts', name: 'deletes nothing else' },
  },
  {
    id: 'sweep-place',
    what: 'a sweep keeps the place where it got to',
    file: 'lib/table/sweep/sweep-leases.ts',
    find: 'if (after !== undefined) await lease.save({ after });',
    replace: '',
    test: {
      file: 'test/engine/table/sweep-leases.test.ts',
      name: 'that fails has kept its place of the last full page',
    },
  },
  {
    id: 'grant-absent-keys',
    what: 'a request that names no key is within no grant',
    file: 'lib/cdk/table/lease-statements.ts',
    find: "Null: { 'dynamodb:LeadingKeys': 'false' },",
    replace: '',
    test: {
      file: 'test/process/iam/lease-table-grants.test.ts',
      name: 'denies what names no key at all, of which "all keys" would be true',
    },
  },
  {
    id: 'grant-all-keys',
    what: 'a batch with one name outside the grant is denied',
    file: 'lib/cdk/table/lease-statements.ts',
    find: "'ForAllValues:StringLike': {",
    replace: "'ForAnyValue:StringLike': {",
    test: {
      file: 'test/process/iam/lease-table-grants.test.ts',
      name: 'denies a batch in which one name lies outside',
    },
  },
  {
    id: 'grant-groups',
    what: "another team's group can't be listed",
    file: 'lib/cdk/table/lease-statements.ts',
    find: '...(groups && { conditions: onlyKeys(groups) }),',
    replace: '',
    test: {
      file: 'test/process/iam/lease-table-grants.test.ts',
      name: "denies another team's group, and a group that only a name allows",
    },
  },
  {
    id: 'grant-ping',
    what: "a client's first request is within every grant",
    file: 'lib/cdk/table/lease-statements.ts',
    find: 'conditions: onlyKeys([pingName]) },',
    replace: "conditions: onlyKeys(['nothing']) },",
    test: {
      file: 'test/process/iam/lease-table-grants.test.ts',
      name: 'allows every request that a worker was recorded sending',
    },
  },
  {
    id: 'grant-escapes',
    what: 'characters that mean something to IAM stand for themselves in a name',
    file: 'lib/cdk/table/lease-statements.ts',
    find: 'patterns.map(iamPattern)',
    replace: 'patterns.map((pattern) => (iamPattern(pattern), pattern))',
    test: {
      file: 'test/process/iam/lease-table-grants.test.ts',
      name: 'takes characters that mean something to IAM for themselves',
    },
  },
  {
    id: 'replicas-at-synthesis',
    what: 'eventually consistent replicas are refused, however they were added',
    file: 'lib/cdk/table/lease-table.ts',
    find: 'validate: () => replicaProblems(table.node.defaultChild as CfnGlobalTable)',
    replace: 'validate: () => replicaProblems(table.node.defaultChild as CfnGlobalTable).slice(1)',
    test: {
      file: 'test/process/cdk/lease-replicas.test.ts',
      name: 'a replica that was added past the props, at synthesis',
    },
  },
];
