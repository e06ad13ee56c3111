import type { Removal } from '../removal.js';

const lockedDownTests = 'test/process/cdk/locked-down.test.ts';
const tokenTests = 'test/process/cdk/token-props.test.ts';
const serviceTests = 'test/process/cdk/lock-service.test.ts';
const namesInList =
  'D28: reach the names of a list that only deployment knows, also in batches, and no line by itself';
const watchedList = 'D28: a list that only deployment knows is refused where executions are watched';
const demandedGrant = 'lib/cdk/functions/demanded-grant.ts';
const grantsOfScans = '%s: nor are the grants of a scan that is deployed elsewhere dropped';

/** What constructs see to before a deployment would find it out. */
export const constructsRemovals: readonly Removal[] = [
  {
    name: 'constructs: a rule’s pattern has a limit (D30)',
    file: 'lib/cdk/service/watched-executions.ts',
    find: 'const maxPatternChars = 2_048;',
    replace: 'const maxPatternChars = Number.POSITIVE_INFINITY;',
    noticedBy: [
      {
        file: lockedDownTests,
        title: '15 state machines take several rules, each within the limit of a pattern',
      },
    ],
  },
  {
    name: 'constructs: a table that lies elsewhere is told by its ARN (D25)',
    file: 'lib/cdk/table/lease-table-base.ts',
    find: 'return same(account, table.env.account) && same(region, table.env.region)',
    replace: 'return same(account, account) && same(region, region)',
    noticedBy: [
      {
        file: lockedDownTests,
        title: 'the functions of every construct are told the ARN of a table of another account or Region',
      },
    ],
  },
  {
    name: 'constructs: a role that exists gets no policy of ours (D35)',
    file: 'lib/cdk/service/watched-executions.ts',
    find: 'props.roles.filter((role) => role.node.defaultChild instanceof CfnRole);',
    replace: 'props.roles.filter((role) => role.node.defaultChild instanceof CfnRole || role !== undefined);',
    noticedBy: [
      { file: lockedDownTests, title: 'D35: with roles that exist there is no IAM resource in the template' },
    ],
  },
  {
    name: 'constructs: a bucket is followed to its Region (D24)',
    file: 'lib/scan/listing/s3-requests.ts',
    find: '{ followRegionRedirects: true }',
    replace: '{ followRegionRedirects: false }',
    noticedBy: [
      { file: 'test/process/lambda/bucket-elsewhere.test.ts', title: 'is followed by the functions' },
    ],
  },
  {
    name: 'constructs: no lines are granted of names in a list that only deployment knows (D28)',
    file: 'lib/cdk/service/lock-service.ts',
    find: 'names && !Token.isUnresolved(names) && {',
    replace: 'names && {',
    noticedBy: [{ file: serviceTests, title: namesInList }],
  },
  {
    name: 'constructs: names in a list that only deployment knows can be read in batches (D28)',
    file: 'lib/cdk/table/lease-statements.ts',
    find: 'keys.length > 0 || Token.isUnresolved(scope.names) ?',
    replace: 'keys.length > 0 ?',
    noticedBy: [{ file: serviceTests, title: namesInList }],
  },
  {
    name: 'constructs: no keys are made of a list that only deployment knows (D28)',
    file: 'lib/cdk/table/lease-statements.ts',
    find: "  checkKnown(scope, ['semaphores', 'readWriteLocks', 'fairLocks']);\n",
    replace: '',
    noticedBy: [{ file: tokenTests, title: 'semaphores that only deployment knows (%s) is refused' }],
  },
  {
    name: 'constructs: no executions are watched for names in a list that only deployment knows (D28)',
    file: 'lib/cdk/service/lock-service.ts',
    find: "    checkKnown(this.#props, ['names']);\n",
    replace: '',
    noticedBy: [{ file: serviceTests, title: watchedList }],
  },
  {
    name: 'constructs: the stack names its own option where executions are watched (D28)',
    file: 'lib/cdk/stack/leasehold-stack-props.ts',
    find: "  if (props.watchExecutions?.length) checkKnown(props, ['lockNames']);\n",
    replace: '',
    noticedBy: [{ file: serviceTests, title: watchedList }],
  },
  {
    name: 'constructs: a list that only deployment knows is written as one (D28)',
    file: 'lib/cdk/service/lock-service-function.ts',
    find: 'return Token.isUnresolved(texts) ?',
    replace: 'return Token.isUnresolved(texts.length) ?',
    noticedBy: [{ file: tokenTests, title: 'names that only deployment knows (%s) passes' }],
  },
  {
    name: 'constructs: what decides what is made must be known (D28)',
    file: 'lib/cdk/functions/known.ts',
    find: 'if (!Token.isUnresolved(value) && ',
    replace: 'if (!Token.isUnresolved(names.length) && ',
    noticedBy: [{ file: tokenTests, title: 'operators that only deployment knows (%s) is refused' }],
  },
  {
    name: 'constructs: a principal whose policies can’t be written has its statement in the table’s (D29)',
    file: 'lib/cdk/table/lease-table-base.ts',
    find: 'if (grant.success && !dropsStatements(grantee)) return grant;',
    replace: 'if (grant.success) return grant;',
    noticedBy: [{ file: lockedDownTests, title: '%s: the statement stands in the policy of the table' }],
  },
  {
    name: 'constructs: a grant that CDK drops is an error (D29)',
    file: demandedGrant,
    find: ' && !(dropsStatements(grantee) && grant.resourceStatement === undefined)',
    replace: '',
    noticedBy: [{ file: lockedDownTests, title: grantsOfScans }],
  },
  {
    name: 'constructs: a role that is not to be changed gets no statement (D29)',
    file: demandedGrant,
    find: "if ('addGrantsToResources' in principal) return true;",
    replace: '',
    noticedBy: [{ file: lockedDownTests, title: grantsOfScans }],
  },
  {
    name: 'constructs: nor does a user of another account (D29)',
    file: demandedGrant,
    find: 'return account !== principalAccount;',
    replace: 'return false;',
    noticedBy: [{ file: lockedDownTests, title: grantsOfScans }],
  },
];
