import type { Removal } from '../removal.js';

const lostAnswersTests = 'test/engine/client/lost-answers.test.ts';
const acquisition = 'lib/client/acquisition.ts';

const holderOperations = 'lib/service/holder-operations.ts';
const unansweredEndsTests = 'test/engine/service/unanswered-ends.test.ts';
const unknownToTheService =
  'D01 is unknown to the service itself, and told as no loss, where a release says that it is a repeat';

/** What makes every write idempotent, and what cleans up after those that nobody answered. */
export const lostAnswersRemovals: readonly Removal[] = [
  {
    name: 'lost answers: a grant whose answer was lost is found again (C07)',
    file: 'lib/lease/refused-writes.ts',
    find: 'if (item?.leaseId === leaseId) {',
    replace: "if (item?.leaseId === 'nobody') {",
    noticedBy: [
      {
        file: lostAnswersTests,
        title: 'C07 a grant whose answer was lost is adopted by the SDK’s retry: token rises once',
      },
    ],
  },
  {
    name: 'lost answers: a renewal whose answer was lost counts (C07)',
    file: 'lib/lease/refused-writes.ts',
    find: "return item.expiresAt! >= expiresAt ? { kind: 'done' } : { kind: 'refused', item };",
    replace: "return { kind: 'lost', reason: 'taken-over' };",
    noticedBy: [
      {
        file: 'test/engine/lease/holder-requests.test.ts',
        title: 'C07 a renewal that finds its own expiry is the success of its earlier attempt',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'lost answers: a checkpoint is stored also when the clock has narrowed (I5)',
    file: 'lib/lease/lease-term.ts',
    find: 'this.#highestAsked = Math.max(capped + this.#surplusMs, this.#highestAsked + 1);',
    replace: 'this.#highestAsked = capped + this.#surplusMs;',
    noticedBy: [
      {
        file: 'test/engine/client/clock-trouble.test.ts',
        title: 'I5 a checkpoint is stored although the clock’s interval has narrowed since the grant',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'lost answers: a release whose answer was lost is a release (C07)',
    file: 'lib/lease/refused-writes.ts',
    find: "if (item && hasEnded(lease, item) && isDone(item)) return { kind: 'done', already: true };",
    replace: '',
    noticedBy: [
      { file: lostAnswersTests, title: 'C07 a release whose answer was lost is a release' },
      { suite: 'lock' },
    ],
  },
  {
    name: 'lost answers: a completion whose answer was lost is a completion (C07)',
    file: 'lib/lease/later-requests.ts',
    find: 'if (item && hasEnded(lease, item) && item.brokenLeaseId !== lease.leaseId) {',
    replace: 'if (false) {',
    noticedBy: [{ file: lostAnswersTests, title: 'C07 a completion whose answer was lost is a completion' }],
  },
  {
    name: 'lost answers: a lease that was broken is no release of its holder’s',
    file: 'lib/lease/refused-writes.ts',
    find: '({ brokenLeaseId }) => brokenLeaseId !== lease.leaseId',
    replace: '(_: LeaseItem) => true',
    noticedBy: [
      {
        file: 'test/engine/client/with-lock.test.ts',
        title:
          'work that ends well under a lease whose loss only its release finds is a LockLostError with the result',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'lost answers: a completion that nobody answered is not taken for a loss',
    file: 'lib/lease/lease-ends.ts',
    find: 'if (!hold.mayHaveEnded) hold.checkHeld();',
    replace: 'hold.checkHeld();',
    noticedBy: [
      {
        file: lostAnswersTests,
        title: 'D01 nor is one that was reopened and taken by others: nobody knows',
      },
    ],
  },
  {
    name: 'lost answers: a renewal that finds a completion which nobody answered is no loss (D01)',
    file: 'lib/lease/hold.ts',
    find: "if (outcome.kind === 'lost' && this.settle) return this.settle(signal);",
    replace: '',
    noticedBy: [
      {
        file: lostAnswersTests,
        title:
          'C07 D01 a completion that nobody answered is found by the next renewal, is no loss, and can be asked for again',
      },
    ],
  },
  {
    name: 'lost answers: an end that may have been applied is not forgotten at the next error (D01)',
    file: 'lib/lease/hold.ts',
    find: 'this.mayHaveEnded ||= error.mayHaveApplied;',
    replace: 'this.mayHaveEnded = error.mayHaveApplied;',
    noticedBy: [
      {
        file: lostAnswersTests,
        title: 'D01 an attempt to %s that may have been applied is not forgotten at the next error',
      },
    ],
  },
  {
    name: 'lost answers: a write that was tried before may have been applied, whatever its last attempt says (D01)',
    file: 'lib/errors/known-errors.ts',
    find: '(treatment.mayHaveApplied || triedBefore)',
    replace: 'treatment.mayHaveApplied',
    noticedBy: [
      {
        file: 'test/unit/errors/known-errors.test.ts',
        title: '$source raises $name: $kind, for the table, the service and S3 alike',
      },
    ],
  },
  {
    name: 'lost answers: and so does one that the service refused at last (D01)',
    file: 'lib/service-client/service-store.ts',
    find: '(mayHaveApplied !== false || attempts > 1)',
    replace: 'mayHaveApplied !== false',
    noticedBy: [
      {
        file: 'test/engine/service/unanswered-ends.test.ts',
        title: 'D01 a write that was sent %i times and refused at last may have been applied: %s',
      },
    ],
  },
  {
    name: 'lost answers: a release is one whoever holds by now (D01)',
    file: 'lib/lease/refused-writes.ts',
    find: 'return item.lastLeaseId === lease.leaseId && item.leaseId !== lease.leaseId;',
    replace: 'return item.lastLeaseId === lease.leaseId && item.leaseId === undefined;',
    noticedBy: [
      {
        file: lostAnswersTests,
        title:
          'D01 a release that nobody answered is a release, although a waiter was granted before it is repeated',
      },
    ],
  },
  {
    name: 'lost answers: what was asked for before and finds others is not told as a loss (D01)',
    file: 'lib/lease/refused-writes.ts',
    find: 'if (!(retried || mayHaveEnded) || item?.brokenLeaseId === leaseId) return;',
    replace: 'if (item?.brokenLeaseId !== name) return;',
    noticedBy: [
      {
        file: lostAnswersTests,
        title: 'D01 several holders later nobody knows, and it is not told as a loss',
      },
    ],
  },
  {
    name: 'lost answers: the service is told of earlier attempts (D01)',
    file: holderOperations,
    find: 'return retries > 0;',
    replace: 'return retries < 0;',
    noticedBy: [{ file: unansweredEndsTests, title: unknownToTheService }],
  },
  {
    name: 'lost answers: a renewal that finds an unanswered end tells no loss (D01)',
    file: holderOperations,
    find: 'if (!isRenewalAfterEnd) publish(',
    replace: 'publish(',
    noticedBy: [{ file: unansweredEndsTests, title: unknownToTheService }],
  },
  {
    name: 'lost answers: a grant that nobody heard of is no loss to the service (D01)',
    file: holderOperations,
    find: 'if (request.token !== undefined) publishLoss(request, reason);',
    replace: 'publishLoss(request, reason);',
    noticedBy: [
      {
        file: unansweredEndsTests,
        title: 'D01 a grant that nobody heard of is given back, and no loss, whoever holds',
      },
    ],
  },
  {
    name: 'lost answers: the client tells the service of its earlier attempts (D01)',
    file: 'lib/service-client/service-store.ts',
    find: 'const retries = mayHaveEnded ? 1 : undefined;',
    replace: 'const retries = mayHaveEnded ? undefined : undefined;',
    noticedBy: [{ file: unansweredEndsTests, title: 'D01 the client tells the service of its own attempts' }],
  },
  {
    name: 'lost answers: a section’s release says which attempt it is (D01)',
    file: 'lib/cdk/section/locked-section.ts',
    find: "retries: JsonPath.numberAt('$$.State.RetryCount'),",
    replace: '',
    noticedBy: [
      {
        file: 'test/process/cdk/locked-section-failures.test.ts',
        title: 'D01 of the release after its write, others having had the lock since: unknown, and no loss',
      },
    ],
  },
  {
    name: 'lost answers: a grant that took longer than its lease is not handed out (C10)',
    file: 'lib/client/attempt.ts',
    find: 'return isInTime(context, outcome.grant, terms) ? outcome.grant : undefined;',
    replace: 'return outcome.grant;',
    noticedBy: [
      {
        file: lostAnswersTests,
        title: 'C10 a grant that took longer than its lease is not handed out, and is given back',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'lost answers: an acquire that lands late is given back, too (C09)',
    file: 'lib/client/background-release.ts',
    find: 'const maxTriesUnseen = 8;',
    replace: 'const maxTriesUnseen = 1;',
    noticedBy: [
      {
        file: lostAnswersTests,
        title: 'C09 an acquire that timed out but lands later is released by its id',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'lost answers: a refused retry does not hide an attempt that is under way (C09)',
    file: acquisition,
    find: "if (outcome.kind === 'held' && outcome.mayArriveLate) this.#uncertain = true;",
    replace: '',
    noticedBy: [
      {
        file: lostAnswersTests,
        title: 'C09 an earlier attempt that is still on its way is given back after a refusal, too',
      },
    ],
  },
  {
    name: 'lost answers: a grant that is not handed out does not hold for a lease (C10)',
    file: acquisition,
    find: '    this.#giveBack();\n    this.#startOver();',
    replace: '    this.#startOver();',
    noticedBy: [
      {
        file: lostAnswersTests,
        title: 'C10 a grant that took longer than its lease is not handed out, and is given back',
      },
    ],
  },
  {
    name: 'lost answers: a waiter whose unanswered grant was broken goes on under a new lease id',
    file: acquisition,
    find: "if (outcome.kind === 'given-back') this.#startOver();\n      else this",
    replace: "if (outcome.kind !== 'given-back') this",
    noticedBy: [
      {
        file: lostAnswersTests,
        title: 'C09 a waiter whose unanswered grant was broken gets the lock under a new lease id',
      },
    ],
  },
  {
    name: 'lost answers: nobody waits for himself: what this call gives back is no holder (C30)',
    file: acquisition,
    find: 'this.#spent.has(leaseId) || this.#host.giveBack.isLeftBehind(leaseId)',
    replace: 'false',
    noticedBy: [
      {
        file: lostAnswersTests,
        title: 'C10 C30 nobody is told that the lock is held by the lease that he is giving back',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'lost answers: nobody waits for himself: what an earlier call gives back is no holder (C30)',
    file: acquisition,
    find: ' || this.#host.giveBack.isLeftBehind(leaseId)',
    replace: '',
    noticedBy: [
      {
        file: lostAnswersTests,
        title: 'C30 nor by one that an earlier call of the same client is giving back',
      },
    ],
  },
  {
    name: 'lost answers: nobody waits for himself: what a late copy of a refused request makes is no holder (C30)',
    file: acquisition,
    find: 'else this.#host.giveBack.noteRefused(this.#leaseId);',
    replace: '',
    noticedBy: [
      {
        file: 'test/unit/kit/left-behind.test.ts',
        title: 'C30 nobody, where a late copy of one’s own refused request has made a lease: %s',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'lost answers: nobody waits for himself, whatever else his client has left behind by then (C30)',
    file: acquisition,
    find: 'this.#spent.has(leaseId) || this.#host',
    replace: 'this.#host',
    noticedBy: [
      {
        file: 'test/unit/client/contention.test.ts',
        title:
          'is not told of a lease of its own as the holder, whatever else its client has left behind by then',
      },
    ],
  },
  {
    name: 'lost answers: through the service, too, an acquire whose first request may arrive late says so (C30)',
    file: 'lib/service/acquire-operation.ts',
    find: "return outcome.kind === 'held' && refused.mayArriveLate ? { ...outcome, mayArriveLate: true } : outcome;",
    replace: 'return outcome;',
    noticedBy: [
      {
        file: 'test/unit/service/service-in-memory.test.ts',
        title:
          'C30 may yet be granted where its first request may arrive late, whatever becomes of its second',
      },
    ],
  },
];
