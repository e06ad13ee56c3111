import type { Protection } from './protection.js';

const conditions = 'lib/lease/conditions.ts';
const requests = 'lib/lease/holder-requests.ts';
const acquireTests = 'test/engine/lease/acquire-condition.test.ts';
const holderTests = 'test/engine/lease/holder-requests.test.ts';
const foreignTests = 'test/engine/client/foreign-items.test.ts';

/** Taken out of the condition of a release, a completion and a break at once. */
const endsCurrent = {
  file: requests,
  find: 'condition: isCurrent(lease.leaseId),\n  };',
  replace: "condition: { text: 'attribute_exists(#name)' },\n  };",
};

/** Every part of the conditions (protocol, section 4). */
export const ofTheConditions: readonly Protection[] = [
  {
    id: 'not-completed',
    what: 'a completed name is never granted (I7)',
    file: conditions,
    find: '    notCompleted,\n',
    replace: '',
    test: {
      file: acquireTests,
      name: 'I7 notCompleted: a completed name is not granted, though nobody holds it',
    },
  },
  {
    id: 'released-or-expired',
    what: 'a lease that runs is not taken (I2)',
    file: conditions,
    find: `    any(
      released,
      all(expiredBefore(takeoverBefore), notItsOwn(leaseId)),
      seenLeaseId === undefined ? undefined : all(stillTheOneSeen(seenLeaseId), hasEnd),
    ),
`,
    replace: '',
    test: { file: acquireTests, name: 'I2 released or expired: a lease that still runs is not taken' },
  },
  {
    id: 'released',
    what: 'a lock that was given back is free at once',
    file: conditions,
    find: '      released,\n',
    replace: '',
    test: { file: acquireTests, name: 'released: a lock that was given back is granted at once' },
  },
  {
    id: 'expired',
    what: 'a lock whose holder crashed comes free (I6)',
    file: conditions,
    find: '      all(expiredBefore(takeoverBefore), notItsOwn(leaseId)),\n',
    replace: '',
    test: {
      file: acquireTests,
      name: 'expired: a lease that has run out by the taker’s rule is taken over',
    },
  },
  {
    id: 'own-lease-is-adopted',
    what: 'a call’s own lease that has ended is adopted, never granted anew under another token (I1)',
    file: conditions,
    find: 'all(expiredBefore(takeoverBefore), notItsOwn(leaseId))',
    replace: 'expiredBefore(takeoverBefore)',
    test: {
      file: acquireTests,
      name: 'adoption, not a second grant: this call’s own lease that has run out keeps its token',
    },
  },
  {
    id: 'expired-needs-lease',
    what: 'an expiry without a lease is no item of ours',
    file: conditions,
    find: "    { text: 'attribute_exists(#leaseId)' },\n    { text: '#expiresAt <",
    replace: "    { text: '#expiresAt <",
    test: {
      file: foreignTests,
      name: 'an expiry without a lease id: every operation is refused in plain words, and it is left alone',
    },
  },
  {
    id: 'seen-lease-id',
    what: 'a superseder takes its own earlier lease over at once',
    file: conditions,
    find: '      seenLeaseId === undefined ? undefined : all(stillTheOneSeen(seenLeaseId), hasEnd),\n',
    replace: '',
    test: {
      file: acquireTests,
      name: 'the lease id that a superseder has seen is taken over, while it runs',
    },
  },
  {
    id: 'seen-has-end',
    what: 'a superseder takes over leases and nothing else',
    file: conditions,
    find: 'all(stillTheOneSeen(seenLeaseId), hasEnd)',
    replace: 'all(stillTheOneSeen(seenLeaseId), hasEnd && undefined)',
    test: {
      file: acquireTests,
      name: 'a superseder takes over no item that has come to bear the lease id it has seen and is no lease',
    },
  },
  {
    id: 'seen-and-no-other',
    what: 'a superseder’s late duplicate evicts no later lease',
    file: conditions,
    find: "  text: '#leaseId = :seenLeaseId',",
    replace: "  text: '#leaseId = :seenLeaseId OR attribute_exists(#leaseId)',",
    test: {
      file: acquireTests,
      name: 'a superseder names the very lease it has seen: its delayed duplicate evicts no later one',
    },
  },
  {
    id: 'not-given-back',
    what: 'a late duplicate does not take the lock again (C09)',
    file: conditions,
    find: '    notGivenBack(leaseId),\n',
    replace: '',
    test: {
      file: acquireTests,
      name: 'C09 notGivenBack: a delayed duplicate of an acquire does not take the lock that it gave back',
    },
  },
  {
    id: 'ours-or-new',
    what: 'an item that somebody else wrote is left alone',
    file: conditions,
    find: '    oursOrNew,\n',
    replace: '',
    test: {
      file: foreignTests,
      name: 'no version, but data: every operation is refused in plain words, and it is left alone',
    },
  },
  {
    id: 'ours-by-type',
    what: 'an item with a numeric version and a strange lease id is left alone',
    file: conditions,
    find: ', ...Object.entries(attributeTypes).map(absentOrTyped)',
    replace: '',
    test: {
      file: foreignTests,
      name: 'a lease id that is a number: every operation is refused in plain words, and it is left alone',
    },
  },
  {
    id: 'ours-least-number',
    what: 'an item with a number below all that we write is left alone',
    file: conditions,
    find: "    { text: `#${attribute} > :minNumber`, values: { ':minNumber': -numberLimit } },\n",
    replace: '',
    test: {
      file: foreignTests,
      name: 'an expiry below all numbers: every operation is refused in plain words, and it is left alone',
    },
  },
  {
    id: 'ours-most-number',
    what: 'an item with a number above all that we write is left alone',
    file: conditions,
    find: "    { text: `#${attribute} < :maxNumber`, values: { ':maxNumber': numberLimit } },\n",
    replace: '',
    test: {
      file: foreignTests,
      name: 'a time of the grant above all numbers: every operation is refused in plain words, and it is left alone',
    },
  },
  {
    id: 'reopen-released',
    what: 'a completion that goes with half a lease is not taken back',
    file: conditions,
    find: "all({ text: 'attribute_exists(#completedAt)' }, released, ours)",
    replace: "all({ text: 'attribute_exists(#completedAt)' }, ours)",
    test: {
      file: foreignTests,
      name: 'a completion with half a lease: every operation is refused in plain words, and it is left alone',
    },
  },
  {
    id: 'reopen-ours',
    what: 'a completion that is not ours is not taken back',
    file: conditions,
    find: "all({ text: 'attribute_exists(#completedAt)' }, released, ours)",
    replace: "all({ text: 'attribute_exists(#completedAt)' })",
    test: {
      file: foreignTests,
      name: 'a completion that is a boolean: every operation is refused in plain words, and it is left alone',
    },
  },
  {
    id: 'current-renew',
    what: 'a renewal of a lost lease changes nothing (I4)',
    file: requests,
    find: 'all(isCurrent(lease.leaseId), lengthens(expiresAt))',
    replace: 'all(lengthens(expiresAt))',
    test: {
      file: holderTests,
      name: 'I4 isCurrent: a renewal of a lease that is no longer current changes nothing',
    },
  },
  {
    id: 'current-release',
    what: 'a release of a lost lease changes nothing (C01, I4)',
    ...endsCurrent,
    // Where the token is known it protects as well; a give-back knows the id alone.
    test: {
      file: holderTests,
      name: 'I4 isCurrent: a release of a lease that is no longer current changes nothing',
    },
  },
  {
    id: 'current-complete',
    what: 'a completion by a late worker changes nothing (C41)',
    ...endsCurrent,
    test: {
      file: holderTests,
      name: 'C41 isCurrent: a completion by a late worker does not overwrite the newer holder’s result',
    },
  },
  {
    id: 'current-break',
    what: 'a break ends the lease that was shown, no other (I4)',
    ...endsCurrent,
    test: {
      file: holderTests,
      name: 'I4 isCurrent: a break names one lease and leaves the one that came after it alone',
    },
  },
  {
    id: 'has-token',
    what: 'a revived lease id is not the lease of before (I4, I5)',
    file: requests,
    find: 'lease.token === undefined ? change : merged(change, { condition: hasToken(lease.token) })',
    replace: 'change',
    test: {
      file: holderTests,
      name: 'I4 I5 hasToken: an id that a late duplicate of its acquire has revived is not the lease of before',
    },
  },
  {
    id: 'lengthens',
    what: 'an expiry never falls, a checkpoint never goes back (I5)',
    file: requests,
    find: 'all(isCurrent(lease.leaseId), lengthens(expiresAt))',
    replace: 'all(isCurrent(lease.leaseId))',
    test: {
      file: holderTests,
      name: 'I5 lengthens: a delayed duplicate of a renewal neither shortens the lease nor winds a checkpoint back',
    },
  },
  {
    id: 'parentheses',
    what: 'an OR in one part of a condition stays inside that part',
    file: 'lib/table/expression.ts',
    find: '&& !isEnclosed(text) ?',
    replace: '&& !isEnclosed(text) && !text ?',
    test: { file: acquireTests, name: 'I2 released or expired: a lease that still runs is not taken' },
  },
];
