import type { Removal } from '../removal.js';

const fenceCondition = 'lib/fence/fence-condition.ts';
const guardTransaction = 'lib/fence/guard-transaction.ts';
const guardSql = 'lib/fence/guard-sql.ts';
const guardS3 = 'lib/fence/s3/guard-s3.ts';
const tokensTests = 'test/unit/fence/tokens.test.ts';
const dynamoTests = 'test/engine/fence/guard-dynamodb.test.ts';
const s3Tests = 'test/engine/fence/guard-s3.test.ts';

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
    name: 'fence: a written item keeps the lease’s token, not the one that was read',
    file: 'lib/fence/guard-write.ts',
    find: 'const Item = { ...input.Item, [attribute]: lease.token };',
    replace: 'const Item = { [attribute]: lease.token, ...input.Item };',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'fence: a deletion within a transaction is guarded, too',
    file: guardTransaction,
    find: 'if (item.Delete)',
    replace: 'if (item.Delete && !item.Delete)',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'fence: a held-check demands this very lease',
    file: guardTransaction,
    find: "    { text: '#leaseId = :leaseId', values: { ':leaseId': lease.leaseId } },\n",
    replace: '',
    noticedBy: [{ file: tokensTests, title: 'D48 demands the lease’s id and its token' }],
  },
  {
    name: 'fence: a held-check demands the token that the holder was told (D48)',
    file: guardTransaction,
    find: "    { text: '#version = :token', values: { ':token': lease.token } },\n",
    replace: '',
    noticedBy: [
      {
        file: dynamoTests,
        title: 'D48 the "still held" check refuses a lease whose id came back under another token',
      },
    ],
  },
  {
    name: 'fence: a token that is none is refused before anything is sent (D05)',
    file: 'lib/fence/fenced.ts',
    find: 'if (Number.isSafeInteger(lease?.token) && lease.token >= 1) return;',
    replace: 'return;',
    noticedBy: [{ file: tokensTests, title: '%s is a UsageError, and nothing is sent' }],
  },
  {
    name: 'fence: a lease that has ended here is refused (D07)',
    file: 'lib/fence/fenced.ts',
    find: "    if ((error as { readonly code?: unknown }).code !== 'LOCK_LOST') throw error;\n",
    replace: '',
    noticedBy: [
      {
        file: tokensTests,
        title: 'D07 a lease that has ended here is refused as its own check says; one that was lost is not',
      },
    ],
  },
  {
    name: 'fence: an attribute of the user’s own is not overwritten (D38)',
    file: 'lib/fence/guard-write.ts',
    find: "  throw ownAttribute(lease, attribute, 'The item has');\n",
    replace: '',
    noticedBy: [{ file: tokensTests, title: 'guardPut refuses an item with %j' }],
  },
  {
    name: 'fence: S3’s guard puts where it may not look (D18)',
    file: guardS3,
    find: "    if ($metadata?.httpStatusCode === 403) return { kind: 'hidden', error };\n",
    replace: '',
    noticedBy: [{ file: s3Tests, title: 'list the bucket: a new object is put, once' }],
  },
  {
    name: 'fence: a condition of the caller’s own holds beside that of S3’s guard (D20)',
    file: guardS3,
    find: 'const own = ownCondition(input, seen);',
    replace: 'const own = ownCondition({ ...input, IfMatch: undefined }, seen);',
    noticedBy: [{ file: s3Tests, title: 'IfNoneMatch and IfMatch are not overwritten by the guard’s' }],
  },
  {
    name: 'fence: a put to S3 goes with one condition (D20)',
    file: guardS3,
    find: 'Metadata, ...unchanged, ...own }',
    replace: 'Metadata, ...unchanged }',
    noticedBy: [
      {
        file: s3Tests,
        title: 'a put goes with one condition, the caller’s or the guard’s',
      },
    ],
  },
  {
    name: 'fence: a transaction guards its parts',
    file: guardTransaction,
    find: 'const guarded = own.map((item) => guardedItem(lease, item, fence));',
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
    find: "seen.kind === 'object' && seen.token > lease.token)",
    replace: "seen.kind === 'object' && seen.token > lease.token + 1e12)",
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'fence: S3’s guard puts over what it has compared with',
    file: guardS3,
    find: "const unchanged = seen.kind === 'object' ? { IfMatch: seen.etag } : { IfNoneMatch: '*' };",
    replace: 'const unchanged = {};',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'fence: what is no token in an object’s metadata is not written over (D05)',
    file: guardS3,
    find: "if (!isToken(token)) throw foreignMetadata(lease, token, 'The object has');",
    replace: '',
    noticedBy: [
      { file: s3Tests, title: 'D05 metadata abc of that name is no fence, and nothing is written over it' },
    ],
  },
  {
    name: 'fence: a put to S3 is what it was at the call (D08)',
    file: guardS3,
    find: 'const holder = { name: lease.name, token: lease.token };',
    replace: 'const holder = lease;',
    noticedBy: [{ file: s3Tests, title: 'D08 what counts is what the input and the lease were at the call' }],
  },
  {
    name: 'fence: a put to S3 ends with the caller’s signal (D43)',
    file: guardS3,
    find: 'return signal ? orAborted(put, signal) : put;',
    replace: 'return put;',
    noticedBy: [
      { file: s3Tests, title: 'D43 ends with the caller’s signal while the client waits for credentials' },
    ],
  },
  {
    name: 'fence: a list of counts is no row that was written (D05)',
    file: guardSql,
    find: '  checkCount(lease, rowCount);\n',
    replace: '',
    noticedBy: [
      { file: 'test/unit/fence/options.test.ts', title: 'D05 0 is no number of rows, and never a row' },
    ],
  },
  {
    name: 'fence: a misspelt option is no absent one (D38)',
    file: fenceCondition,
    find: "  checkOptions('The guard', options, ['fenceAttribute']);\n",
    replace: '',
    noticedBy: [
      {
        file: 'test/unit/fence/options.test.ts',
        title: 'are refused by name, and nothing is sent',
      },
    ],
  },
];
