import type { Removal } from '../removal.js';

const heartbeatTests = 'test/engine/lease/heartbeat.test.ts';
const hold = 'lib/lease/hold.ts';
const clockTroubleTests = 'test/engine/client/clock-trouble.test.ts';
const heartbeat = 'lib/lease/heartbeat.ts';
const withLockTests = 'test/engine/client/with-lock.test.ts';
const holderRequests = 'lib/lease/holder-requests.ts';

/** What a holder writes, and what it believes (protocol, sections 4 and 5). */
export const holdingRemovals: readonly Removal[] = [
  {
    name: 'holding: the signal fires before the lease ends (C31)',
    file: 'lib/lease/lease-term.ts',
    find: 'return this.leftMs - this.#settings.safetyMarginMs;',
    replace: 'return this.leftMs - this.#settings.safetyMarginMs + 5_000;',
    noticedBy: [
      {
        file: heartbeatTests,
        title:
          'C31 a network cut while holding: the signal fires before the lease ends, reason store-unavailable',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'holding: validity is computed at the call, not by a timer (C14)',
    file: hold,
    find: "if (this.state === 'held' && this.remainingMs <= 0)",
    replace: "if (this.state === 'ended' && this.remainingMs <= 0)",
    noticedBy: [
      {
        file: clockTroubleTests,
        title:
          'C14 an event loop blocked past the lease: the next synchronous check says lost, and the signal follows',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'holding: no timer and no request after the end (C05): heartbeat stops',
    file: hold,
    find: "this.state = 'ended';\n    this.heartbeat.stop();",
    replace: "this.state = 'ended';",
    noticedBy: [{ file: heartbeatTests, title: 'C05 after a completion: no timer, no request' }],
  },
  {
    name: 'holding: no timer and no request after a loss (C05)',
    file: hold,
    find: "this.state = 'lost';\n    this.heartbeat.stop();",
    replace: "this.state = 'lost';",
    noticedBy: [{ file: heartbeatTests, title: 'C05 after a loss: no timer, no request' }],
  },
  {
    name: 'holding: a release does not wait for a renewal that hangs (C04): drop renewal in flight',
    file: heartbeat,
    find: "this.#inFlight?.abort(new DOMException('the lease has ended', 'AbortError'));",
    replace: '',
    noticedBy: [
      {
        file: heartbeatTests,
        title: 'C04 a release while a renewal is in flight drops it: the item is free, and no loss is told',
      },
    ],
  },
  {
    name: 'holding: a failed renewal is tried again (C06)',
    file: heartbeat,
    find: 'if (renewed || this.#stopped) return;',
    replace: 'if (true) return;',
    noticedBy: [
      {
        file: heartbeatTests,
        title: 'C06 a failed renewal is tried again sooner: still held, no loss, no unhandled rejection',
      },
    ],
  },
  {
    name: 'holding: a release waits for a completion in flight',
    file: hold,
    find: "if (this.hasEnded()) return this.#handedOver ? 'handed-over' : 'released';",
    replace: '',
    noticedBy: [
      {
        file: heartbeatTests,
        title: 'a release during a completion sends nothing more: the lease has ended by then',
      },
    ],
  },
  {
    name: 'holding: writes of one lease go one at a time (I5)',
    file: hold,
    find: 'const result = this.#queue.then(work);',
    replace: 'const result = work();',
    noticedBy: [
      { file: heartbeatTests, title: 'writes of one lease go one at a time, in the order of the calls' },
      { suite: 'lock' },
    ],
  },
  {
    name: 'holding: a lease is not renewed past its longest hold',
    file: hold,
    find: "if (this.state === 'held' && !this.term.isLast) await",
    replace: "if (this.state === 'held') await",
    noticedBy: [
      { file: heartbeatTests, title: 'a lease ends at its longest hold, and is not renewed beyond' },
    ],
  },
  {
    name: 'holding: a release does not run on the work’s aborted signal (C29)',
    file: hold,
    find: 'await this.context.store.release(this.identity, undefined, signal);',
    replace: 'await this.context.store.release(this.identity, undefined, this.signal);',
    noticedBy: [
      {
        file: clockTroubleTests,
        title:
          'a lease that ran out here is given back all the same: its release runs on a signal of its own',
      },
    ],
  },
  {
    name: 'holding: work under a lease that was broken is not reported as fine',
    file: 'lib/client/with-lock.ts',
    find: 'lossBefore ?? lease.loss',
    replace: 'lossBefore',
    noticedBy: [
      {
        file: withLockTests,
        title:
          'work that ends well under a lease whose loss only its release finds is a LockLostError with the result',
      },
    ],
  },
  {
    name: 'holding: a release does not wait for a renewal that hangs (C04): heartbeat stops first',
    file: hold,
    find: 'this.heartbeat.stop();\n    // Behind what was asked for before',
    replace: 'await this.#queue;\n    this.heartbeat.stop();\n    // Behind what was asked for before',
    noticedBy: [
      {
        file: heartbeatTests,
        title: 'C04 a release while a renewal is in flight drops it: the item is free, and no loss is told',
      },
    ],
  },
  {
    name: 'holding: no timer and no request after the end (C05): no beat left',
    file: heartbeat,
    find: 'this.#stopped = true;\n    this.#cancelBeat();',
    replace: 'this.#stopped = true;',
    noticedBy: [
      {
        file: heartbeatTests,
        title: 'C05 after a release: no timer, no request, and the item is never touched again',
      },
    ],
  },
  {
    name: 'holding: a throttled release does not leave the lease to run out by itself',
    file: hold,
    find: 'if (mayPass) this.#listener.releaseLater?.(',
    replace: 'if (!mayPass) this.#listener.releaseLater?.(',
    noticedBy: [
      {
        file: withLockTests,
        title:
          'C28 a release that is throttled beyond all attempts is repeated in the background: the lease need not run out',
      },
    ],
  },
  {
    name: 'renew: refused with somebody else’s lease is a loss',
    file: 'lib/lease/refused-writes.ts',
    find: "if (!item || !isStill(lease, item)) return { kind: 'lost', reason: lossReason(lease, item) };\n  return item.expiresAt!",
    replace: "if (!item) return { kind: 'lost', reason: lossReason(lease, item) };\n  return item.expiresAt!",
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'release: leaves its lease id behind',
    file: holderRequests,
    find: "    lastLeaseId: ':leaseId',\n",
    replace: '',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'release: somebody else’s item is not taken for one’s own',
    file: 'lib/lease/refused-writes.ts',
    find: "if (item && hasEnded(lease, item) && isDone(item)) return { kind: 'done', already: true };",
    replace: "return { kind: 'done', already: true };",
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'complete: somebody else’s completion is not taken for one’s own',
    file: 'lib/lease/later-requests.ts',
    find: 'if (item && hasEnded(lease, item) && item.brokenLeaseId !== lease.leaseId) {',
    replace: 'if (item) {',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'release: the token stays',
    file: holderRequests,
    find: "  ...['leaseId', 'owner', 'expiresAt',",
    replace: "  ...['version', 'leaseId', 'owner', 'expiresAt',",
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'ttl: rewritten by a renewal',
    file: holderRequests,
    find: "set: ['ttl'],\n  compute: { expiresAt:",
    replace: 'set: [],\n  compute: { expiresAt:',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'ttl: rewritten by a release',
    file: holderRequests,
    find: 'ttl: ttlAfter(context, usedUntil)',
    replace: 'ttl: Math.ceil(usedUntil / 1000)',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'ttl: behind the time from which on a lock can be had that was released before it',
    file: holderRequests,
    find: 'minHoldMs > 0 ? now + minHoldMs + widestIntervalMs + context.skewMs : now',
    replace: 'widestIntervalMs > 0 ? now : now',
    noticedBy: [
      {
        file: 'test/engine/kit/free-not-yet.test.ts',
        title:
          'minHoldMs: the item is kept for the retention after the time, and a renewed lease older than it is free at once',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'minHoldMs: counted from the grant',
    file: holderRequests,
    find: "'if_not_exists(#acquiredAt, :now) + :minHoldMs'",
    replace: "':now + :minHoldMs'",
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'minHoldMs: written by every release that may come before its time',
    file: 'lib/lease/hold.ts',
    find: '...(minHoldMs > 0 && this.term.mayBeShorterThan(minHoldMs) && { minHoldMs }),',
    replace: '',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'minHoldMs: whether it is over is asked of the earliest that it can be',
    file: 'lib/lease/lease-term.ts',
    find: 'return this.#context.clock.now().earliest < this.#acquiredAt + minHoldMs;',
    replace: 'return this.#context.clock.now().latest < this.#acquiredAt + minHoldMs;',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'complete: marks the name',
    file: 'lib/lease/later-requests.ts',
    find: "set: ['completedAt', ...",
    replace: 'set: [...',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'holder: is told of a loss by its signal',
    file: hold,
    find: '    this.#abort?.abort(error);\n',
    replace: '',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'renew: one without an answer lengthens nothing here',
    file: hold,
    find: '    this.#lastRenewalFailed = undefined;\n    this.term.confirm(expiresAt);',
    replace: '    this.#lastRenewalFailed = undefined;\n    this.term.confirm(expiresAt + 3_000);',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'renew: a lease that is lost here is never renewed again',
    file: hold,
    find: '    this.checkHeld();\n    await this.context.store.ensureTime(signal);\n    this.checkHeld();\n',
    replace: '    await this.context.store.ensureTime(signal);\n',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'end: nothing is written after it',
    file: hold,
    find: "    this.state = 'ended';\n    this.heartbeat.stop();",
    replace: '    this.heartbeat.stop();',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'heartbeat: renews',
    file: heartbeat,
    find: 'this.#cancelBeat = this.#runtime.setTimer(() => void this.#beat(), delayMs);',
    replace: '',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'heartbeat: watches for the danger',
    file: heartbeat,
    find: '#watchForDanger(): void {\n    this.#cancelDanger();',
    replace: '#watchForDanger(): void {\n    this.#cancelDanger();\n    if (this) return;',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'errors: a write without an answer may have been applied',
    file: 'lib/errors/known-errors.ts',
    find: "mayHaveApplied: request === 'write' && (treatment.mayHaveApplied || triedBefore),",
    replace: 'mayHaveApplied: false,',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'errors: what passes by itself is waited for',
    file: 'lib/errors/known-errors.ts',
    find: "retryable: treatment.retryable || (kind === 'credentials' && answeredBefore),",
    replace: 'retryable: false,',
    noticedBy: [{ suite: 'lock' }],
  },
  // The id and the token cover the same, but for what comes very late.
  {
    name: 'renew: identity in its condition',
    file: holderRequests,
    find: 'allOf(isCurrent, lengthens, isOwn(isTokenKnown))',
    replace: 'lengthens',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'save: a checkpoint reads as saved when it is',
    file: 'lib/lease/lease.ts',
    find: "    this.#checkpoint = await this.#later('save', checkpoint);",
    replace: "    this.#checkpoint = checkpoint;\n    await this.#later('save', checkpoint);",
    noticedBy: [
      {
        file: 'test/unit/lease/hold.test.ts',
        title: 'reads as saved once it is stored: not while that is under way, nor when it has failed',
      },
    ],
  },
  {
    name: 'save: what is kept is what it was at the call (D08)',
    file: 'lib/lease/lease.ts',
    find: 'const asked = given.map(copied);',
    replace: 'const asked = given;',
    noticedBy: [
      {
        file: 'test/engine/client/after-the-end.test.ts',
        title: 'D08 a checkpoint and a result are stored as they were at the call',
      },
    ],
  },
  {
    name: 'holding: a part that can’t be loaded is no loss, and is asked for again',
    file: 'lib/runtime/loaded-later.ts',
    find: 'throw new StoreError(message, undefined, { cause, retryable: true, mayHaveApplied: true });',
    replace: 'throw cause && message;',
    noticedBy: [
      {
        file: 'test/unit/runtime/loaded-later.test.ts',
        title:
          'counts as a store that can’t be reached where it can’t be loaded, and is loaded by the next call',
      },
    ],
  },
  {
    name: 'release: tried again later it is as uncertain as before, and keeps its least hold (D01)',
    file: hold,
    find: 'this.#listener.releaseLater?.(this.identity, forMs);',
    replace: 'this.#listener.releaseLater?.(this.labels, forMs);',
    noticedBy: [
      {
        file: 'test/unit/lease/hold.test.ts',
        title:
          'D01 is given back later as it would have been now: as uncertain, and not to be had again so soon',
      },
    ],
  },
  {
    name: 'renewal: what a store grants for longer than was asked is held no longer for it',
    file: 'lib/lease/lease-term.ts',
    find: 'this.#expiresAt = expiresAt - this.#surplusMs;',
    replace: 'this.#expiresAt = expiresAt;',
    noticedBy: [
      {
        file: 'test/unit/lease/hold.test.ts',
        title: 'is held for as long as was asked, also once it is renewed',
      },
    ],
  },
  {
    name: 'heartbeat: a lease that ends twice is counted off once: the next ones renew in time (C42)',
    file: heartbeat,
    find: 'if (!this.#stopped) beating.set',
    replace: 'beating.set',
    noticedBy: [
      {
        file: 'test/unit/lease/hold.test.ts',
        title:
          'are spread, and none of them begins late, also after one that was stopped twice: lost, and given back',
      },
    ],
  },
];
