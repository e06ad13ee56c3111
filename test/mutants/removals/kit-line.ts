import type { Removal } from '../removal.js';

const fairTests = 'test/engine/kit/fair.test.ts';
const readsTests = 'test/unit/kit/fair-reads.test.ts';
const turnOf = (title: string) => ({ file: 'test/unit/kit/turns.test.ts', title });
const leftBehindTests = 'test/unit/kit/left-behind.test.ts';
const groupTests = 'test/engine/kit/lock-group.test.ts';
const leaderTests = 'test/engine/kit/leader.test.ts';
const lineStore = 'lib/kit/line-store.ts';
const fairAcquire = 'lib/kit/fair-acquire.ts';
const lockGroup = 'lib/kit/lock-group.ts';
const leader = 'lib/kit/leader.ts';

const costsAGrace = {
  file: fairTests,
  title: 'a dead waiter ahead costs a grace, and its ticket is cleared away when its time is over',
};
const fullLine = {
  file: fairTests,
  title: 'a line that is full refuses with a typed error, and an answer that is lost makes no second ticket',
};
const lostTogether = {
  file: groupTests,
  title: 'are lost together: the signal fires with the first, and withLocks tells it with the result',
};
const askedAsSeen = {
  file: leaderTests,
  title: 'is asked only as it was seen: a lease that was granted meanwhile is left alone',
};
const lockSuite = { suite: 'lock' } as const;

