import type { Removal } from '../removal.js';

const hold = 'lib/lease/hold.ts';
const leaseEnds = 'lib/lease/lease-ends.ts';
const handOverTests = 'test/engine/client/hand-over.test.ts';
const resumeRequest = 'lib/lease/resume-request.ts';
const conditions = 'lib/lease/conditions.ts';

/** A lease goes from one process to the next, and never to two. */
export const handOverRemovals: readonly Removal[] = [
  {
    name: 'hand-over: nothing runs on where a lease was handed over',
    file: leaseEnds,
    find: "hold.end('handed-over');",
    replace: "hold.state = 'ended';",
    noticedBy: [
      { file: handOverTests, title: 'leaves nothing that runs, and nothing to be done with the old lease' },
    ],
  },
  {
    name: 'hand-over: a lease that was handed over is not released where it came from',
    file: hold,
    find: "return this.state === 'ended';",
    replace: "return this.state === 'ended' && !this.#handedOver;",
    noticedBy: [
      { file: handOverTests, title: 'withLock and await using leave a lease alone that was handed over' },
    ],
  },
  {
    name: 'hand-over: a disposer waits for the hand-over that its scope returns',
    file: hold,
    find: "await this.#queue;\n    if (this.state === 'held') this.state = 'ending';",
    replace: "if (this.state === 'held') this.state = 'ending';\n    await this.#queue;",
    noticedBy: [
      { file: handOverTests, title: 'withLock and await using leave a lease alone that was handed over' },
    ],
  },
  {
    name: 'hand-over: what others have had meanwhile is not gone on with, free or not (I4)',
    file: resumeRequest,
    find: 'const change = { set, condition: isExactly(seen.leaseId, seen.token) };',
    replace: 'const change = { set };',
    noticedBy: [
      {
        file: handOverTests,
        title: 'I4 a lease that was taken over and released since is lost, and nothing is changed',
      },
      { suite: 'hand-over' },
    ],
  },
  {
    name: 'hand-over: a lease id that came back under another token is not the lease that was handed over (I4)',
    file: 'lib/lease/later-conditions.ts',
    find: "    text: `${text.stillTheOneSeen} AND #version = :seenToken`,\n    values: { ':seenLeaseId': seenLeaseId, ':seenToken': seenToken },",
    replace:
      "    text: text.stillTheOneSeen,\n    values: { ':seenLeaseId': seenLeaseId, ...(seenToken && {}) },",
    noticedBy: [
      {
        file: handOverTests,
        title: 'I4 the same lease id under another token is not the lease that was handed over',
      },
    ],
  },
  {
    name: 'hand-over: two processes that go on with the same hand-over never hold one lease id (I2)',
    file: 'lib/client/later-calls.ts',
    find: 'const leaseId = context.runtime.randomId();',
    replace: 'const { leaseId } = from;',
    noticedBy: [
      {
        file: handOverTests,
        title:
          'I2 the same JSON twice: the later one goes on, the earlier one is told and its token is refused',
      },
      { suite: 'hand-over' },
    ],
  },
  {
    name: 'hand-over: a later owner’s lease is not taken for an earlier attempt of the same hand-over (I4)',
    file: resumeRequest,
    find: 'return resumes === handedOver && resumingLease === leaseId ?',
    replace: 'return resumes === handedOver ?',
    noticedBy: [
      {
        file: handOverTests,
        title: 'I4 a later owner is not taken for an earlier attempt: its mark says whose it is',
      },
      { suite: 'hand-over' },
    ],
  },
  {
    name: 'hand-over: a retried state goes on where the attempt before crashed',
    file: resumeRequest,
    find: 'if (sibling) outcome =',
    replace: 'if (!outcome) outcome =',
    noticedBy: [
      {
        file: handOverTests,
        title: 'C07 one whose answer was lost for good is not given back: the retry of the state goes on',
      },
    ],
  },
  {
    name: 'resume: a lease of somebody else is not taken for an earlier attempt',
    file: resumeRequest,
    find: 'return resumes === handedOver && resumingLease === leaseId ? { leaseId, token: version } : undefined;',
    replace: 'return { leaseId, token: version };',
    noticedBy: [{ suite: 'hand-over' }],
  },
  {
    name: 'hand-over: its holder does not count on it any more',
    file: leaseEnds,
    find: "    hold.end('handed-over');\n",
    replace: '',
    noticedBy: [{ suite: 'hand-over' }],
  },
  {
    name: 'resume: exactly the lease that was seen',
    changes: [
      {
        file: resumeRequest,
        find: 'const change = { set, condition: isExactly(seen.leaseId, seen.token) };',
        replace: 'const change = { set };',
      },
      {
        file: conditions,
        find: 'supersedes ? [stillTheOneSeen] : []',
        replace: "supersedes ? ['attribute_exists(#leaseId)'] : []",
      },
    ],
    noticedBy: [{ suite: 'hand-over' }],
  },
];
