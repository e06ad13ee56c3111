import type { Protection } from './protection.js';

const acquire = 'lib/service/acquire-operation.ts';
const store = 'lib/service-client/service-store.ts';
const executions = 'test/engine/service/executions.test.ts';
const requests = 'test/engine/service/requests.test.ts';
const repeated = 'test/engine/service/repeated-requests.test.ts';
const transport = 'test/process/service/transport.test.ts';

/** The lock service, and the client that reaches its locks through it. */
export const ofTheService: readonly Protection[] = [
  {
    id: 'freed-by-its-end',
    what: 'what the end of an execution freed is no release of its section’s (I4)',
    file: 'lib/service/execution-end.ts',
    find: '{ set: { brokenLeaseId: lease.leaseId }, remove: executionAttributes }',
    replace: '{ remove: executionAttributes }',
    test: {
      file: executions,
      name: 'was freed by its end, and no release of its own: states that go on after a redrive are told so',
    },
  },
  {
    id: 'freed-by-an-attempt-without-an-answer',
    what: 'a lock freed by an attempt whose answer was lost is told as freed (C07)',
    file: 'lib/service/execution-end.ts',
    find: "outcome.kind === 'done' || (outcome.kind === 'lost' && outcome.reason === 'broken')",
    replace: "outcome.kind === 'done'",
    test: {
      file: executions,
      name: 'C07 is told as freed although the answer to that was lost and the SDK sent it again',
    },
  },
  {
    id: 'shorter-than-the-service-grants',
    what: 'a checkpoint under a lease that is longer in the store than here is stored (I5)',
    file: 'lib/lease/lease-term.ts',
    find: 'this.#highestAsked = grant.expiresAt + this.#surplusMs;',
    replace: 'this.#highestAsked = grant.expiresAt;',
    test: {
      file: 'test/engine/service/remaining-time.test.ts',
      name: 'I5 a lease shorter than the service grants any: it ends here as asked for, and its checkpoints are stored',
    },
  },
  {
    id: 'superseded-by-its-token',
    what: 'a supersede that is late evicts no newer lease of its owner (I2)',
    file: acquire,
    find: 'outcome.item?.version === supersedes &&',
    replace: 'supersedes !== undefined &&',
    test: {
      file: repeated,
      name: 'I2 a supersede names the token that it was shown: one that is late evicts no newer lease of its owner',
    },
  },
  {
    id: 'over-on-arrival-at-the-service',
    what: 'a lease that ran out before its acquire was repeated is not handed out (I2)',
    file: acquire,
    find: "outcome.kind === 'granted' && !isOver(host, outcome.grant)",
    replace: "outcome.kind === 'granted'",
    test: {
      file: repeated,
      name: 'I2 an acquire that comes again when its lease has run out is not granted it',
    },
  },
  {
    id: 'own-fields-only',
    what: 'a field that every object inherits is as unknown as any other',
    file: 'lib/service/read-request.ts',
    find: '!Object.hasOwn(schema.entries, key)',
    replace: '!(key in schema.entries)',
    test: {
      file: requests,
      name: 'is refused for an inherited field, in words, before anything is sent',
    },
  },
  {
    id: 'allowed-names',
    what: 'a caller may use the names of the deployment only',
    file: 'lib/service/lock-service.ts',
    find: "if ('name' in request) checkAllowed(host, request.name);",
    replace: '',
    test: {
      file: requests,
      name: 'for a name outside the deployment’s is not allowed, whatever the operation',
    },
  },
  {
    id: 'operators-only',
    what: 'callers can neither break nor reopen',
    file: 'lib/service/lock-service.ts',
    find: '!host.operates && operatorsOnly.has(request.operation)',
    replace: 'false',
    test: { file: requests, name: 'to break or to reopen is not allowed by the callers’ function' },
  },
  {
    id: 'bottomless-values',
    what: 'a value is not followed deeper than DynamoDB can store it',
    file: 'lib/service/json-value.ts',
    find: "typeof value !== 'object' || levels === 0",
    replace: "typeof value !== 'object'",
    test: { file: requests, name: 'is refused for a deep result, in words, before anything is sent' },
  },
  {
    id: 'others-lease-ids',
    what: 'whoever is refused is not told the holder’s lease id',
    file: acquire,
    find: '...(host.operates && { leaseId: item.leaseId }),',
    replace: 'leaseId: item.leaseId,',
    test: {
      file: 'test/process/service/hostile.test.ts',
      name: 'I4 of a stranger, right in form: never a change, never a lease id',
    },
  },
  {
    id: 'late-checkpoint',
    what: 'a checkpoint needs an end that can’t be asked for twice (I5)',
    file: 'lib/service/read-request.ts',
    find: 'if (writes && request.expiresAt === undefined)',
    replace: 'if (!writes && request.expiresAt === undefined && request.leaseMs === undefined)',
    test: {
      file: requests,
      name: 'is refused for a checkpoint without its end, in words, before anything is sent',
    },
  },
  {
    id: 'mark-of-this-lease',
    what: 'an execution that held the lock before does not free the lease of whoever has it now (I2)',
    file: 'lib/service/execution-watch.ts',
    find: 'leaseId === undefined || executionLease !== leaseId',
    replace: 'leaseId === undefined || executionLease === undefined',
    test: {
      file: executions,
      name: 'is nobody’s mark once the lease is another’s: that one is held, and no execution is asked for',
    },
  },
  {
    id: 'event-is-no-proof',
    what: 'an event that somebody made up frees no lock',
    file: 'lib/service/execution-end.ts',
    find: 'if (!(await holderHasEnded(host.executions, item, clock.now().earliest, signal))) {',
    replace: 'if (false) {',
    test: {
      file: executions,
      name: 'stays held when only the event says that the execution has ended, which is told again: anybody could make the event up',
    },
  },
  {
    id: 'end-told-again',
    what: 'an end that Step Functions does not know of yet is told again, not forgotten',
    file: 'lib/service/execution-end.ts',
    find: 'if (stillHeld.length > 0) throw notEndedYet(executionArn, stillHeld);',
    replace: '',
    test: {
      file: executions,
      name: 'stays held when only the event says that the execution has ended, which is told again: Step Functions could not be asked',
    },
  },
  {
    id: 'young-executions',
    what: 'an execution that Step Functions does not know yet has not ended',
    file: 'lib/service/execution-watch.ts',
    find: "(state === 'missing' && (item.acquiredAt ?? earliest) < earliest - settledMs)",
    replace: "state === 'missing'",
    test: {
      file: executions,
      name: 'is held while the execution is not known there yet: it has only begun',
    },
  },
  {
    id: 'renewal-in-bounds',
    what: 'a renewal makes no lease longer than the deployment allows',
    file: 'lib/service/holder-operations.ts',
    find: '...(isLong && { condition: heldByExecution(request.leaseId) })',
    replace: '',
    test: { file: executions, name: 'can be renewed to beyond what others may have, and others can’t' },
  },
  {
    id: 'late-after-refusal-of-service',
    what: 'a refusal says that an earlier attempt of the acquire is under way (C09)',
    file: acquire,
    find: '...(mayArriveLate && { mayArriveLate: true as const }),',
    replace: '',
    test: {
      file: repeated,
      name: 'C09 a refusal says so while an earlier attempt of the acquire is still on its way',
    },
  },
  {
    id: 'own-id-is-shown',
    what: 'a waiter finds that its own write has arrived after all (C07)',
    file: 'lib/service/reading-operations.ts',
    find: '(host.operates || leaseId === knownLeaseId)',
    replace: 'host.operates',
    test: {
      file: transport,
      name: 'C07 a grant whose answer is lost for good is adopted by the waiter, who is shown its own lease id',
    },
  },
  {
    id: 'asked-before',
    what: 'the client counts from before it asked (I2)',
    file: store,
    find: 'if (isTime(answer.now)) clock.learn(sentAt,',
    replace: 'if (isTime(answer.now)) clock.learn(clock.instant(),',
    test: {
      file: 'test/engine/service/remaining-time.test.ts',
      name: 'I2 counts from before the request was sent: a slow answer leaves less',
    },
  },
  {
    id: 'service-answer-shape',
    what: 'what is no answer of a service is not taken for a grant',
    file: store,
    find: 'if (ok !== false || !holdsError(error)) throw noAnswer(service, name, kind);',
    replace: 'if (!holdsError(error)) return { done: answer as SuccessOf<Name>, attempts };',
    test: { file: transport, name: 'is a StoreError: ok without a grant' },
  },
];
