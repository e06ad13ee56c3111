import type { Removal } from '../removal.js';

const acquisition = 'lib/client/acquisition.ts';
const laterConditions = 'lib/lease/later-conditions.ts';
const term = 'lib/lease/lease-term.ts';
const watchingTests = 'test/unit/client/watching.test.ts';
const holdTests = 'test/unit/lease/hold.test.ts';
const propertyTest = {
  file: 'test/unit/clock/rules.test.ts',
  title: 'I2 property: so do it and a takeover by watching, for any clocks, however far front ends lie apart',
};
const adoptionTest = {
  file: watchingTests,
  title: 'I2 counts a grant that it adopts from before the attempt that was granted',
};
const conditionTest = {
  file: 'test/engine/lease/acquire-condition.test.ts',
  title:
    'I2 unrenewed: what was watched is taken over while it runs, as it was seen, and not as something else',
};
const serviceTest = {
  file: 'test/unit/service/service-in-memory.test.ts',
  title:
    'I2 says no length in what it grants, goes on with or renews: who asked counts by what it likes, and nobody watches it',
};

/** What lets a waiter take a lease over that it has watched for its length, by clocks of its own (protocol, section 3). */
export const watchingRemovals: readonly Removal[] = [
  {
    name: 'watching: a holder gives up its length after it asked, whatever the store’s time (I2)',
    file: term,
    find: 'return this.#settings.leaseMs - elapsedBetween(this.#askedAt, this.#context.clock.instant()).most;',
    replace: 'return Number.POSITIVE_INFINITY;',
    noticedBy: [
      { suite: 'lock' },
      {
        file: holdTests,
        title:
          'I2 is over when its length has passed since it was asked for, though the end in the store has not come',
      },
    ],
  },
  {
    name: 'watching: a holder counts by whichever clock shows more (I2)',
    file: term,
    find: 'this.#context.clock.instant()).most;',
    replace: 'this.#context.clock.instant()).least;',
    noticedBy: [propertyTest],
  },
  {
    name: 'watching: a holder counts from before it asked for a renewal, not from its answer (I2)',
    file: term,
    find: 'this.#askedAt = this.#nextAskedAt;',
    replace: 'this.#askedAt = this.#context.clock.instant();',
    noticedBy: [
      { file: holdTests, title: 'I2 counts a renewal from when it was asked for, not from its answer' },
    ],
  },
  {
    name: 'watching: a grant that is adopted was asked for no later than the item showed another (I2)',
    file: acquisition,
    find: 'if (item?.leaseId !== this.#leaseId) this.#askedAt = lookedAt;',
    replace: 'this.#askedAt = lookedAt;',
    noticedBy: [adoptionTest],
  },
  {
    name: 'watching: a grant that is adopted was asked for by an earlier attempt (I2)',
    file: 'lib/lease/acquire-request.ts',
    find: 'askedAt = clock.instant(),\n    change,\n  } = request;',
    replace: 'change,\n  } = request;\n  const askedAt = clock.instant();',
    noticedBy: [adoptionTest],
  },
  {
    name: 'watching: the lease still has the end that was seen (I2)',
    file: laterConditions,
    find: '#version = :seenToken AND #expiresAt = :seenExpiresAt',
    replace: '#version = :seenToken AND #expiresAt >= :seenExpiresAt',
    noticedBy: [
      { file: watchingTests, title: 'I2 is refused by a renewal that comes before its write' },
      conditionTest,
    ],
  },
  {
    name: 'watching: it is the lease that was seen (I2)',
    changes: [
      {
        file: laterConditions,
        find: '#version = :seenToken AND #expiresAt = :seenExpiresAt',
        replace: '(#expiresAt >= :seenExpiresAt OR #version = :seenToken)',
      },
      {
        file: 'lib/lease/conditions.ts',
        find: "stillTheOneSeen = '#leaseId = :seenLeaseId'",
        replace: "stillTheOneSeen = '(#leaseId = :seenLeaseId OR attribute_exists(#leaseId))'",
      },
    ],
    noticedBy: [conditionTest],
  },
  {
    name: 'watching: a renewal begins it anew (I2)',
    file: acquisition,
    find: 'if (isOther || item?.expiresAt !== expiresAt) this.#seenSince',
    replace: 'if (isOther) this.#seenSince',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'watching: another lease begins it anew (I2)',
    file: acquisition,
    find: 'if (isOther || item?.expiresAt !== expiresAt) this.#seenSince',
    replace: 'if (this.#seen === undefined) this.#seenSince',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'watching: counts from the answer that shows the lease, not from its request (I2)',
    file: acquisition,
    find: 'this.#seenSince = this.#host.context.clock.instant();\n    this.#seen = item;',
    replace: 'this.#seenSince = this.#askedAt ?? this.#seenSince;\n    this.#seen = item;',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'watching: by whichever clock shows less (I2)',
    file: acquisition,
    find: 'this.#host.context.clock.instant()).least;',
    replace: 'this.#host.context.clock.instant()).most;',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'watching: for all its length (I2)',
    file: acquisition,
    find: 'return watchMs + lockDelayMs - elapsed',
    replace: 'return watchMs / 2 + lockDelayMs - elapsed',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'watching: a lock delay is waited for besides',
    file: acquisition,
    find: 'return watchMs + lockDelayMs - elapsed',
    replace: 'return watchMs - elapsed',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'watching: not what says no length, as a lease that was handed over',
    file: acquisition,
    find: 'Number(leaseMs);',
    replace: 'Number(leaseMs || 2_000);',
    noticedBy: [{ suite: 'hand-over' }],
  },
  {
    name: 'watching: a hand-over takes the length away',
    file: 'lib/lease/lease-ends.ts',
    find: '? { set: { leaseMs: 0 } } : undefined',
    replace: '? undefined : undefined',
    noticedBy: [{ suite: 'hand-over' }],
  },
  {
    name: 'watching: not what a lock service grants, whose callers count by what they like',
    file: 'lib/service/acquire-operation.ts',
    find: '    // Its caller counts by what it likes, and an execution by nothing.\n    watchMs: 0,\n',
    replace: '',
    noticedBy: [serviceTest],
  },
  {
    name: 'watching: not what a lock service goes on with',
    file: 'lib/service/acquire-operation.ts',
    find: 'leaseMs, watchMs: 0, owner, from',
    replace: 'leaseMs, owner, from',
    noticedBy: [serviceTest],
  },
  {
    name: 'watching: not what a lock service renews',
    file: 'lib/service/holder-operations.ts',
    find: 'set: { ...set, leaseMs: 0 }',
    replace: 'set: { ...set }',
    noticedBy: [serviceTest],
  },
  {
    name: 'watching: a grant that is adopted may be shorter than the one that is asked for by then (I2)',
    file: acquisition,
    find: 'leaseMs: Math.min(this.#terms.leaseMs, writtenMs)',
    replace: 'leaseMs: this.#terms.leaseMs',
    noticedBy: [
      {
        file: watchingTests,
        title:
          'I2 believes in a grant that it adopts for no longer than the item says, whatever it asks for by then',
      },
    ],
  },
  {
    name: 'watching: what ran out here may run on in the store, and is given back later',
    file: 'lib/lease/hold.ts',
    find: 'this.#releaseLater(error, this.settings.leaseMs, signal);',
    replace: '',
    noticedBy: [
      {
        file: watchingTests,
        title:
          'whose lease ran out here, and can’t be given back now, has it given back later: in the store it may run on',
      },
    ],
  },
];
