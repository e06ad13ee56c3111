import { mutantsOf, together } from './mutant.js';

/** Sections 4 and 5: what a holder writes, and what it believes. */
export const holdingMutants = [
  ...mutantsOf('lock', 'lib/lease/holder-requests.ts', [
    [
      'holder: its token is the item’s, too',
      'return lease.token === undefined ? change : merged(change, { condition: hasToken(lease.token) });',
      'return change;',
    ],
    [
      'renew: refused with somebody else’s lease is a loss',
      "if (!item || !isStill(lease, item)) return { kind: 'lost', reason: lossReason(lease, item) };\n  return item.expiresAt!",
      "if (!item) return { kind: 'lost', reason: lossReason(lease, item) };\n  return item.expiresAt!",
    ],
    [
      'renew: an own success without an answer is found',
      "return item.expiresAt! >= expiresAt ? { kind: 'done' } : { kind: 'refused', item };",
      "return { kind: 'lost', reason: 'taken-over' };",
    ],
    [
      'release: leaves its lease id behind',
      'set: { lastLeaseId: lease.leaseId, ...set },',
      'set: { ...set },',
    ],
    [
      'release: an own success without an answer is found',
      'const hasEnded = item?.leaseId === undefined && item?.lastLeaseId === lease.leaseId;',
      'const hasEnded = false;',
    ],
    [
      'release: a lease that was broken is not taken for one’s own release',
      '({ brokenLeaseId }: LeaseItem) => brokenLeaseId !== lease.leaseId',
      '(_: LeaseItem) => true',
    ],
    [
      'release: somebody else’s item is not taken for one’s own',
      'const hasEnded = item?.leaseId === undefined && item?.lastLeaseId === lease.leaseId;',
      'const hasEnded = true;',
    ],
    [
      'complete: somebody else’s completion is not taken for one’s own',
      'const alreadyDone = item?.completedAt !== undefined && item.lastLeaseId === lease.leaseId;',
      'const alreadyDone = true;',
    ],
    [
      'release: the token stays',
      "const leaseAttributes = ['leaseId',",
      "const leaseAttributes = ['version', 'leaseId',",
    ],
    [
      'ttl: rewritten by a renewal',
      'set: { expiresAt, ttl: ttlAfter(context, expiresAt) },',
      'set: { expiresAt },',
    ],
    [
      'ttl: rewritten by a release',
      'const release = toEnd(lease, { ttl: ttlAfter(context, now) });',
      'const release = toEnd(lease, { ttl: Math.ceil(now / 1000) });',
    ],
    [
      'complete: marks the name',
      'const completion = toEnd(lease, { completedAt, result,',
      'const completion = toEnd(lease, { result,',
    ],
  ]),
  ...mutantsOf('lock', 'lib/lease/lease.ts', [
    [
      'holder: validity is computed at the call',
      "if (this.#state === 'held' && this.remainingMs <= 0)",
      "if (this.#state === 'ended' && this.remainingMs <= 0)",
    ],
    ['holder: is told of a loss by its signal', '    this.#abort?.abort(error);\n', ''],
    [
      'renew: one without an answer lengthens nothing here',
      "    if (outcome.kind !== 'done') return this.#settled(outcome);\n    this.#lastRenewalFailed = undefined;\n    this.#term.confirm(expiresAt);",
      "    if (outcome.kind !== 'done') return this.#settled(outcome);\n    this.#lastRenewalFailed = undefined;\n    this.#term.confirm(expiresAt + 3_000);",
    ],
    [
      'renew: a lease that is lost here is never renewed again',
      '    this.#checkHeld();\n    await this.#context.store.ensureTime(signal);\n    this.#checkHeld();\n',
      '    await this.#context.store.ensureTime(signal);\n',
    ],
    [
      'end: nothing is written after it',
      "    this.#state = 'ended';\n    this.#heartbeat.stop();",
      '    this.#heartbeat.stop();',
    ],
    ['holder: one write at a time', 'const result = this.#queue.then(work);', 'const result = work();'],
  ]),
  ...mutantsOf('lock', 'lib/lease/lease-term.ts', [
    [
      'holder: by the latest store time, not the earliest',
      'return this.#expiresAt - this.#context.clock.now().latest;',
      'return this.#expiresAt - this.#context.clock.now().earliest;',
    ],
    [
      'holder: the danger comes by the latest store time',
      'return this.leftMs - this.#settings.safetyMarginMs;',
      'return this.leftMs - this.#settings.safetyMarginMs + 5_000;',
    ],
    [
      'renew: above all that was asked for before',
      'this.#highestAsked = Math.max(capped + this.#surplusMs, this.#highestAsked + 1);',
      'this.#highestAsked = capped + this.#surplusMs;',
    ],
  ]),
  ...mutantsOf('lock', 'lib/lease/heartbeat.ts', [
    ['heartbeat: renews', 'this.#cancelBeat = this.#runtime.setTimer(() => void this.#beat(), delayMs);', ''],
    [
      'heartbeat: watches for the danger',
      '#watchForDanger(): void {\n    this.#cancelDanger();',
      '#watchForDanger(): void {\n    this.#cancelDanger();\n    if (this) return;',
    ],
  ]),
  ...mutantsOf('lock', 'lib/table/dynamo-table.ts', [
    [
      'table: a call ends with its time-out',
      'const deadline = deadlineAfter(runtime, callTimeoutMs, signal);',
      'const deadline = deadlineAfter(runtime, 600_000, signal);',
    ],
  ]),
  ...mutantsOf('lock', 'lib/table/store-errors.ts', [
    [
      'errors: a write without an answer may have been applied',
      "mayHaveApplied: kind === 'write' && (!refused || triedBefore),",
      'mayHaveApplied: false,',
    ],
    ['errors: what passes by itself is waited for', 'retryable: !refused,', 'retryable: false,'],
  ]),
  // The id and the token cover the same, but for what comes very late.
  together('renew: identity in its condition', [
    ...mutantsOf('lock', 'lib/lease/holder-requests.ts', [
      [
        'id',
        'condition: all(isCurrent(lease.leaseId), lengthens(expiresAt)),',
        'condition: lengthens(expiresAt),',
      ],
      [
        'token',
        'return lease.token === undefined ? change : merged(change, { condition: hasToken(lease.token) });',
        'return change;',
      ],
    ]),
  ]),
];
