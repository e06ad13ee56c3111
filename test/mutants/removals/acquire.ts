import type { Removal } from '../removal.js';

const conditions = 'lib/lease/conditions.ts';
const acquireRequest = 'lib/lease/acquire-request.ts';
const acquisition = 'lib/client/acquisition.ts';

/** What is made of the answer to an acquire, and of the time until there is one (protocol, section 4). */
export const acquireRemovals: readonly Removal[] = [
  {
    name: 'acquire: a lease that runs may not be taken',
    file: conditions,
    find: "expiredBefore = '#expiresAt < :takeoverBefore'",
    replace: "expiredBefore = '(#expiresAt < :takeoverBefore OR #expiresAt >= :takeoverBefore)'",
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'holder: the lease is the current one',
    file: conditions,
    find: "isCurrent = '#leaseId = :leaseId'",
    replace: "isCurrent = '(attribute_exists(#version) OR #leaseId = :leaseId)'",
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'reopen: only the completion that was seen (D42)',
    file: 'lib/lease/later-conditions.ts',
    find: "{ text: '#completedAt = :seenCompletion', values",
    replace: "{ text: 'attribute_exists(#completedAt) OR #completedAt = :seenCompletion', values",
    noticedBy: [
      {
        file: 'test/engine/client/after-the-end.test.ts',
        title: 'D42 a reopening that comes twice takes back no later completion',
      },
    ],
  },
  {
    name: 'token: the store’s time, so that it rises over deletions and restored backups (I1)',
    file: acquireRequest,
    find: 'Math.max(Math.ceil(now.earliest), aboveToken + 1)',
    replace: 'aboveToken + 1',
    noticedBy: [
      { suite: 'lock' },
      {
        file: 'test/engine/client/tokens.test.ts',
        title: 'C23 the token after a deletion, as TTL would do it, is higher',
      },
    ],
  },
  {
    name: 'token: no later than the time is, so that others need not go past it (I1)',
    file: acquireRequest,
    find: 'Math.ceil(now.earliest)',
    replace: 'Math.ceil(now.latest)',
    noticedBy: [
      {
        file: 'test/unit/lease/requests-in-memory.test.ts',
        title:
          'I1 asks for the earliest that the time can be, or for one more than the token that it was shown',
      },
      {
        file: 'test/engine/client/tokens.test.ts',
        title: 'D02 an item that a client with a wide clock has made is deleted: the next token is higher',
      },
    ],
  },
  {
    name: 'token: above the one that was shown (I1)',
    file: acquireRequest,
    find: 'Math.max(Math.ceil(now.earliest), aboveToken + 1)',
    replace: 'Math.ceil(now.earliest)',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'token: a free lock whose last token lies ahead is asked for once more',
    file: 'lib/lease/refused-writes.ts',
    find: 'const maxWrites = 3;',
    replace: 'const maxWrites = 1;',
    noticedBy: [
      {
        file: 'test/unit/lease/requests-in-memory.test.ts',
        title: 'I1 is written once more where the lock is free and its last token lies ahead of the clock',
      },
    ],
  },
  {
    name: 'token: no second write for what is refused for ever',
    file: 'lib/lease/refused-writes.ts',
    find: 'if (giveUpWhen?.(item)) return false;',
    replace: '',
    noticedBy: [
      {
        file: 'test/engine/client/cron-slot.test.ts',
        title:
          'I8 a slot that was finished just now is refused in one write, although its token lies ahead of this clock',
      },
    ],
  },
  {
    name: 'token: none from a clock that is known too vaguely (D03)',
    file: acquireRequest,
    find: 'if (!isNarrow(now)) throw',
    replace: 'if (!context.clock.isSet) throw',
    noticedBy: [
      { suite: 'lock' },
      {
        file: 'test/engine/client/clock-trouble.test.ts',
        title: 'C13 D03 I1 a wall clock set ahead, and nobody tells the time: nothing is granted',
      },
    ],
  },
  {
    name: 'token: the one that was granted is handed out',
    file: acquireRequest,
    find: 'const grant = { leaseId, token, expiresAt, acquiredAt, askedAt, item, adopted: false }',
    replace:
      'const grant = { leaseId, token: token + 1, expiresAt, acquiredAt, askedAt, item, adopted: false }',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'adoption: an earlier attempt’s grant is found by its lease id',
    file: 'lib/lease/refused-writes.ts',
    find: 'if (item?.leaseId === leaseId) {',
    replace: 'if (item?.leaseId === undefined) {',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'adoption: its token is the item’s, no second increment',
    file: 'lib/lease/refused-writes.ts',
    find: 'token: item.version,\n      expiresAt: item.expiresAt!',
    replace: 'token: item.version + 1,\n      expiresAt: item.expiresAt!',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'adoption: its end is the item’s, not that of the last attempt',
    file: 'lib/lease/refused-writes.ts',
    find: 'expiresAt: item.expiresAt!,',
    replace: 'expiresAt: item.expiresAt! + 1,',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'ttl: behind the end of the lease, not the time of the grant',
    file: acquireRequest,
    find: 'ttl: ttlAfter(context, expiresAt),',
    replace: 'ttl: 1,',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'acquire: one that gives up gives its lease back',
    file: acquisition,
    find: 'if (this.#uncertain) this.#giveBack();\n      else this',
    replace: 'if (!this.#uncertain) this',
    noticedBy: [
      { suite: 'lock' },
      {
        file: 'test/engine/client/lost-answers.test.ts',
        title: 'C09 an acquire that gave up although it was granted gives its lease back',
      },
    ],
  },
  {
    name: 'acquire: a write without an answer may have been applied',
    file: acquisition,
    find: 'if (error.mayHaveApplied) this.#uncertain = true;',
    replace: '',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'waiting: never past the end of the holder’s lease',
    file: acquisition,
    find: 'this.#pacing.nextDelayMs(this.#untilExpiryMs())',
    replace: 'this.#pacing.nextDelayMs(30_000) * 20',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'minHoldMs: a grant takes freeFrom away',
    file: 'lib/lease/acquire-request.ts',
    find: "remove: ['releaseRequested', 'freeFrom'],",
    replace: "remove: ['releaseRequested'],",
    noticedBy: [
      {
        file: 'test/engine/lease/acquire-condition.test.ts',
        title:
          'freeByNow: a lock that was released before its time is not granted yet, and is as soon as that has passed',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'minHoldMs: a waiter writes no sooner than the lock can be had',
    file: 'lib/lease/refused-writes.ts',
    find: 'freeFrom ?? never);',
    replace: 'never);',
    noticedBy: [
      {
        file: 'test/engine/lease/acquire-condition.test.ts',
        title:
          'freeByNow: a refusal for the time costs one write, although its token lies ahead of this clock',
      },
    ],
  },
  {
    name: 'lockDelayMs: a waiter writes no sooner than it wants to take a lease that ran out',
    file: 'lib/lease/refused-writes.ts',
    find: 'expiresAt! + lockDelayMs',
    replace: 'expiresAt!',
    noticedBy: [
      {
        file: 'test/engine/kit/free-not-yet.test.ts',
        title: 'lockDelayMs: a waiter takes a lease that ran out so much later, and writes no sooner',
      },
    ],
  },
  {
    name: 'waiting: a free lock is tried for',
    file: acquisition,
    find: 'return freeAfter(item, this.#request.lockDelayMs) < takeoverBefore(this.#host.context);',
    replace: 'return item.leaseId !== undefined && freeAfter(item) < takeoverBefore(this.#host.context);',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    // What was watched for its length is tried for sooner, as a rule.
    name: 'waiting: an expired lock is tried for',
    changes: [
      {
        file: acquisition,
        find: 'return freeAfter(item, this.#request.lockDelayMs) < takeoverBefore(this.#host.context);',
        replace: 'return item.leaseId === undefined;',
      },
      { file: acquisition, find: 'if (this.#untilGivenUpMs() <= 0) return true;', replace: '' },
    ],
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'supersede: only of the same owner',
    file: acquisition,
    find: 'item?.leaseId !== undefined && item.owner === owner',
    replace: 'item?.leaseId !== undefined',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'acquire: nobody is told that it is held by itself',
    file: acquisition,
    find: 'return leaseId === this.#leaseId || this.#spent.has(leaseId) ||',
    replace: 'return this.#spent.has(leaseId) ||',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'give-back: on a signal of its own',
    file: 'lib/client/background-release.ts',
    find: 'store.release(lease, undefined, signal);',
    replace: 'store.release(lease, undefined, AbortSignal.abort());',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'queue: the turn goes on to the next in line',
    file: 'lib/client/local-queue.ts',
    find: 'admit(line.turn);',
    replace: '',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'acquire: what is granted to a client at the moment when it is closed is given back',
    file: 'lib/client/client-core.ts',
    find: '      releaseLater({ ...labels, leaseId, token }, terms.leaseMs);\n',
    replace: '',
    noticedBy: [
      {
        file: 'test/unit/client/contention.test.ts',
        title: 'gives back what was granted at the very moment',
      },
    ],
  },
  {
    name: 'acquire: nobody is told of a holder whose lease he had taken over',
    file: acquisition,
    find: '    // What was seen last may have been the lease that is given back.\n    this.#seen = undefined;\n',
    replace: '',
    noticedBy: [
      {
        file: 'test/unit/client/contention.test.ts',
        title: 'is not told of the holder whose lease it had taken over',
      },
    ],
  },
];
