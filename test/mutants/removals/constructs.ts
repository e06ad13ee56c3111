import type { Removal } from '../removal.js';

const lockedDownTests = 'test/process/cdk/locked-down.test.ts';

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
    file: 'lib/cdk/table/table-reference.ts',
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
    file: 'lib/scan/listing/s3-address.ts',
    find: '{ followRegionRedirects: true }',
    replace: '{ followRegionRedirects: false }',
    noticedBy: [
      { file: 'test/process/lambda/bucket-elsewhere.test.ts', title: 'is followed by the functions' },
    ],
  },
];
