import type { Protection } from './protection.js';

const lease = 'lib/lease/lease.ts';
const request = 'lib/lease/resume-request.ts';
const file = 'test/engine/client/hand-over.test.ts';

/** A lease goes from one process to the next, and never to two. */
export const ofHandingOver: readonly Protection[] = [
  {
    id: 'hand-over-stops',
    what: 'nothing runs on where a lease was handed over',
    file: lease,
    find: "this.#state = 'handed-over';\n    this.#heartbeat.stop();",
    replace: "this.#state = 'handed-over';",
    test: { file, name: 'leaves nothing that runs, and nothing to be done with the old lease' },
  },
  {
    id: 'hand-over-is-no-release',
    what: 'a lease that was handed over is not released where it came from',
    file: lease,
    find: "return this.#state === 'ended' || this.#isHandedOver;",
    replace: "return this.#state === 'ended';",
    test: { file, name: 'withLock and await using leave a lease alone that was handed over' },
  },
  {
    id: 'hand-over-before-disposal',
    what: 'a disposer waits for the hand-over that its scope returns',
    file: lease,
    find: 'if (this.#handingOver) await this.#handingOver;',
    replace: '',
    test: { file, name: 'withLock and await using leave a lease alone that was handed over' },
  },
  {
    id: 'resume-that-very-lease',
    what: 'what others have had meanwhile is not gone on with, free or not (I4)',
    file: request,
    find: 'const change = { set, condition: isExactly(seen.leaseId, seen.token) };',
    replace: 'const change = { set };',
    test: {
      file,
      name: 'I4 a lease that was taken over and released since is lost, and nothing is changed',
    },
  },
  {
    id: 'resume-under-its-token',
    what: 'a lease id that came back under another token is not the lease that was handed over (I4)',
    file: 'lib/lease/conditions.ts',
    find: "return all(stillTheOneSeen(seenLeaseId), {\n    text: '#version = :seenToken',\n    values: { ':seenToken': seenToken },\n  });",
    replace: 'return all(stillTheOneSeen(seenLeaseId), seenToken ? undefined : undefined);',
    test: {
      file,
      name: 'I4 the same lease id under another token is not the lease that was handed over',
    },
  },
  {
    id: 'resume-new-lease-id',
    what: 'two processes that go on with the same hand-over never hold one lease id (I2)',
    file: 'lib/client/resume.ts',
    find: 'const leaseId = context.runtime.randomId();',
    replace: 'const { leaseId } = from;',
    test: {
      file,
      name: 'I2 the same JSON twice: the later one goes on, the earlier one is told and its token is refused',
    },
  },
  {
    id: 'resume-mark-of-its-grant',
    what: 'a later owner’s lease is not taken for an earlier attempt of the same hand-over (I4)',
    file: request,
    find: 'return resumes === handedOver && resumingLease === leaseId ?',
    replace: 'return resumes === handedOver ?',
    test: { file, name: 'I4 a later owner is not taken for an earlier attempt: its mark says whose it is' },
  },
  {
    id: 'resume-again',
    what: 'a retried state goes on where the attempt before crashed',
    file: request,
    find: 'if (sibling) outcome =',
    replace: 'if (!outcome) outcome =',
    test: {
      file,
      name: 'C07 one whose answer was lost for good is not given back: the retry of the state goes on',
    },
  },
];
