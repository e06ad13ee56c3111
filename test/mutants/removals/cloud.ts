import type { Removal } from '../removal.js';

const expiredItems = 'lib/table/sweep/expired-items.ts';
const sweepLeasesTests = 'test/engine/table/sweep-leases.test.ts';
const sweepLeases = 'lib/table/sweep/sweep-leases.ts';
const leaseStatements = 'lib/cdk/table/lease-statements.ts';
const leaseTableGrantsTests = 'test/process/iam/lease-table-grants.test.ts';

/** What the sweeper may delete, what roles may do, and which tables can hold locks at all. */
export const cloudRemovals: readonly Removal[] = [
  {
    name: 'cloud: a lock that is taken between the reading of its item and the delete is spared',
    file: expiredItems,
    find: "const conditions = ['#ttl < :ttlBefore'];",
    replace: "const conditions = ['(attribute_exists(#ttl) OR :ttlBefore = :ttlBefore)'];",
    noticedBy: [
      {
        file: sweepLeasesTests,
        title:
          'spares an item whose lock is taken after it was read, and a late duplicate of the delete changes nothing',
      },
    ],
  },
  {
    name: 'cloud: a lease or a completion of the last day is spared, whatever ttl says',
    file: expiredItems,
    find: "for (const moment of ['#expiresAt', '#completedAt']) {",
    replace: 'for (const moment of [] as string[]) {',
    noticedBy: [{ file: sweepLeasesTests, title: 'deletes nothing else' }],
  },
  {
    name: 'sweep: one that fails has kept its place',
    file: sweepLeases,
    find: '    if (after !== undefined) await lease.save({ after });\n',
    replace: '',
    noticedBy: [{ file: sweepLeasesTests, title: 'that fails has kept its place of the last full page' }],
  },
  {
    name: 'sweep: one that ran out of time tells the next where to go on',
    file: sweepLeases,
    find: '{ set: { checkpoint: { after } } }',
    replace: "{ remove: ['checkpoint'] }",
    noticedBy: [
      {
        file: sweepLeasesTests,
        title: 'stops in time, and the next one goes on from there: every item is read once',
      },
    ],
  },
  {
    name: 'cloud: the last lease ended a day ago before its item goes',
    file: sweepLeases,
    find: 'usedBefore: nowMs - defaults.minRetentionMs',
    replace: 'usedBefore: nowMs - 0 * defaults.minRetentionMs',
    noticedBy: [{ file: sweepLeasesTests, title: 'deletes nothing else' }],
  },
  {
    name: 'cloud: the uncertainty of the time counts for the item',
    file: sweepLeases,
    find: 'const nowMs = takeoverBefore(locks.context);',
    replace: 'const nowMs = locks.context.clock.now().latest + 0 * takeoverBefore(locks.context) + 1_000;',
    noticedBy: [{ file: sweepLeasesTests, title: 'deletes nothing else' }],
  },
  {
    name: 'cloud: a sweep keeps the place where it got to',
    file: sweepLeases,
    find: 'if (after !== undefined) await lease.save({ after });',
    replace: '',
    noticedBy: [{ file: sweepLeasesTests, title: 'that fails has kept its place of the last full page' }],
  },
  {
    name: 'cloud: a request that names no key is within no grant',
    file: leaseStatements,
    find: "Null: { 'dynamodb:LeadingKeys': 'false' },",
    replace: '',
    noticedBy: [
      {
        file: leaseTableGrantsTests,
        title: 'denies what names no key at all, of which "all keys" would be true',
      },
    ],
  },
  {
    name: 'cloud: a batch with one name outside the grant is denied',
    file: leaseStatements,
    find: "'ForAllValues:StringLike': {",
    replace: "'ForAnyValue:StringLike': {",
    noticedBy: [{ file: leaseTableGrantsTests, title: 'denies a batch in which one name lies outside' }],
  },
  {
    name: "cloud: another team's group can't be listed",
    file: leaseStatements,
    find: '...(groups && { conditions: onlyKeys(groups.map(iamPattern)) }),',
    replace: '',
    noticedBy: [
      {
        file: leaseTableGrantsTests,
        title: "denies another team's group, and a group that only a name allows",
      },
    ],
  },
  {
    name: "cloud: a client's first request is within every grant",
    file: leaseStatements,
    find: 'conditions: onlyKeys([iamPattern(pingName)]) },',
    replace: "conditions: onlyKeys(['nothing']) },",
    noticedBy: [
      { file: leaseTableGrantsTests, title: 'allows every request that a worker was recorded sending' },
    ],
  },
  {
    name: 'cloud: characters that mean something to IAM stand for themselves in a name',
    file: leaseStatements,
    find: "checkedPatterns('names', scope.names)?.map(iamPattern)",
    replace: "checkedPatterns('names', scope.names)?.map((pattern) => (iamPattern(pattern), pattern))",
    noticedBy: [
      { file: leaseTableGrantsTests, title: 'takes characters that mean something to IAM for themselves' },
    ],
  },
  {
    name: 'cloud: who may use what hangs on a lock in the kit may use no other lock',
    file: leaseStatements,
    find: ' ?? (keys.length > 0 ? [] : undefined)',
    replace: '',
    noticedBy: [
      {
        file: leaseTableGrantsTests,
        title: 'allows no other names: neither the plain ones, nor permits past a hundred, nor all locks',
      },
    ],
  },
  {
    name: 'cloud: eventually consistent replicas are refused, however they were added',
    file: 'lib/cdk/table/lease-table.ts',
    find: '[...replicaProblems(cfn), ...policyProblems(cfn)]',
    replace: '[...policyProblems(cfn)]',
    noticedBy: [
      {
        file: 'test/process/cdk/lease-replicas.test.ts',
        title: 'a replica that was added past the props, at synthesis',
      },
    ],
  },
  {
    name: 'cloud: the functions go by a proxy that is set (D27)',
    file: 'lib/aws/sdk-requests.ts',
    find: 'if (!isProxySet(process.env) && !process.env.AWS_CA_BUNDLE) return timeOuts;',
    replace: 'if (requestTimeoutMs > 0) return timeOuts;',
    noticedBy: [
      {
        file: 'test/process/lambda/proxy.test.ts',
        title: 'D27 the lock service asks for its table there',
      },
    ],
  },
  {
    name: 'cloud: a name in NO_PROXY stands for all below it (D27)',
    file: 'lib/aws/proxy-for.ts',
    find: '|| name.endsWith(`.${below}`)',
    replace: '',
    noticedBy: [
      {
        file: 'test/unit/aws/proxy-for.test.ts',
        title: 'D27 past the proxy, or not, for NO_PROXY amazonaws.com',
      },
    ],
  },
];
