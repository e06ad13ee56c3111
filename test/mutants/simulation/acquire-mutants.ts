import { mutantsOf } from './mutant.js';

/** Section 4: the acquire write, and what is made of its answer. */
export const acquireMutants = [
  ...mutantsOf('lock', 'lib/lease/conditions.ts', [
    ['acquire: not when it is completed', '    notCompleted,\n    any(', '    any('],
    ['acquire: released, or expired', '      released,\n      all(expiredBefore', '      all(expiredBefore'],
    [
      'acquire: an expired lease may be taken',
      '      all(expiredBefore(takeoverBefore), notItsOwn(leaseId)),\n',
      '',
    ],
    [
      'acquire: its own lease that has ended is adopted, not granted anew',
      'all(expiredBefore(takeoverBefore), notItsOwn(leaseId))',
      'expiredBefore(takeoverBefore)',
    ],
    [
      'acquire: a lease that runs may not be taken',
      "text: '#expiresAt < :takeoverBefore',",
      "text: '#expiresAt < :takeoverBefore OR #expiresAt >= :takeoverBefore',",
    ],
    [
      'acquire: one that was given back does not take the lock again',
      '    notGivenBack(leaseId),\n    oursOrNew',
      '    oursOrNew',
    ],
    [
      'supersede: names the lease that was shown, not the owner',
      "  text: '#leaseId = :seenLeaseId',\n  values: { ':seenLeaseId': seenLeaseId },",
      "  text: '#owner = :set_owner',",
    ],
    [
      'holder: the lease is the current one',
      "return { text: '#leaseId = :leaseId', values: { ':leaseId': leaseId } };",
      "return { text: 'attribute_exists(#version) OR #leaseId = :leaseId', values: { ':leaseId': leaseId } };",
    ],
    [
      'renew: only longer, never shorter',
      "text: '#expiresAt < :newExpiresAt'",
      "text: '(#expiresAt < :newExpiresAt OR attribute_exists(#expiresAt))'",
    ],
    [
      'reopen: only what is completed',
      "all({ text: 'attribute_exists(#completedAt)' }, released, ours)",
      'ours',
    ],
  ]),
  ...mutantsOf('lock', 'lib/lease/acquire-request.ts', [
    [
      'token: rises with every grant',
      "text: 'if_not_exists(#version, :seed) + :one', values: { ':seed': seed, ':one': 1 }",
      "text: 'if_not_exists(#version, :seed)', values: { ':seed': seed }",
    ],
    ['token: a new item’s begins at the time', 'const seed = acquiredAt;', 'const seed = 0;'],
    [
      'token: the one that was granted is handed out',
      '(item?.version ?? seed) + 1',
      '(item?.version ?? seed)',
    ],
    [
      'adoption: an earlier attempt’s grant is found by its lease id',
      'if (item?.leaseId === leaseId) {',
      'if (item?.leaseId === undefined) {',
    ],
    [
      'adoption: its token is the item’s, no second increment',
      'token: item.version,\n      expiresAt: item.expiresAt!',
      'token: item.version + 1,\n      expiresAt: item.expiresAt!',
    ],
    [
      'adoption: its end is the item’s, not that of the last attempt',
      'expiresAt: item.expiresAt!,',
      'expiresAt,',
    ],
    [
      'ttl: behind the end of the lease, not the time of the grant',
      'ttl: ttlAfter(context, expiresAt),',
      'ttl: 1,',
    ],
  ]),
  ...mutantsOf('lock', 'lib/client/acquisition.ts', [
    [
      'acquire: a grant that arrives when it is over is not handed out',
      'if (leftMs > this.#terms.safetyMarginMs) return grant;',
      'if (leftMs > Number.NEGATIVE_INFINITY) return grant;',
    ],
    ['acquire: one that gives up gives its lease back', 'if (this.#uncertain) this.#giveBack();', ''],
    [
      'acquire: a write without an answer may have been applied',
      'if (error.mayHaveApplied) this.#uncertain = true;',
      '',
    ],
    [
      'waiting: never past the end of the holder’s lease',
      'this.#patience.nextDelayMs(this.#untilExpiryMs())',
      'this.#patience.nextDelayMs(30_000) * 20',
    ],
    [
      'waiting: a free lock is tried for',
      'if (item?.leaseId === undefined || item.completedAt !== undefined) return true;',
      'if (item === undefined || item.completedAt !== undefined) return true;',
    ],
    [
      'waiting: an expired lock is tried for',
      'return item.expiresAt! < takeoverBefore(this.#host.context);',
      'return false;',
    ],
    [
      'supersede: only of the same owner',
      'return this.#request.supersede && item?.leaseId !== undefined && item.owner === this.#request.owner;',
      'return this.#request.supersede && item?.leaseId !== undefined;',
    ],
    [
      'acquire: nobody is told that it is held by itself',
      'return leaseId === this.#leaseId || this.#spent.has(leaseId) ||',
      'return this.#spent.has(leaseId) ||',
    ],
    [
      'acquire: nor by what it is giving back',
      'return leaseId === this.#leaseId || this.#spent.has(leaseId) || this.#host.giveBack.isGivingBack(leaseId);',
      'return leaseId === this.#leaseId;',
    ],
  ]),
  ...mutantsOf('lock', 'lib/client/background-release.ts', [
    [
      'give-back: on a signal of its own',
      'store.release(lease, undefined, deadline.signal);',
      'store.release(lease, undefined, AbortSignal.abort());',
    ],
    [
      'give-back: again, while the lease may still be on its way',
      'const maxTries = 8;',
      'const maxTries = 1;',
    ],
  ]),
  ...mutantsOf('lock', 'lib/client/local-queue.ts', [
    ['queue: the turn goes on to the next in line', 'if (next) next.admit();', 'if (next) return;'],
  ]),
];
