import type { Removal } from '../removal.js';

const executionEnd = 'lib/service/execution-end.ts';
const executionsTests = 'test/engine/service/executions.test.ts';
const remainingTimeTests = 'test/engine/service/remaining-time.test.ts';
const acquireOperation = 'lib/service/acquire-operation.ts';
const repeatedRequestsTests = 'test/engine/service/repeated-requests.test.ts';
const readRequest = 'lib/service/read-request.ts';
const requestsTests = 'test/engine/service/requests.test.ts';
const lockService = 'lib/service/lock-service.ts';
const executionWatch = 'lib/service/execution-watch.ts';
const transportTests = 'test/process/service/transport.test.ts';
const serviceStore = 'lib/service-client/service-store.ts';
const serviceFailure = 'lib/service-client/service-answer.ts';
const serviceHost = 'lib/service/service-host.ts';
const strangersTests = 'test/engine/service/strangers.test.ts';
const lockServiceHandler = 'lib/lambda/lock-service-handler.ts';
const askedAheadTests = 'test/process/lambda/asked-ahead.test.ts';
const bundleBudgetsTests = 'test/process/package/bundle-budgets.test.ts';

/** The lock service, and the client that reaches its locks through it. */
export const serviceRemovals: readonly Removal[] = [
  {
    name: 'service: a caller does not wait for a request from before a freeze',
    file: lockServiceHandler,
    find: '      ahead?.dropIfOld();\n',
    replace: '',
    noticedBy: [{ file: askedAheadTests, title: 'does not wait for what came to nothing since it started' }],
  },
  {
    name: 'service: what the end of an execution freed is no release of its section’s (I4)',
    file: executionEnd,
    find: 'set: { brokenLeaseId: lease.leaseId },',
    replace: '',
    noticedBy: [
      {
        file: executionsTests,
        title:
          'was freed by its end, and no release of its own: states that go on after a redrive are told so',
      },
    ],
  },
  {
    name: 'service: a lock freed by an attempt whose answer was lost is told as freed (C07)',
    file: executionEnd,
    find: "outcome.kind === 'done' || (outcome.kind === 'lost' && outcome.reason === 'broken')",
    replace: "outcome.kind === 'done'",
    noticedBy: [
      {
        file: executionsTests,
        title: 'C07 is told as freed although the answer to that was lost and the SDK sent it again',
      },
    ],
  },
  {
    name: 'service: a checkpoint under a lease that is longer in the store than here is stored (I5)',
    file: 'lib/lease/lease-term.ts',
    find: 'this.#highestAsked = grant.expiresAt + this.#surplusMs;',
    replace: 'this.#highestAsked = grant.expiresAt;',
    noticedBy: [
      {
        file: remainingTimeTests,
        title:
          'I5 a lease shorter than the service grants any: it ends here as asked for, and its checkpoints are stored',
      },
      { suite: 'service' },
    ],
  },
  {
    name: 'service: a supersede that is late evicts no newer lease of its owner (I2)',
    file: acquireOperation,
    find: 'outcome.item?.version === supersedes &&',
    replace: 'supersedes !== undefined &&',
    noticedBy: [
      {
        file: repeatedRequestsTests,
        title:
          'I2 a supersede names the token that it was shown: one that is late evicts no newer lease of its owner',
      },
      { suite: 'service' },
    ],
  },
  {
    name: 'service: a lease that ran out before its acquire was repeated is not handed out (I2)',
    file: acquireOperation,
    find: "outcome.kind === 'granted' && !isOver(host, outcome.grant)",
    replace: "outcome.kind === 'granted'",
    noticedBy: [
      {
        file: repeatedRequestsTests,
        title: 'I2 an acquire that comes again when its lease has run out is not granted it',
      },
    ],
  },
  {
    name: 'service: a field that every object inherits is as unknown as any other',
    file: readRequest,
    find: '!Object.hasOwn(schema.entries, key)',
    replace: '!(key in schema.entries)',
    noticedBy: [
      { file: requestsTests, title: 'is refused for an inherited field, in words, before anything is sent' },
    ],
  },
  {
    name: 'service: a caller may use the names of the deployment only',
    file: lockService,
    find: "if ('name' in request) checkAllowed(host, request.name);",
    replace: '',
    noticedBy: [
      {
        file: requestsTests,
        title: 'for a name outside the deployment’s is not allowed, whatever the operation',
      },
    ],
  },
  {
    name: 'service: callers can neither break nor reopen',
    file: lockService,
    find: '!host.operates && operatorsOnly.has(request.operation)',
    replace: 'false',
    noticedBy: [
      { file: requestsTests, title: 'to break or to reopen is not allowed by the callers’ function' },
    ],
  },
  {
    name: 'service: a value is not followed deeper than DynamoDB can store it',
    file: 'lib/service/json-value.ts',
    find: "typeof value !== 'object' || levels === 0",
    replace: "typeof value !== 'object'",
    noticedBy: [
      { file: requestsTests, title: 'is refused for a deep result, in words, before anything is sent' },
    ],
  },
  {
    name: 'service: whoever is refused is not told the holder’s lease id',
    file: acquireOperation,
    find: '...(host.operates && { leaseId: item.leaseId }),',
    replace: 'leaseId: item.leaseId,',
    noticedBy: [
      {
        file: 'test/process/service/hostile.test.ts',
        title: 'I4 of a stranger, right in form: never a change, never a lease id',
      },
    ],
  },
  {
    name: 'service: a checkpoint needs an end that can’t be asked for twice (I5)',
    file: readRequest,
    find: 'if (writes && request.expiresAt === undefined)',
    replace: 'if (!writes && request.expiresAt === undefined && request.leaseMs === undefined)',
    noticedBy: [
      {
        file: requestsTests,
        title: 'is refused for a checkpoint without its end, in words, before anything is sent',
      },
    ],
  },
  {
    name: 'service: an execution that held the lock before does not free the lease of whoever has it now (I2)',
    file: executionWatch,
    find: 'leaseId === undefined || executionLease !== leaseId',
    replace: 'leaseId === undefined || executionLease === undefined',
    noticedBy: [
      {
        file: executionsTests,
        title:
          'is nobody’s mark once the lease is another’s: that one is held, and no execution is asked for',
      },
    ],
  },
  {
    name: 'service: the end of an execution frees only what that execution holds (I2)',
    file: executionEnd,
    find: '      if (findExecution(item) !== executionArn) continue;\n',
    replace: '',
    noticedBy: [
      {
        file: executionsTests,
        title: 'D46 a lock of the execution’s that has another holder by then stays held',
      },
    ],
  },
  {
    name: 'service: the end of an execution frees exactly the lease that was read (I2)',
    file: executionEnd,
    find: 'const lease = { name: item.name, leaseId: item.leaseId! };',
    replace: 'const lease = { name: item.name, leaseId: (await store.read(item.name))!.leaseId! };',
    noticedBy: [
      {
        file: executionsTests,
        title: 'I2 a lock that gets another holder while its execution is asked about stays held',
      },
    ],
  },
  {
    name: 'service: an event that somebody made up frees no lock',
    file: executionEnd,
    find: 'if (!(await holderHasEnded(host.executions, item, clock.now().earliest, signal))) {',
    replace: 'if (false) {',
    noticedBy: [
      {
        file: executionsTests,
        title:
          'stays held when only the event says that the execution has ended, which is told again: anybody could make the event up',
      },
    ],
  },
  {
    name: 'service: an end that Step Functions does not know of yet is told again, not forgotten',
    file: executionEnd,
    find: 'if (stillHeld.length > 0) throw notEndedYet(executionArn, stillHeld);',
    replace: '',
    noticedBy: [
      {
        file: executionsTests,
        title:
          'stays held when only the event says that the execution has ended, which is told again: Step Functions could not be asked',
      },
    ],
  },
  {
    name: 'service: an execution that Step Functions does not know yet has not ended',
    file: executionWatch,
    find: "(state === 'missing' && (item.acquiredAt ?? earliest) < earliest - settledMs)",
    replace: "state === 'missing'",
    noticedBy: [
      {
        file: executionsTests,
        title: 'is held while the execution is not known there yet: it has only begun',
      },
    ],
  },
  {
    name: 'service: a renewal makes no lease longer than the deployment allows',
    file: 'lib/service/holder-operations.ts',
    find: '    ...(isLong && { condition: heldByExecution(request.leaseId) }),\n',
    replace: '',
    noticedBy: [
      { file: executionsTests, title: 'can be renewed to beyond what others may have, and others can’t' },
    ],
  },
  {
    name: 'service: a refusal says that an earlier attempt of the acquire is under way (C09)',
    file: acquireOperation,
    find: '...(mayArriveLate && { mayArriveLate: true as const }),',
    replace: '',
    noticedBy: [
      {
        file: repeatedRequestsTests,
        title: 'C09 a refusal says so while an earlier attempt of the acquire is still on its way',
      },
    ],
  },
  {
    name: 'service: a waiter finds that its own write has arrived after all (C07)',
    file: 'lib/service/reading-operations.ts',
    find: '(host.operates || leaseId === knownLeaseId)',
    replace: 'host.operates',
    noticedBy: [
      {
        file: transportTests,
        title:
          'C07 a grant whose answer is lost for good is adopted by the waiter, who is shown its own lease id',
      },
    ],
  },
  {
    name: 'service: the client counts from before it asked (I2)',
    file: serviceStore,
    find: 'if (isTime(answer.now)) clock.learn(sentAt,',
    replace: 'if (isTime(answer.now)) clock.learn(clock.instant(),',
    noticedBy: [
      {
        file: remainingTimeTests,
        title: 'I2 counts from before the request was sent: a slow answer leaves less',
      },
      { suite: 'service' },
    ],
  },
  {
    name: 'service: what is no answer of a service is not taken for a grant',
    file: serviceStore,
    find: 'if (ok !== false || !holdsError(error)) throw noAnswer(service, name, kind);',
    replace: 'if (!holdsError(error)) return { done: answer as SuccessOf<Name>, attempts };',
    noticedBy: [{ file: transportTests, title: 'is a StoreError: ok without a grant' }],
  },
  {
    name: 'service: what was lost is lost',
    file: serviceStore,
    find: "checkKnown(lease, reason, answer.attempts);\n    return { kind: 'lost', reason };",
    replace: "return { kind: 'done' };",
    noticedBy: [{ suite: 'service' }],
  },
  {
    name: 'service: a break is told from a release that came twice',
    file: 'lib/lease/refused-writes.ts',
    find: '({ brokenLeaseId }) => brokenLeaseId !== lease.leaseId',
    replace: '(_: LeaseItem) => false',
    noticedBy: [{ suite: 'service' }],
  },
  {
    name: 'service: a lease that ran out unheard of is given back',
    file: 'lib/client/acquisition.ts',
    find: "if (outcome.kind === 'expired') this.#arrivedOver();",
    replace: "if (outcome.kind === 'expired') this.#startOver();",
    noticedBy: [{ suite: 'service' }],
  },
  {
    name: 'service: a lease that has run out is left to run out',
    file: acquireOperation,
    find: "if (outcome.kind !== 'held') throw spent(name, 'expired', 'has run out');",
    replace:
      "if (outcome.kind !== 'held') {\n    await host.context.store.release({ name, leaseId });\n    throw spent(name, 'expired', 'has run out');\n  }",
    noticedBy: [{ suite: 'service' }],
  },
  {
    name: 'service: knows the time before it grants',
    file: acquireOperation,
    find: '  await host.context.store.ensureTime(signal);\n  if (execution !== undefined &&',
    replace: '  if (execution !== undefined &&',
    noticedBy: [{ suite: 'service' }],
  },
  {
    name: 'service: a write that was not answered may have been done',
    file: 'lib/errors/known-errors.ts',
    find: "mayHaveApplied: request === 'write' && (treatment.mayHaveApplied || triedBefore),",
    replace: 'mayHaveApplied: false,',
    noticedBy: [{ suite: 'service' }],
  },
  {
    name: 'service: a function that failed may have done it',
    file: serviceFailure,
    find: "return new StoreError(message, lockName, { retryable: true, mayHaveApplied: kind === 'write' });",
    replace: 'return new StoreError(message, lockName, { retryable: true, mayHaveApplied: false });',
    noticedBy: [{ suite: 'service' }],
  },
  {
    name: 'service: a lease is as long as it is by the latest that it may be',
    file: serviceHost,
    find: 'return { earliest: Math.floor(earliest), latest: Math.ceil(latest) };',
    replace: 'return { earliest: Math.floor(earliest), latest: Math.ceil(earliest) };',
    noticedBy: [{ suite: 'service' }],
  },
  {
    name: 'service: a lock is free by the earliest that it may be',
    file: serviceHost,
    find: 'return { earliest: Math.floor(earliest), latest: Math.ceil(latest) };',
    replace: 'return { earliest: Math.floor(latest), latest: Math.ceil(latest) };',
    noticedBy: [{ suite: 'service' }],
  },
  {
    name: 'service: superseding takes the key of the earlier lease (D39)',
    file: acquireOperation,
    find: ' &&\n    provesOwner(outcome.item, ownerKey)',
    replace: '',
    noticedBy: [
      {
        file: strangersTests,
        title: 'D39 %s: nothing of it changes the lease, and nobody is granted anything',
      },
    ],
  },
  {
    name: 'service: a proof is of one lease, and none for the next (D39)',
    file: 'lib/service/execution-group.ts',
    find: 'JSON.stringify([name, leaseId, ownerKey])',
    replace: 'JSON.stringify([name, ownerKey])',
    noticedBy: [
      { file: strangersTests, title: 'D39 the proof of a lease that is over is none for the next one' },
    ],
  },
  {
    name: 'service: an execution that holds for long is asked about before the grant (D40)',
    file: acquireOperation,
    find: '  await checkRuns(executions, long, signal);\n',
    replace: '',
    noticedBy: [
      { file: executionsTests, title: 'D40 is not held past the longest lease by an execution that %s' },
    ],
  },
  {
    name: 'service: and before its lease is renewed to so long (D40)',
    file: 'lib/service/holder-operations.ts',
    find: '  if (isLong) await checkHolderRuns(host, request, signal);\n',
    replace: '',
    noticedBy: [
      { file: executionsTests, title: 'D40 is not held past the longest lease by an execution that %s' },
    ],
  },
  {
    name: 'service: a lock gets into no group that callers may not use (D45)',
    file: serviceHost,
    find: 'if (isAllowedGroup(group) && !isReservedGroup(group)) return;',
    replace: 'return;',
    noticedBy: [
      { file: strangersTests, title: '%s: a lock gets into no other, such as that of a scan’s slices' },
    ],
  },
  {
    name: 'service: a lock in a group of its own is freed at its execution’s end (D46)',
    file: acquireOperation,
    find: 'if (execution !== undefined && group !== undefined)\n',
    replace: 'if (execution === undefined && group === execution)\n',
    noticedBy: [
      {
        file: executionsTests,
        title: 'D46 all that an execution held is free at its end, also what stands in groups of its own',
      },
    ],
  },
  {
    name: 'service: a value is measured as DynamoDB counts, too (D13)',
    file: 'lib/service/json-value.ts',
    find: 'return measureBytes(value) <= maxStoredBytes;',
    replace: 'return measureBytes(value) <= Number.POSITIVE_INFINITY;',
    noticedBy: [
      {
        file: requestsTests,
        title:
          'is refused for D13 a checkpoint that is larger in DynamoDB than as JSON, in words, before anything is sent',
      },
    ],
  },
  {
    name: 'service: no lease is renewed past what a date can hold (D06)',
    file: 'lib/service/holder-operations.ts',
    find: 'if (expiresAt > expiryFor(context, longestLeaseMs) + aheadMs)',
    replace: 'if (expiresAt < 0)',
    noticedBy: [
      {
        file: executionsTests,
        title: 'D06 D40 nor is a lease renewed past what a date can hold, although its execution runs',
      },
    ],
  },
  {
    name: 'values: text that is no Unicode is done, not recorded (D12)',
    file: 'lib/lease/storable.ts',
    find: "return isWellFormed(value) ? value : fail(path, 'text');",
    replace: 'return value;',
    noticedBy: [
      {
        file: 'test/engine/client/recorded-results.test.ts',
        title: 'D12 half a pair of surrogates as a result: done, not recorded, and not done again',
      },
    ],
  },
  {
    name: 'values: what throws where it is read is done, not recorded (D12)',
    file: 'lib/lease/storable.ts',
    find: "return error instanceof Unstorable ? error : new Unstorable('', 'read', error);",
    replace: 'if (error instanceof Unstorable) return error;\n    throw error;',
    noticedBy: [
      {
        file: 'test/engine/client/recorded-results.test.ts',
        title: 'D12 what throws where it is read is done, not recorded, and not done again',
      },
    ],
  },
  {
    name: 'service: its start reads two files, not forty',
    file: 'bin/build/lambda-bundles.ts',
    find: 'alone !== undefined && others.length === 0 ? [startInOneChunk(alone)] : []',
    replace: '[]',
    noticedBy: [{ file: bundleBudgetsTests, title: 'reads two files: the entry, and all that it needs' }],
  },
  {
    name: 'service: its start does not load what Node knows of all languages',
    file: 'lib/service/fields.ts',
    find: "'at most 180,000 bytes",
    replace: "(180_000).toLocaleString('en') + ' bytes",
    noticedBy: [
      {
        file: bundleBudgetsTests,
        title: 'formats nothing in the way of a language, which would load what Node knows of all of them',
      },
    ],
  },
];
