import type { Removal } from '../removal.js';

const semaphore = 'lib/kit/semaphore.ts';
const readWrite = 'lib/kit/read-write-lock.ts';
const laterCalls = 'lib/client/later-calls.ts';
const semaphoreTests = 'test/engine/kit/semaphore.test.ts';
const readWriteTests = 'test/engine/kit/read-write-lock.test.ts';
const costTests = 'test/engine/kit/costs.test.ts';
const waitTests = 'test/unit/client/permit-waits.test.ts';
const byChance =
  'looks first where chance has it, or for an owner that is named always at the same permit, and then by chance';
const badOptions = 'bad options are refused before any request';
const reservedName =
  'the name %s, which is that of a permit or a gate, is refused before any request, but for who looks or breaks';

/** Semaphores, and readers and a writer (kit page, sections 1 and 6). */
export const kitPermitsRemovals: readonly Removal[] = [
  {
    name: 'permits: no more than there are',
    file: 'lib/kit/permits.ts',
    find: 'Array.from({ length: permits }',
    replace: 'Array.from({ length: permits + 1 }',
    noticedBy: [
      {
        file: semaphoreTests,
        title: 'gives as many permits as it has, each a lease of its own, and no more',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'permits: only what could be had is written to',
    file: semaphore,
    find: 'const free = this.#names.filter((_, i) => canBeHad(this.#seen[i]?.info));',
    replace: 'const free = this.#names;',
    noticedBy: [
      {
        file: semaphoreTests,
        title:
          'costs one batch read and one write more when the first permit is held, and a wait costs no write',
      },
    ],
  },
  {
    name: 'permits: the first is tried by chance',
    file: semaphore,
    find: 'return Math.floor(random() * permits);',
    replace: 'return 0;',
    noticedBy: [{ file: semaphoreTests, title: byChance }],
  },
  {
    name: 'permits: an owner that comes again begins at the same one',
    file: semaphore,
    find: 'return hash % permits;',
    replace: 'return Math.floor(random() * permits);',
    noticedBy: [{ file: semaphoreTests, title: byChance }],
  },
  {
    name: 'permits: candidates are tried by chance',
    file: semaphore,
    find: '[result[i], result[j]] = [result[j]!, result[i]!];',
    replace: '',
    noticedBy: [{ file: semaphoreTests, title: byChance }],
  },
  {
    name: 'permits: supersede finds the earlier one',
    file: semaphore,
    find: 'if (!supersede) return [];',
    replace: 'if (supersede !== undefined) return [];',
    noticedBy: [{ file: semaphoreTests, title: 'lets a retried worker supersede its own earlier permit' }],
  },
  {
    name: 'permits: one that is completed is passed over',
    file: semaphore,
    find: 'if (error instanceof AlreadyCompletedError) return null;',
    replace: '',
    noticedBy: [
      {
        file: semaphoreTests,
        title: 'gives the permit of a holder that crashed to the next, and passes over one that is completed',
      },
    ],
  },
  {
    name: 'permits: one that is completed is not waited for',
    file: semaphore,
    find: 'info && (holder || info.freeFrom !== undefined)',
    replace: 'info && !canBeHad(info)',
    noticedBy: [
      {
        file: waitTests,
        title: 'a permit that is out of use is not waited for as one that could be had at once',
      },
    ],
  },
  {
    name: 'permits: a lease that is over is waited for until it may be taken',
    file: laterCalls,
    find: '- takeoverBefore(host.context) + 1;',
    replace: '- host.context.clock.now().latest;',
    noticedBy: [
      {
        file: waitTests,
        title:
          'a permit whose holder has crashed is waited for at ease, also while clocks do not agree yet that its lease is over',
      },
    ],
  },
  {
    name: 'permits: what passes by itself is a part of waiting',
    file: semaphore,
    find: 'this.#lastError = passingFailure(error, this.#options.signal);',
    replace: 'throw error;',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'permits: nothing is tried when the caller has no time left',
    file: semaphore,
    find: 'if (isOver(this.#options)) return null;',
    replace: '',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'permits: options are checked before the first request',
    file: semaphore,
    find: "host.check('acquire', given);",
    replace: '',
    noticedBy: [{ file: costTests, title: badOptions }],
  },
  {
    name: 'readers: options are checked before the first request',
    file: readWrite,
    find: "host.check('acquireRead', given, notTaken);",
    replace: '',
    noticedBy: [{ file: costTests, title: badOptions }],
  },
  {
    name: 'writer: takes no option that makes no sense of it',
    file: readWrite,
    find: "host.check('acquireWrite', given, notTaken);",
    replace: "host.check('acquireWrite', given);",
    noticedBy: [{ file: costTests, title: badOptions }],
  },
  {
    name: 'readers: look at the gate before',
    file: readWrite,
    find: 'if (before) return before;',
    replace: '',
    noticedBy: [
      {
        file: readWriteTests,
        title: 'a reader that finds a writer at the gate writes nothing, and reads on',
      },
    ],
  },
  {
    name: 'readers: look at the gate after',
    file: readWrite,
    find: 'if (!after && lease.isHeld) return lease;',
    replace: 'if (lease.isHeld) return lease;',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'readers: a permit that is over is not handed out',
    file: readWrite,
    find: 'if (!after && lease.isHeld) return lease;',
    replace: 'if (!after) return lease;',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'readers: who meets a writer gives its permit back',
    file: readWrite,
    find: 'await lease[Symbol.asyncDispose]();\n      return after;',
    replace: 'return after;',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'readers: who can not look at the gate gives its permit back',
    file: readWrite,
    find: 'await lease[Symbol.asyncDispose]();\n      throw error;',
    replace: 'throw error;',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'readers: whoever has given up is told so, whatever failed before',
    file: 'lib/kit/lock-host.ts',
    find: '  signal?.throwIfAborted();\n',
    replace: '',
    noticedBy: [
      {
        file: 'test/unit/kit/given-up.test.ts',
        title:
          'a failure that is heard of when its caller has just given up is the caller’s own reason, whatever failed',
      },
    ],
  },
  {
    name: 'readers: what passes by itself is a part of waiting',
    file: readWrite,
    find: 'failure = passingFailure(error, options.signal);',
    replace: 'throw error;',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'writer: takes all permits',
    file: readWrite,
    find: 'permits.map(take)',
    replace: 'permits.slice(1).map(take)',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'writer: is not in unless it has all permits',
    file: readWrite,
    find: 'if (!signal.aborted) return lock;',
    replace: 'return lock;',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'writer: gives back what it has when it can not have all',
    file: readWrite,
    find: 'await lock[Symbol.asyncDispose]();\n    throw signal.reason;',
    replace: 'throw signal.reason;',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'writer: the first permit that can not be had ends the wait for the others',
    file: readWrite,
    find: '{ ...options, signal, waitMs: pacing.leftMs }',
    replace: '{ ...options, waitMs: pacing.leftMs }',
    noticedBy: [
      {
        file: readWriteTests,
        title: 'a writer that finds a permit out of use does not wait for the others, and gives all back',
      },
    ],
  },
  {
    name: 'writer: is not in when its first leases are over',
    file: readWrite,
    find: 'if (lock.isHeld) return lock;',
    replace: 'if (lock.names.length > 0) return lock;',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'kit: options that do not fit together are refused before any request',
    file: laterCalls,
    find: 'holdSettings(host.options, options);',
    replace: '',
    noticedBy: [{ file: costTests, title: 'bad options are refused before any request' }],
  },
  {
    name: 'names: those of permits and gates are no plain locks',
    file: 'lib/client/lock-name.ts',
    find: 'if (!reserved.test(name)) return;',
    replace: 'if (!reserved.test(name) || name) return;',
    noticedBy: [{ file: costTests, title: reservedName }],
  },
  {
    name: 'acquire: a signal’s reason says nothing of the write that it ended, whatever it is',
    file: 'lib/table/dynamo-table.ts',
    find: 'if (signal?.aborted) throw unknown();',
    replace: "if (signal?.aborted) throw Object.hasOwn(Object(error), 'lockName') ? error : unknown();",
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'service: a signal’s reason says nothing of the request that it ended, whatever it is',
    file: 'lib/service-client/service-store.ts',
    find: 'const isGivenUp = signal?.aborted && error === signal.reason;',
    replace: 'const isGivenUp = false;',
    noticedBy: [{ suite: 'service' }],
  },
];
