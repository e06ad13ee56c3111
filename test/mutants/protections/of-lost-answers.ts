import type { Protection } from './protection.js';

const acquisition = 'lib/client/acquisition.ts';
const requests = 'lib/lease/holder-requests.ts';
const lostAnswers = 'test/engine/client/lost-answers.test.ts';

/** What makes every write idempotent, and what cleans up after those that nobody answered. */
export const ofLostAnswers: readonly Protection[] = [
  {
    id: 'adoption',
    what: 'a grant whose answer was lost is found again (C07)',
    file: 'lib/lease/acquire-request.ts',
    find: 'if (item?.leaseId === leaseId) {',
    replace: "if (item?.leaseId === 'nobody') {",
    test: {
      file: lostAnswers,
      name: 'C07 a grant whose answer was lost is adopted by the SDK’s retry: token rises once',
    },
  },
  {
    id: 'own-renewal',
    what: 'a renewal whose answer was lost counts (C07)',
    file: requests,
    find: "return item.expiresAt! >= expiresAt ? { kind: 'done' } : { kind: 'refused', item };",
    replace: "return { kind: 'refused', item };",
    test: {
      file: 'test/engine/lease/holder-requests.test.ts',
      name: 'C07 a renewal that finds its own expiry is the success of its earlier attempt',
    },
  },
  {
    id: 'highest-asked',
    what: 'a checkpoint is stored also when the clock has narrowed (I5)',
    file: 'lib/lease/lease-term.ts',
    find: 'this.#highestAsked = Math.max(capped + this.#surplusMs, this.#highestAsked + 1);',
    replace: 'this.#highestAsked = capped + this.#surplusMs;',
    test: {
      file: 'test/engine/client/clock-trouble.test.ts',
      name: 'I5 a checkpoint is stored although the clock’s interval has narrowed since the grant',
    },
  },
  {
    id: 'mark-of-release',
    what: 'a release whose answer was lost is a release (C07)',
    file: requests,
    find: 'const hasEnded = item?.leaseId === undefined && item?.lastLeaseId === lease.leaseId;',
    replace: 'const hasEnded = false;',
    test: { file: lostAnswers, name: 'C07 a release whose answer was lost is a release' },
  },
  {
    id: 'mark-of-completion',
    what: 'a completion whose answer was lost is a completion (C07)',
    file: requests,
    find: 'const alreadyDone = item?.completedAt !== undefined && item.lastLeaseId === lease.leaseId;',
    replace: 'const alreadyDone = false;',
    test: { file: lostAnswers, name: 'C07 a completion whose answer was lost is a completion' },
  },
  {
    id: 'mark-of-break',
    what: 'a lease that was broken is no release of its holder’s',
    file: requests,
    find: '({ brokenLeaseId }: LeaseItem) => brokenLeaseId !== lease.leaseId',
    replace: '(_: LeaseItem) => true',
    test: {
      file: 'test/engine/client/with-lock.test.ts',
      name: 'work that ends well under a lease whose loss only its release finds is a LockLostError with the result',
    },
  },
  {
    id: 'completion-again',
    what: 'a completion that nobody answered is not taken for a loss',
    file: 'lib/lease/lease.ts',
    find: 'if (!this.#completionUncertain) this.#checkHeld();',
    replace: 'this.#checkHeld();',
    test: {
      file: lostAnswers,
      name: 'C07 a completion that nobody answered can be asked for again, also after a renewal took it for a loss',
    },
  },
  {
    id: 'valid-on-arrival',
    what: 'a grant that took longer than its lease is not handed out (C10)',
    file: acquisition,
    find: 'if (leftMs > this.#terms.safetyMarginMs) return grant;',
    replace: 'if (leftMs) return grant;',
    test: {
      file: lostAnswers,
      name: 'C10 a grant that took longer than its lease is not handed out, and is given back',
    },
  },
  {
    id: 'give-back',
    what: 'an acquire that gave up leaves no lease behind (C09)',
    file: acquisition,
    find: 'if (this.#uncertain) this.#giveBack();',
    replace: '',
    test: {
      file: lostAnswers,
      name: 'C09 an acquire that gave up although it was granted gives its lease back',
    },
  },
  {
    id: 'give-back-again',
    what: 'an acquire that lands late is given back, too (C09)',
    file: 'lib/client/background-release.ts',
    find: 'if (!(await pause(runtime, pauseMs, this.#closed.signal))) return;',
    replace: 'return;',
    test: {
      file: lostAnswers,
      name: 'C09 an acquire that timed out but lands later is released by its id',
    },
  },
  {
    id: 'late-after-refusal',
    what: 'a refused retry does not hide an attempt that is under way (C09)',
    file: acquisition,
    find: "if (outcome.kind === 'held' && outcome.mayArriveLate) this.#uncertain = true;",
    replace: '',
    test: {
      file: lostAnswers,
      name: 'C09 an earlier attempt that is still on its way is given back after a refusal, too',
    },
  },
  {
    id: 'token-seed',
    what: 'tokens rise over deletions (C23, I1)',
    file: 'lib/lease/acquire-request.ts',
    find: 'const seed = acquiredAt;',
    replace: 'const seed = 0;',
    test: {
      file: 'test/engine/client/tokens.test.ts',
      name: 'C23 the token after a deletion, as TTL would do it, is higher',
    },
  },
  {
    id: 'give-back-late-grant',
    what: 'a grant that is not handed out does not hold for a lease (C10)',
    file: acquisition,
    find: '    this.#giveBack();\n    this.#startOver();',
    replace: '    this.#startOver();',
    test: {
      file: lostAnswers,
      name: 'C10 a grant that took longer than its lease is not handed out, and is given back',
    },
  },
  {
    id: 'new-id-after-given-back',
    what: 'a waiter whose unanswered grant was broken goes on under a new lease id',
    file: acquisition,
    find: "if (outcome.kind === 'given-back') this.#startOver();\n      else this",
    replace: "if (outcome.kind !== 'given-back') this",
    test: {
      file: lostAnswers,
      name: 'C09 a waiter whose unanswered grant was broken gets the lock under a new lease id',
    },
  },
  {
    id: 'own-spent-lease',
    what: 'nobody waits for himself: what this call gives back is no holder (C30)',
    file: acquisition,
    find: 'this.#spent.has(leaseId) || this.#host.giveBack.isGivingBack(leaseId)',
    replace: 'false',
    test: {
      file: lostAnswers,
      name: 'C10 C30 nobody is told that the lock is held by the lease that he is giving back',
    },
  },
  {
    id: 'own-lease-of-before',
    what: 'nobody waits for himself: what an earlier call gives back is no holder (C30)',
    file: acquisition,
    find: ' || this.#host.giveBack.isGivingBack(leaseId)',
    replace: '',
    test: {
      file: lostAnswers,
      name: 'C30 nor by one that an earlier call of the same client is giving back',
    },
  },
];
