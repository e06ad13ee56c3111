import type { Removal } from '../removal.js';

const conditions = 'lib/lease/conditions.ts';
const acquireConditionTests = 'test/engine/lease/acquire-condition.test.ts';
const foreignItemsTests = 'test/engine/client/foreign-items.test.ts';
const holderRequests = 'lib/lease/holder-requests.ts';
const holderRequestsTests = 'test/engine/lease/holder-requests.test.ts';

/** Every part of the conditions (protocol, section 4). */
export const conditionsRemovals: readonly Removal[] = [
  {
    name: 'conditions: a completed name is never granted (I7)',
    file: conditions,
    find: '    notCompleted,\n',
    replace: '',
    noticedBy: [
      {
        file: acquireConditionTests,
        title: 'I7 notCompleted: a completed name is not granted, though nobody holds it',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'conditions: a lease that runs is not taken (I2)',
    file: conditions,
    find: '    anyOf(released, allOf(expired, notItsOwn), ...(supersedes ? [stillTheOneSeen] : [])),\n',
    replace: '',
    noticedBy: [
      { file: acquireConditionTests, title: 'I2 released or expired: a lease that still runs is not taken' },
    ],
  },
  {
    name: 'conditions: a lock that was given back is free at once',
    file: conditions,
    find: 'anyOf(released, allOf(expired',
    replace: 'anyOf(allOf(expired',
    noticedBy: [
      { file: acquireConditionTests, title: 'released: a lock that was given back is granted at once' },
      { suite: 'lock' },
    ],
  },
  {
    name: 'conditions: a lock whose holder crashed comes free (I6)',
    file: conditions,
    find: 'anyOf(released, allOf(expired, notItsOwn), ...(supersedes',
    replace: 'anyOf(released, ...(supersedes',
    noticedBy: [
      {
        file: acquireConditionTests,
        title: 'expired: a lease that has run out by the taker’s rule is taken over',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'conditions: a call’s own lease that has ended is adopted, never granted anew under another token (I1)',
    file: conditions,
    find: 'allOf(expired, notItsOwn)',
    replace: 'expired',
    noticedBy: [
      {
        file: acquireConditionTests,
        title: 'adoption, not a second grant: this call’s own lease that has run out keeps its token',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'conditions: a superseder takes its own earlier lease over at once',
    file: conditions,
    find: ', ...(supersedes ? [stillTheOneSeen] : []))',
    replace: ')',
    noticedBy: [
      {
        file: acquireConditionTests,
        title: 'the lease id that a superseder has seen is taken over, while it runs',
      },
    ],
  },
  {
    name: 'conditions: a superseder’s late duplicate evicts no later lease',
    file: conditions,
    find: "'#leaseId = :seenLeaseId'",
    replace: "'#owner = :owner'",
    noticedBy: [
      {
        file: acquireConditionTests,
        title: 'a superseder names the very lease it has seen: its delayed duplicate evicts no later one',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'conditions: a lock that was released before its time is not granted yet',
    file: conditions,
    find: '    freeByNow,\n',
    replace: '',
    noticedBy: [
      {
        file: acquireConditionTests,
        title:
          'freeByNow: a lock that was released before its time is not granted yet, and is as soon as that has passed',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'conditions: a lock that was released before its time is granted when that has passed (I6)',
    file: conditions,
    find: "anyOf('attribute_not_exists(#freeFrom)', '#freeFrom < :takeoverBefore')",
    replace: "anyOf('attribute_not_exists(#freeFrom)')",
    noticedBy: [
      {
        file: acquireConditionTests,
        title:
          'freeByNow: a lock that was released before its time is not granted yet, and is as soon as that has passed',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'conditions: a taker with a lock delay leaves a lease that ran out for so much longer',
    file: conditions,
    find: 'delays ? expiredLongBefore : expiredBefore',
    replace: 'expiredBefore',
    noticedBy: [
      {
        file: acquireConditionTests,
        title:
          'expiredLongBefore: a taker with a lock delay leaves a lease that ran out for so much longer, and no other',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'conditions: a late duplicate does not take the lock again (C09)',
    file: conditions,
    find: '    notGivenBack,\n',
    replace: '',
    noticedBy: [
      {
        file: acquireConditionTests,
        title: 'C09 notGivenBack: a delayed duplicate of an acquire does not take the lock that it gave back',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'conditions: an item that somebody else wrote is left alone',
    file: conditions,
    find: 'anyOf(isNew, allOf(isOurs, tokenRises))',
    replace: 'anyOf(isNew, tokenRises)',
    noticedBy: [
      {
        file: foreignItemsTests,
        title:
          'what looks like a lock that is free: every operation is refused in plain words, and it is left alone',
      },
    ],
  },
  {
    name: 'conditions: an acquire that comes late takes no lock that others have had meanwhile (D41, I1)',
    file: conditions,
    find: 'anyOf(isNew, allOf(isOurs, tokenRises))',
    replace: 'anyOf(isNew, isOurs)',
    noticedBy: [
      { suite: 'lock' },
      { suite: 'hand-over' },
      {
        file: 'test/unit/lease/requests-in-memory.test.ts',
        title: 'D41 that was computed before others had the lock takes nothing when it arrives',
      },
    ],
  },
  {
    name: 'conditions: a completion that goes with half a lease is not taken back',
    file: 'lib/lease/later-conditions.ts',
    find: 'all(isTheSeen, isItsHolders, released, isOurs)',
    replace: 'all(isTheSeen, isItsHolders, isOurs)',
    noticedBy: [
      {
        file: 'test/unit/lease/requests-in-memory.test.ts',
        title: 'takes the completion back, and says whether the name exists and is open',
      },
    ],
  },
  {
    name: 'conditions: a completion that is not ours is not taken back',
    file: 'lib/lease/later-conditions.ts',
    find: 'all(isTheSeen, isItsHolders, released, isOurs)',
    replace: 'all(isTheSeen)',
    noticedBy: [
      {
        file: foreignItemsTests,
        title:
          'a completion that is a boolean: every operation is refused in plain words, and it is left alone',
      },
    ],
  },
  {
    name: 'conditions: no token is lifted under a lease that runs (D04)',
    file: 'lib/lease/later-conditions.ts',
    find: "all(isOurs, { text: text.tokenRises, values: { ':token': token } }, any(released, expired))",
    replace: "all(isOurs, { text: text.tokenRises, values: { ':token': token } }, expired && undefined)",
    noticedBy: [
      {
        file: 'test/unit/table/raise-tokens.test.ts',
        title:
          'are left alone where a lease runs, whose holder could not renew any more, and lifted where it has run out',
      },
    ],
  },
  {
    name: 'conditions: no token is lowered (D04)',
    file: 'lib/lease/later-conditions.ts',
    find: "all(isOurs, { text: text.tokenRises, values: { ':token': token } }, any(released, expired))",
    replace: 'all(isOurs, token ? undefined : undefined, any(released, expired))',
    noticedBy: [
      {
        file: 'test/unit/table/raise-tokens.test.ts',
        title: 'are never lowered, and a second run finds nothing to do',
      },
    ],
  },
  {
    name: 'conditions: a renewal of a lost lease changes nothing (I4)',
    file: holderRequests,
    find: 'allOf(isCurrent, lengthens, isOwn(isTokenKnown))',
    replace: 'allOf(lengthens, isOwn(isTokenKnown))',
    noticedBy: [
      {
        file: holderRequestsTests,
        title: 'I4 isCurrent: a renewal of a lease that is no longer current changes nothing',
      },
    ],
  },
  // Where the token is known it protects as well; a give-back knows the id alone.
  {
    name: 'conditions: only the lease that is current is ended: by a release, a completion, a break (C01, C41, I4)',
    file: holderRequests,
    find: 'allOf(isCurrent, isOwn(isTokenKnown))',
    replace: 'isOwn(isTokenKnown)',
    noticedBy: [
      {
        file: holderRequestsTests,
        title: 'I4 isCurrent: a release of a lease that is no longer current changes nothing',
      },
      {
        file: holderRequestsTests,
        title: 'C41 isCurrent: a completion by a late worker does not overwrite the newer holder’s result',
      },
      {
        file: holderRequestsTests,
        title: 'I4 isCurrent: a break names one lease and leaves the one that came after it alone',
      },
    ],
  },
  {
    name: 'conditions: a revived lease id is not the lease of before (I4, I5)',
    file: holderRequests,
    find: 'return isTokenKnown ? hasToken : isOurs',
    replace: 'return isOurs',
    noticedBy: [
      {
        file: holderRequestsTests,
        title:
          'I4 I5 hasToken: an id that a late duplicate of its acquire has revived is not the lease of before',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'conditions: what is ended by its lease id alone is ours',
    file: holderRequests,
    find: 'isOwn(isTokenKnown: boolean): string {\n  return isTokenKnown ? hasToken : isOurs',
    replace:
      'isOwn(isTokenKnown: boolean): string | undefined {\n  return isTokenKnown ? hasToken : undefined',
    noticedBy: [
      {
        file: foreignItemsTests,
        title: 'a break that names what another’s item bears as a lease id leaves it alone',
      },
    ],
  },
  {
    name: 'conditions: an expiry never falls, a checkpoint never goes back (I5)',
    file: conditions,
    find: "'#expiresAt < :newExpiresAt'",
    replace: "'(#expiresAt < :newExpiresAt OR attribute_exists(#expiresAt))'",
    noticedBy: [
      {
        file: holderRequestsTests,
        title:
          'I5 lengthens: a delayed duplicate of a renewal neither shortens the lease nor winds a checkpoint back',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'conditions: an OR in one part of a condition stays inside that part',
    file: 'lib/table/expression.ts',
    find: '&& !isEnclosed(text) ?',
    replace: '&& !isEnclosed(text) && !text ?',
    noticedBy: [
      { file: acquireConditionTests, title: 'I2 released or expired: a lease that still runs is not taken' },
    ],
  },
];
