import type { Protection } from './protection.js';

const table = 'lib/table/dynamo-table.ts';
const requestTests = 'test/engine/table/reads-and-deadlines.test.ts';
const countTests = 'test/engine/client/request-counts.test.ts';
const nameTests = 'test/engine/client/names.test.ts';

const consistentReads = { file: requestTests, name: 'C40 every read that decides is strongly consistent' };

/** What is sent, when, and for how long at most; and what is refused before anything is sent. */
export const ofRequests: readonly Protection[] = [
  {
    id: 'consistent-get',
    what: 'a waiter decides on what is true now (C40)',
    file: table,
    find: 'Key: toKey(name), ConsistentRead: true }',
    replace: 'Key: toKey(name) }',
    test: consistentReads,
  },
  {
    id: 'consistent-batch',
    what: 'a group is listed as it is now (C40)',
    file: table,
    find: 'Keys: asked, ConsistentRead: true',
    replace: 'Keys: asked',
    test: consistentReads,
  },
  {
    id: 'consistent-scan',
    what: 'the table is listed as it is now (C40)',
    file: table,
    find: '        ConsistentRead: true,\n',
    replace: '',
    test: consistentReads,
  },
  {
    id: 'call-timeout',
    what: 'every request ends, whatever the SDK’s settings (C28)',
    file: table,
    find: 'deadlineAfter(runtime, callTimeoutMs, signal)',
    replace: 'deadlineAfter(runtime, callTimeoutMs * 1_000, signal)',
    test: {
      file: requestTests,
      name: 'a request ends by the client’s own deadline, even where the SDK has none',
    },
  },
  {
    id: 'attempt-timeout',
    what: 'an attempt that hangs is given up, not only warned of',
    file: 'lib/client/lock-client.ts',
    find: 'throwOnRequestTimeout: true',
    replace: 'throwOnRequestTimeout: false',
    test: {
      file: requestTests,
      name: 'a client of its own gives up an attempt that hangs and tries again, within the request’s time',
    },
  },
  {
    id: 'item-of-refusal',
    what: 'a refusal brings its item, and costs no read (I8)',
    file: table,
    find: "      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',\n",
    replace: '',
    test: {
      file: requestTests,
      name: 'every write is one conditional write that asks for the item it is refused by',
    },
  },
  {
    id: 'unread-refusal',
    what: 'a retry’s refusal that can’t be read leaves the grant uncertain (C09)',
    file: table,
    find: 'if (!retried || !(error instanceof StoreError)) throw error;',
    replace: 'throw error;',
    test: {
      file: 'test/engine/table/refusal-without-item.test.ts',
      name: 'C09 that can’t be read after a retry leave the grant uncertain: it is given back',
    },
  },
  {
    id: 'transaction-conflict',
    what: 'a guard’s transaction on the item is waited for',
    file: 'lib/table/store-errors.ts',
    find: "  TransactionConflictException: 'is busy with a transaction on the item',\n",
    replace: '',
    test: {
      file: requestTests,
      name: 'a transaction on the item, such as a guard’s check of the lease is waited for',
    },
  },
  {
    id: 'waiters-read',
    what: 'waiters leave the write capacity to the holder (I8)',
    file: 'lib/client/acquisition.ts',
    find: 'if (this.#mayWin()) return true;',
    replace: 'return true;',
    test: { file: countTests, name: 'I8 a waiter reads, and writes only when it may win' },
  },
  {
    id: 'local-queue',
    what: 'a process does not contend with itself (I8)',
    file: 'lib/client/lock-client.ts',
    find: 'options.supersede ? noTurn() : await this.#queue.enter(name, waitMs, options.signal)',
    replace: 'noTurn()',
    test: {
      file: countTests,
      name: 'I8 a process never contends with itself: its callers queue in memory',
    },
  },
  {
    id: 'patient',
    what: 'throttling and 5xx do not end a wait (C19)',
    file: 'lib/client/acquisition.ts',
    find: 'if (!error.retryable || this.#request.signal?.aborted) throw error;',
    replace: 'throw error;',
    test: {
      file: 'test/engine/client/waiting.test.ts',
      name: 'C19 throttling and 5xx are part of waiting, not its end',
    },
  },
  {
    id: 'no-listener-left',
    what: 'waits leave no listener on the caller’s signal (C18)',
    file: 'lib/runtime/deadline.ts',
    find: "parent?.removeEventListener('abort', onAbort);",
    replace: '',
    test: {
      file: 'test/engine/client/waiting.test.ts',
      name: 'C18 100 waits on one signal leave no listener behind',
    },
  },
  {
    id: 'least-retention',
    what: 'tokens rise over deletions: the retention is a day at least',
    file: 'lib/client/client-options.ts',
    find: 'options.retentionMs ?? defaults.retentionMs, defaults.minRetentionMs)',
    replace: 'options.retentionMs ?? defaults.retentionMs, 0)',
    test: {
      file: 'test/engine/client/options.test.ts',
      name: 'a retention below a day is refused: a signed request may sleep for hours',
    },
  },
  {
    id: 'lease-fits-timeouts',
    what: 'a renewal has time for all its attempts (C37)',
    file: 'lib/client/client-options.ts',
    find: 'if (minMs > leaseMs) {',
    replace: 'if (minMs > leaseMs * 1_000) {',
    test: {
      file: 'test/engine/client/options.test.ts',
      name: 'C37 a lease too short for its renewals and their time-outs is refused, with limit and value',
    },
  },
  {
    id: 'lone-surrogates',
    what: 'two names never become one key: lone surrogates (C39)',
    file: 'lib/client/lock-name.ts',
    find: 'return !/\\p{Surrogate}/u.test(text);',
    replace: 'return text !== undefined;',
    test: {
      file: nameTests,
      name: 'refuses one with a lone high surrogate in every operation, without a request',
    },
  },
  {
    id: 'control-characters',
    what: 'names can be shown: no control characters',
    file: 'lib/client/lock-name.ts',
    find: "if (/\\p{Cc}/u.test(name)) return 'must not hold control characters';",
    replace: '',
    test: { file: nameTests, name: 'refuses one with a C1 control in every operation, without a request' },
  },
];
