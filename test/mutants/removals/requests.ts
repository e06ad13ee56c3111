import type { Removal } from '../removal.js';

const dynamoTable = 'lib/table/dynamo-table.ts';
const readsAndDeadlinesTests = 'test/engine/table/reads-and-deadlines.test.ts';
const clientCore = 'lib/client/client-core.ts';
const acquisition = 'lib/client/acquisition.ts';
const requestCountsTests = 'test/engine/client/request-counts.test.ts';
const waitingTests = 'test/engine/client/waiting.test.ts';
const clientOptions = 'lib/client/client-options.ts';
const holdSettings = 'lib/client/hold-settings.ts';
const optionsTests = 'test/engine/client/options.test.ts';
const lockName = 'lib/client/lock-name.ts';
const namesTests = 'test/engine/client/names.test.ts';

/** What is sent, when, and for how long at most; and what is refused before anything is sent. */
export const requestsRemovals: readonly Removal[] = [
  {
    name: 'requests: a waiter decides on what is true now (C40)',
    file: 'lib/table/later-dynamo.ts',
    find: 'Key: toKey(name), ConsistentRead: true }',
    replace: 'Key: toKey(name) }',
    noticedBy: [
      { file: readsAndDeadlinesTests, title: 'C40 every read that decides is strongly consistent' },
    ],
  },
  {
    name: 'requests: a group is listed as it is now (C40)',
    file: 'lib/table/later-dynamo.ts',
    find: 'Keys: asked, ConsistentRead: true',
    replace: 'Keys: asked',
    noticedBy: [
      { file: readsAndDeadlinesTests, title: 'C40 every read that decides is strongly consistent' },
    ],
  },
  {
    name: 'requests: the table is listed as it is now (C40)',
    file: 'lib/table/later-dynamo.ts',
    find: '      ConsistentRead: true,\n',
    replace: '',
    noticedBy: [
      { file: readsAndDeadlinesTests, title: 'C40 every read that decides is strongly consistent' },
    ],
  },
  {
    name: 'requests: a signal that aborted is no other request’s',
    file: 'lib/runtime/send-within.ts',
    find: '      if (controller.signal.aborted) return;\n',
    replace: '',
    noticedBy: [
      {
        file: 'test/unit/runtime/send-within.test.ts',
        title: 'never takes a signal over that aborted, or that of a request under way',
      },
    ],
  },
  {
    name: 'requests: what AWS wants signed is signed, by a client of our own',
    file: 'lib/table/own-client.ts',
    find: "new Set(['content-length'])",
    replace: "new Set(['content-length', 'x-amz-target'])",
    noticedBy: [
      {
        file: 'test/engine/table/own-client.test.ts',
        title: 'sends no header that DynamoDB does not look at, and signs all that AWS wants signed',
      },
    ],
  },
  {
    name: 'requests: what is added to a client that is passed in sees all requests, unless it was made to share',
    file: 'lib/table/dynamo-table.ts',
    find: 'isClientOurs || (client as DynamoDBClient).config?.cacheMiddleware === true',
    replace: 'true',
    noticedBy: [
      {
        file: 'test/engine/table/own-client.test.ts',
        title:
          'of a client that is passed in, cacheMiddleware: $cacheMiddleware, what is added later sees $seen requests',
      },
    ],
  },
  {
    name: 'requests: of a client of our own each still goes by its own signal',
    file: 'lib/table/own-client.ts',
    find: 'config.requestHandler.handle(request, options)',
    replace: 'config.requestHandler.handle(request, {})',
    noticedBy: [
      {
        file: 'test/engine/table/own-client.test.ts',
        title: 'C22 an abort ends the very request that it is meant for, and its connection',
      },
    ],
  },
  {
    name: 'requests: every request ends, whatever the SDK’s settings (C28)',
    file: dynamoTable,
    find: 'sendWithin(runtime, callTimeoutMs, signal,',
    replace: 'sendWithin(runtime, 600_000, signal,',
    noticedBy: [
      {
        file: readsAndDeadlinesTests,
        title: 'a request ends by the client’s own deadline, even where the SDK has none',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'requests: an attempt that hangs is given up, not only warned of',
    file: 'lib/runtime/send-within.ts',
    find: 'throwOnRequestTimeout: true',
    replace: 'throwOnRequestTimeout: false',
    noticedBy: [
      {
        file: readsAndDeadlinesTests,
        title:
          'a client of its own gives up an attempt that hangs and tries again, within the request’s time',
      },
    ],
  },
  {
    name: 'requests: a refusal brings its item, and costs no read (I8)',
    file: dynamoTable,
    find: "      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',\n",
    replace: '',
    noticedBy: [
      {
        file: readsAndDeadlinesTests,
        title: 'every write is one conditional write that asks for the item it is refused by',
      },
    ],
  },
  {
    name: 'requests: a retry’s refusal that can’t be read leaves the grant uncertain (C09)',
    file: 'lib/table/later-dynamo.ts',
    find: 'if (!retried || !(error instanceof StoreError)) throw error;',
    replace: 'throw error;',
    noticedBy: [
      {
        file: 'test/engine/table/refusal-without-item.test.ts',
        title: 'C09 that can’t be read after a retry leave the grant uncertain: it is given back',
      },
    ],
  },
  {
    name: 'requests: a guard’s transaction on the item is waited for',
    file: 'lib/errors/known-errors.ts',
    find: 'TransactionConflictException ',
    replace: '',
    noticedBy: [
      {
        file: readsAndDeadlinesTests,
        title: 'a transaction on the item, such as a guard’s check of the lease is waited for',
      },
    ],
  },
  {
    name: 'requests: waiters leave the write capacity to the holder (I8)',
    file: acquisition,
    find: 'if (this.#mayWin()) return true;',
    replace: 'return true;',
    noticedBy: [{ file: requestCountsTests, title: 'I8 a waiter reads, and writes only when it may win' }],
  },
  {
    name: 'requests: a process does not contend with itself (I8)',
    file: clientCore,
    find: 'asked.supersede ? noTurn() : queue.tryEnter(name)',
    replace: 'noTurn()',
    noticedBy: [
      {
        file: requestCountsTests,
        title: 'I8 a process never contends with itself: its callers queue in memory',
      },
    ],
  },
  {
    name: 'requests: a load that stalls holds up nobody who gives up (C18)',
    file: clientCore,
    find: 'await orAborted(later(), signal)',
    replace: 'await later()',
    noticedBy: [
      {
        file: 'test/unit/client/stalled-load.test.ts',
        title: 'C18 who waits for a turn while the part for it is loaded ends with the signal’s own reason',
      },
    ],
  },
  {
    name: 'requests: throttling and 5xx do not end a wait (C19)',
    file: acquisition,
    find: 'if (!error.retryable || this.#request.signal?.aborted) throw error;',
    replace: 'throw error;',
    noticedBy: [{ file: waitingTests, title: 'C19 throttling and 5xx are part of waiting, not its end' }],
  },
  {
    name: 'requests: waits leave no listener on the caller’s signal (C18)',
    file: 'lib/runtime/abort.ts',
    find: "signal.removeEventListener('abort', onAbort);",
    replace: '',
    noticedBy: [{ file: waitingTests, title: 'C18 100 waits on one signal leave no listener behind' }],
  },
  {
    name: 'requests: tokens rise over deletions: the retention is a day at least',
    file: clientOptions,
    find: 'retentionMs: [minRetentionMs],',
    replace: 'retentionMs: [0 * minRetentionMs],',
    noticedBy: [
      {
        file: optionsTests,
        title: 'a retention below a day is refused: a signed request may sleep for hours',
      },
    ],
  },
  {
    name: 'requests: a renewal has time for all its attempts (C37)',
    file: holdSettings,
    find: 'if (leaseMs < leastMs) {',
    replace: 'if (leaseMs * 1_000 < leastMs) {',
    noticedBy: [
      {
        file: optionsTests,
        title: 'C37 a lease too short for its renewals and their time-outs is refused, with limit and value',
      },
    ],
  },
  {
    name: 'requests: two names never become one key: lone surrogates (C39)',
    file: 'lib/lease/check-options.ts',
    find: 'return text.isWellFormed();',
    replace: 'return text !== undefined;',
    noticedBy: [
      {
        file: namesTests,
        title: 'refuses one with a lone high surrogate in every operation, without a request',
      },
    ],
  },
  {
    name: 'requests: names can be shown: no control characters',
    file: lockName,
    find: '/^\\P{Cc}+$/u.test(name) &&',
    replace: "name !== '' &&",
    noticedBy: [
      { file: namesTests, title: 'refuses one with a C1 control in every operation, without a request' },
    ],
  },
  {
    name: 'requests: an engine that never answers is given up (D43)',
    file: 'lib/local/engines/endpoint.ts',
    find: 'const options = { abortSignal: limit };',
    replace: 'const options = limit.aborted ? { abortSignal: limit } : {};',
    noticedBy: [
      {
        file: 'test/engine/local/engines.test.ts',
        title: 'D43 gives up an endpoint that takes requests and never answers, by its own deadline',
      },
    ],
  },
  {
    name: 'requests: one that its caller has given up is unknown, also when the reason is an error of ours (C17)',
    file: 'lib/table/later-dynamo.ts',
    find: "  if (signal?.aborted) return unsure(error, kind === 'write', lockName);\n",
    replace: '',
    noticedBy: [
      {
        file: 'test/unit/table/table-in-memory.test.ts',
        title: 'C17 %s that its caller gives up ends at once; it may have been applied: %s',
      },
    ],
  },
  {
    name: 'requests: a listing that does not move on ends',
    file: 'lib/table/later-dynamo.ts',
    find: 'if (!next || JSON.stringify(next) !== JSON.stringify(before)) return next;',
    replace: 'return next;',
    noticedBy: [
      {
        file: 'test/unit/table/later-dynamo.test.ts',
        title: '%s ends with an error where a page ends with the same item as the one before',
      },
    ],
  },
  {
    name: 'reopen: only of the very completion that was read, also where another has come at the same time',
    file: 'lib/lease/later-requests.ts',
    find: "    if (typeof item?.lastLeaseId === 'string') completedBy = item.lastLeaseId;\n",
    replace: '',
    noticedBy: [
      {
        file: 'test/unit/lease/requests-in-memory.test.ts',
        title: 'takes back the very completion that it has read, not one that came since at the same time',
      },
    ],
  },
];