/** The fair line, several locks at once, leaders, and asking the holder to let go (the kit page, sections 2, 3, 4 and 7). */
export const kitLineRemovals: readonly Removal[] = [
  {
    name: 'line: a ticket is appended once, however often its request arrives',
    file: lineStore,
    find: 'all(notInLine(text), hasRoom)',
    replace: 'hasRoom',
    noticedBy: [fullLine, lockSuite],
  },
  {
    name: 'line: holds a hundred tickets at most',
    file: lineStore,
    find: 'all(notInLine(text), hasRoom)',
    replace: 'notInLine(text)',
    noticedBy: [fullLine],
  },
  {
    name: 'line: a ticket that an earlier attempt has appended is no full line',
    file: lineStore,
    find: 'if (tickets.some(({ id }) => id === ticket.id)) return;',
    replace: '',
    noticedBy: [fullLine, lockSuite],
  },
  {
    name: 'line: what is taken out stands where it was seen',
    file: lineStore,
    find: "  text: `#tickets[${place}] = :ticket`,\n  values: { ':ticket': ticket },",
    replace:
      "  text: 'attribute_exists(#tickets) AND NOT #tickets = :ticket',\n  values: { ':ticket': ticket },",
    noticedBy: [lockSuite],
  },
  {
    name: 'line: goes by itself when nobody uses it any more',
    file: lineStore,
    find: 'set: { ttl: Math.ceil(ticket.deadline / 1000) + keptSeconds },',
    replace: 'set: {},',
    noticedBy: [lockSuite],
  },
  {
    name: 'line: not before the head has had its turn',
    file: fairAcquire,
    find: 'freeMs >= this.#place * graceMs',
    replace: 'freeMs >= 0',
    noticedBy: [
      turnOf('a grace for each who stands before it: the living keep their order (seed %i)'),
      lockSuite,
    ],
  },
  {
    name: 'line: a grace for each place ahead',
    file: fairAcquire,
    find: 'freeMs >= this.#place * graceMs',
    replace: 'freeMs >= graceMs',
    noticedBy: [turnOf('a grace for each who stands before it: the living keep their order (seed %i)')],
  },
  {
    name: 'line: a dead waiter costs no more than a grace',
    file: fairAcquire,
    find: 'const graceMs = 2_000;',
    replace: 'const graceMs = 20_000;',
    noticedBy: [lockSuite],
  },
  {
    name: 'line: free for so long without anybody in between',
    file: fairAcquire,
    find: 'this.#freeSince?.token !== info?.token || this.#freeSince === undefined',
    replace: 'this.#freeSince === undefined',
    noticedBy: [turnOf('a lock that somebody has had in between has not been free for so long')],
  },
  {
    name: 'line: free for so long by its own look, not by an earlier one',
    file: fairAcquire,
    find: 'if (!this.#mayTry(info)) this.#freeSince = undefined;',
    replace: 'if (!this.#mayTry(info)) {}',
    noticedBy: [
      turnOf('a lock that is held again is not tried for, however long it was free before'),
      lockSuite,
    ],
  },
  {
    name: 'line: a ticket past its deadline counts for nobody',
    file: fairAcquire,
    find: 'tickets.filter(({ deadline }) => deadline >= earliest)',
    replace: 'tickets.filter(() => earliest > 0)',
    noticedBy: [costsAGrace],
  },
  {
    name: 'line: the head clears away what is past its deadline',
    file: fairAcquire,
    find: 'for (const gone of this.#ahead) await',
    replace: 'for (const gone of [] as Ticket[]) await',
    noticedBy: [costsAGrace],
  },
  {
    name: 'line: a dead waiter costs a grace once',
    file: fairAcquire,
    find: '...(this.#isGranted ? this.#ahead : [])',
    replace: '',
    noticedBy: [costsAGrace, lockSuite],
  },
  {
    name: 'line: a call that has ended leaves no ticket',
    file: fairAcquire,
    find: 'await turn.leave();',
    replace: '',
    noticedBy: [{ file: fairTests, title: 'whoever gives up or aborts takes its ticket out' }, lockSuite],
  },
  {
    name: 'line: a ticket that is under way when its caller aborts is taken out',
    file: fairAcquire,
    find: 'await lines.joinLine(this.#name, this.#ticket);',
    replace: 'await lines.joinLine(this.#name, this.#ticket, this.#options.signal);',
    noticedBy: [
      {
        file: 'test/unit/kit/given-up.test.ts',
        title: 'whoever gives up while its ticket is still on its way to the line leaves none behind',
      },
      lockSuite,
    ],
  },
  {
    name: 'line: what is being given back is nobody’s lease',
    file: 'lib/kit/lock-host.ts',
    find: "if (info?.state !== 'held' || isLeftBehind) return undefined;",
    replace: "if (info?.state !== 'held') return undefined;",
    noticedBy: [
      { file: leftBehindTests, title: 'C30 nobody, where it is a lease of one’s own that is given back: %s' },
      lockSuite,
    ],
  },
  {
    name: 'line: who refused an earlier try is named no more once a look has shown that he is gone',
    file: fairAcquire,
    find: '    this.#refusal = undefined;',
    replace: '',
    noticedBy: [
      {
        file: leftBehindTests,
        title: 'nobody, where the holder has let go, and whoever asks in line gave up before its turn came',
      },
    ],
  },
  {
    name: 'line: whether a lease is given back is found out at the look',
    file: 'lib/client/later-calls.ts',
    find: 'isLeftBehind: leaseId !== undefined && contention.giveBack.isLeftBehind(leaseId)',
    replace:
      'get isLeftBehind() { return leaseId !== undefined && contention.giveBack.isLeftBehind(leaseId); }',
    noticedBy: [
      {
        file: leftBehindTests,
        title:
          'C30 its holder by the last look that was answered, where the lease is given back only after that',
      },
    ],
  },
  {
    name: 'line: a look at the lock is one read, which is answered or refused',
    file: 'lib/client/admin.ts',
    find: 'names.length === 1 && only !== undefined',
    replace: 'names.length === 0 && only !== undefined',
    noticedBy: [{ suite: 'hand-over' }],
  },
  {
    name: 'line: who goes on with its own earlier lease takes nobody’s place away',
    file: fairAcquire,
    find: 'if (this.#isOwn(this.#sight.info)) this.#ahead = [];',
    replace: '',
    noticedBy: [lockSuite],
  },
  {
    name: 'line: a ticket that somebody took out stands at the end again',
    file: fairAcquire,
    find: 'if (before < 0) await',
    replace: 'if (before < -1) await',
    noticedBy: [
      {
        file: fairTests,
        title: 'a waiter whose ticket was taken out, as that of a dead one, goes to the end of the line',
      },
    ],
  },
  {
    name: 'line: whoever comes goes past nobody',
    file: fairAcquire,
    find: 'const lease = isFirst ? await this.#try() : undefined;',
    replace: 'const lease = isFirst || true ? await this.#try() : undefined;',
    noticedBy: [
      { file: fairTests, title: 'whoever would not wait leaves no ticket and goes past nobody' },
      lockSuite,
    ],
  },
  {
    name: 'line: trouble that passes is part of the wait',
    file: fairAcquire,
    find: 'this.#lastError = passingFailure(error, this.#options.signal);',
    replace: 'throw error;',
    noticedBy: [
      {
        file: fairTests,
        title: 'trouble that passes is part of the wait, before it stands in line and while it joins',
      },
      lockSuite,
    ],
  },
  {
    name: 'line: the end of the caller’s own time is no wrong option',
    file: fairAcquire,
    find: 'if (isOver(this.#options)) return undefined;',
    replace: '',
    noticedBy: [
      { file: fairTests, title: 'the end of the caller’s own time in line is no wrong option' },
      lockSuite,
    ],
  },
  {
    name: 'line: a lease that ended while its ticket was taken out is not handed out',
    file: fairAcquire,
    find: 'if (lease.isHeld) return lease;',
    replace: 'if (lease) return lease;',
    noticedBy: [lockSuite],
  },
  {
    name: 'line: its own earlier lease keeps nobody waiting (supersede)',
    file: fairAcquire,
    find: "this.#options.supersede === true && info?.state === 'held'",
    replace: "this.#options.supersede === true && info?.state === 'free'",
    noticedBy: [
      {
        file: fairTests,
        title: 'supersede: its own earlier lease is taken over at once, also by who stands in line',
      },
    ],
  },
  {
    name: 'line: a crowd reads no more than three waiters do',
    file: fairAcquire,
    find: 'return length > 3 ? looks / behindHead : 1;',
    replace: 'return length > 3 ? looks / looks : 1;',
    noticedBy: [
      {
        file: readsTests,
        title: 'ten fair waiters read no more in a second than three, and thirty less than twice as much',
      },
    ],
  },
  {
    name: 'line: all look often enough to use their turn',
    file: fairAcquire,
    find: 'Math.min(spacedMs, lookWithinMs)',
    replace: 'spacedMs * 2',
    noticedBy: [
      {
        file: readsTests,
        title:
          'fifty in line, whose turns are short: each is served in its turn, since all look often enough',
      },
    ],
  },
  {
    name: 'several locks: in one order for everybody',
    file: lockGroup,
    find: '[...new Set(names)].sort()',
    replace: '[...new Set(names)]',
    noticedBy: [
      { file: groupTests, title: 'are acquired in one order, once each, with a token for each' },
      lockSuite,
    ],
  },
  {
    name: 'several locks: each once',
    file: lockGroup,
    find: '[...new Set(names)].sort()',
    replace: '[...names].sort()',
    noticedBy: [{ file: groupTests, title: 'are acquired in one order, once each, with a token for each' }],
  },
  {
    name: 'several locks: what was had is given back when one can’t be had',
    file: lockGroup,
    find: 'await new LockGroup(leases)[Symbol.asyncDispose]();',
    replace: '',
    noticedBy: [
      { file: groupTests, title: 'are all free again when one is held, and the error names that one' },
      lockSuite,
    ],
  },
  {
    name: 'several locks: the signal fires with the first loss',
    file: lockGroup,
    find: "else signal.addEventListener('abort', () => abort.abort(signal.reason));",
    replace: '',
    noticedBy: [lostTogether, lockSuite],
  },
  {
    name: 'several locks: a loss before the signal was asked for',
    file: lockGroup,
    find: 'if (signal.aborted) abort.abort(signal.reason);\n      else ',
    replace: '',
    noticedBy: [
      { file: groupTests, title: 'are told by a signal that is asked for only after one was lost' },
    ],
  },
  {
    name: 'several locks: held while all are',
    file: lockGroup,
    find: 'return [...this.#leases.values()].every(({ isHeld }) => isHeld);',
    replace: 'return [...this.#leases.values()].some(({ isHeld }) => isHeld);',
    noticedBy: [lostTogether, lockSuite],
  },
  {
    name: 'several locks: none was lost while the others were waited for',
    file: lockGroup,
    find: '    group.throwIfLost();\n',
    replace: '',
    noticedBy: [
      turnOf('are not handed out where the first was lost while the last was waited for'),
      lockSuite,
    ],
  },
  {
    name: 'several locks: one wait for all',
    file: lockGroup,
    find: '{ ...options, waitMs: pacing.leftMs }',
    replace: '{ ...options, waitMs }',
    noticedBy: [turnOf('have one wait for all of them'), lockSuite],
  },
  {
    name: 'several locks: the end of the caller’s own time is no wrong option',
    file: lockGroup,
    find: 'if (leases.size > 0 && isOver(options))',
    replace: 'if (leases.size < 0 && isOver(options))',
    noticedBy: [
      {
        file: groupTests,
        title: 'are not had when the caller’s own time ends between them: no wrong option, and all are free',
      },
    ],
  },
  {
    name: 'leader: steps down when it is asked',
    file: leader,
    find: 'const sources = [lease.signal, lease.releaseRequested,',
    replace: 'const sources = [lease.signal,',
    noticedBy: [
      {
        file: leaderTests,
        title: 'steps down when somebody asks, and another leads without waiting for a lease to end',
      },
      lockSuite,
    ],
  },
  {
    name: 'leader: is told of its loss',
    file: leader,
    find: 'const sources = [lease.signal, lease.releaseRequested,',
    replace: 'const sources = [lease.releaseRequested,',
    noticedBy: [
      { file: leaderTests, title: 'campaigns again after a loss, under a higher token' },
      lockSuite,
    ],
  },
  {
    name: 'leader: campaigns again after a loss',
    file: leader,
    find: "if (wasLost) return { kind: 'lost', wasAsked };",
    replace: '',
    noticedBy: [
      { file: leaderTests, title: 'campaigns again after a loss, under a higher token' },
      lockSuite,
    ],
  },
  {
    name: 'leader: campaigns again after it has stepped down',
    file: leader,
    find: "if (wasAsked) return { kind: 'stepped-down' };",
    replace: '',
    noticedBy: [lockSuite],
  },
  {
    name: 'leader: leaves the lead to the others after it has stepped down',
    file: leader,
    find: 'if (wasAsked) await sleep(host.runtime, stepDownPauseMs, signal);',
    replace: '',
    noticedBy: [lockSuite],
  },
  {
    name: 'leader: what its work throws when it is told to stop is no error of its own',
    file: leader,
    find: "settled.kind === 'threw' && !isToldToStop(settled.error, over.signal);",
    replace: "settled.kind === 'threw';",
    noticedBy: [lockSuite],
  },
  {
    name: 'leader: work that stops unasked has failed, also where its lease’s own release aborts its signal',
    file: leader,
    find: "    await lease[Symbol.asyncDispose]();\n    // Told to stop, it stopped: that is no end of its own. What it returns to the caller's wish to end is not lost.\n    if (hasFailed) return settled;",
    replace:
      '    await lease[Symbol.asyncDispose]();\n    if (hasFailed && !isToldToStop(settled.error, over.signal)) return settled;',
    noticedBy: [
      {
        file: 'test/unit/kit/leader.test.ts',
        title: 'answers what its work does, throws what its work throws, and has released before',
      },
    ],
  },
  {
    name: 'leader: gives the lead back before its call ends',
    file: leader,
    find: '    await lease[Symbol.asyncDispose]();\n',
    replace: '',
    noticedBy: [{ file: leaderTests, title: 'throws the error of its work, and releases first' }],
  },
  {
    name: 'leader: trouble that passes ends no campaign',
    file: leader,
    find: 'if (!isNotYet) passingFailure(error, options.signal);',
    replace: 'if (!isNotYet) throw error;',
    noticedBy: [lockSuite],
  },
  {
    name: 'leader: campaigns again soon after trouble',
    file: leader,
    find: 'await sleep(host.runtime, passingPauseMs, options.signal);',
    replace: 'await sleep(host.runtime, 1_000 * passingPauseMs, options.signal);',
    noticedBy: [turnOf('a campaign goes on soon after a line that was full has emptied'), lockSuite],
  },
  {
    name: 'leader: whoever asks is told who leads',
    file: 'lib/client/later-calls.ts',
    find: "return info?.state === 'held' ? info : undefined;",
    replace: "return info?.state === 'expired' ? info : undefined;",
    noticedBy: [
      lockSuite,
      { file: leaderTests, title: 'is one of many; when its work returns its call ends, and the next leads' },
    ],
  },
  {
    name: 'leader: waits on at a line that is full',
    file: leader,
    find: ' || error instanceof LineFullError',
    replace: '',
    noticedBy: [
      {
        file: leaderTests,
        title: 'waits on at a line that is full, and ends with the caller’s own time by no wrong option',
      },
    ],
  },
  {
    name: 'leader: the end of the caller’s own time is no wrong option',
    file: leader,
    find: 'if (isOver(options)) throw new LockHeldError(name, undefined, 0);',
    replace: '',
    noticedBy: [
      {
        file: leaderTests,
        title: 'waits on at a line that is full, and ends with the caller’s own time by no wrong option',
      },
    ],
  },
  {
    name: 'asking: only the lease that was seen is asked to let go',
    file: 'lib/lease/later-conditions.ts',
    find: 'leaseId === undefined ? isHeld : isCurrent(leaseId),',
    replace: 'isHeld,',
    noticedBy: [askedAsSeen, lockSuite],
  },
  {
    name: 'asking: only the lease under the token that was seen is asked to let go',
    file: 'lib/lease/later-conditions.ts',
    find: 'token === undefined ? undefined : hasToken(token),',
    replace: '',
    noticedBy: [askedAsSeen],
  },
  {
    name: 'asking: whoever takes over has not been asked',
    file: 'lib/lease/acquire-request.ts',
    find: "remove: ['releaseRequested', 'freeFrom'],",
    replace: "remove: ['freeFrom'],",
    noticedBy: [lockSuite],
  },
  {
    name: 'asking: the holder learns of it with its next renewal',
    file: 'lib/lease/hold.ts',
    find: 'this.#learnRequest(outcome.before?.releaseRequested);',
    replace: '',
    noticedBy: [
      {
        file: leaderTests,
        title: 'steps down when somebody asks, and another leads without waiting for a lease to end',
      },
      lockSuite,
    ],
  },
  {
    name: 'minHoldMs: an operator’s break ends the rest of it',
    file: 'lib/lease/later-requests.ts',
    find: 'if (isHeldBack) await',
    replace: 'if (isHeldBack && false) await',
    noticedBy: [
      {
        file: 'test/engine/kit/free-not-yet.test.ts',
        title: 'minHoldMs: an operator’s break ends the rest of it, of exactly the lease that inspect shows',
      },
    ],
  },
  {
    name: 'minHoldMs: the lease that keeps everybody from the lock is shown to operators',
    file: 'lib/client/lock-info.ts',
    find: '(freeFrom === undefined ? item.leaseId : item.lastLeaseId)',
    replace: 'item.leaseId',
    noticedBy: [
      {
        file: 'test/engine/service/requests.test.ts',
        title:
          'to break a lock that is free, but not yet, ends that; operators alone are shown by which lease',
      },
    ],
  },
];
