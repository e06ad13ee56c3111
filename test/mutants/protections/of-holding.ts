import type { Protection } from './protection.js';

const lease = 'lib/lease/lease.ts';
const heartbeatTests = 'test/engine/lease/heartbeat.test.ts';
const clockTrouble = 'test/engine/client/clock-trouble.test.ts';

/** Holding a lease, and ending it (protocol, section 5). */
export const ofHolding: readonly Protection[] = [
  {
    id: 'danger-margin',
    what: 'the signal fires before the lease ends (C31)',
    file: 'lib/lease/lease-term.ts',
    find: 'return this.leftMs - this.#settings.safetyMarginMs;',
    replace: 'return this.leftMs;',
    test: {
      file: heartbeatTests,
      name: 'C31 a network cut while holding: the signal fires before the lease ends, reason store-unavailable',
    },
  },
  {
    id: 'held-at-the-call',
    what: 'validity is computed at the call, not by a timer (C14)',
    file: lease,
    find: "if (this.#state === 'held' && this.remainingMs <= 0)",
    replace: "if (this.#state === 'held' && this.remainingMs < 0)",
    test: {
      file: clockTrouble,
      name: 'C14 an event loop blocked past the lease: the next synchronous check says lost, and the signal follows',
    },
  },
  {
    id: 'heartbeat-stops',
    what: 'no timer and no request after the end (C05)',
    file: lease,
    find: "this.#state = 'ended';\n    this.#heartbeat.stop();",
    replace: "this.#state = 'ended';",
    test: { file: heartbeatTests, name: 'C05 after a completion: no timer, no request' },
  },
  {
    id: 'heartbeat-stops-on-loss',
    what: 'no timer and no request after a loss (C05)',
    file: lease,
    find: "this.#state = 'lost';\n    this.#heartbeat.stop();",
    replace: "this.#state = 'lost';",
    test: { file: heartbeatTests, name: 'C05 after a loss: no timer, no request' },
  },
  {
    id: 'drop-renewal-in-flight',
    what: 'a release does not wait for a renewal that hangs (C04)',
    file: 'lib/lease/heartbeat.ts',
    find: "this.#inFlight?.abort(new DOMException('the lease has ended', 'AbortError'));",
    replace: '',
    test: {
      file: heartbeatTests,
      name: 'C04 a release while a renewal is in flight drops it: the item is free, and no loss is told',
    },
  },
  {
    id: 'retry-renewal',
    what: 'a failed renewal is tried again (C06)',
    file: 'lib/lease/heartbeat.ts',
    find: 'if (!renewed && !this.#stopped) this.#beatIn(this.#retryDelayMs());',
    replace: '',
    test: {
      file: heartbeatTests,
      name: 'C06 a failed renewal is tried again sooner: still held, no loss, no unhandled rejection',
    },
  },
  {
    id: 'one-at-a-time',
    what: 'a release waits for a completion in flight',
    file: lease,
    find: "if (this.#hasEnded()) return this.#isHandedOver ? 'handed-over' : 'released';",
    replace: '',
    test: {
      file: heartbeatTests,
      name: 'a release during a completion sends nothing more: the lease has ended by then',
    },
  },
  {
    id: 'in-order',
    what: 'writes of one lease go one at a time (I5)',
    file: lease,
    find: 'const result = this.#queue.then(work);',
    replace: 'const result = Promise.resolve().then(work);',
    test: { file: heartbeatTests, name: 'writes of one lease go one at a time, in the order of the calls' },
  },
  {
    id: 'max-hold',
    what: 'a lease is not renewed past its longest hold',
    file: lease,
    find: "if (this.#state === 'held' && !this.#term.isLast) await",
    replace: "if (this.#state === 'held') await",
    test: { file: heartbeatTests, name: 'a lease ends at its longest hold, and is not renewed beyond' },
  },
  {
    id: 'release-own-signal',
    what: 'a release does not run on the work’s aborted signal (C29)',
    file: lease,
    find: 'await this.#context.store.release(this, undefined, signal);',
    replace: 'await this.#context.store.release(this, undefined, this.signal);',
    test: {
      file: clockTrouble,
      name: 'a lease that ran out here is given back all the same: its release runs on a signal of its own',
    },
  },
  {
    id: 'loss-found-by-release',
    what: 'work under a lease that was broken is not reported as fine',
    file: 'lib/client/with-lock.ts',
    find: 'lossBefore ?? findLoss(lease)',
    replace: 'lossBefore',
    test: {
      file: 'test/engine/client/with-lock.test.ts',
      name: 'work that ends well under a lease whose loss only its release finds is a LockLostError with the result',
    },
  },
  {
    id: 'heartbeat-stops-first',
    what: 'a release does not wait for a renewal that hangs (C04)',
    file: lease,
    find: '    this.#heartbeat.stop();\n    await this.#queue;',
    replace: '    await this.#queue;\n    this.#heartbeat.stop();',
    test: {
      file: heartbeatTests,
      name: 'C04 a release while a renewal is in flight drops it: the item is free, and no loss is told',
    },
  },
  {
    id: 'no-beat-left',
    what: 'no timer and no request after the end (C05)',
    file: 'lib/lease/heartbeat.ts',
    find: 'this.#stopped = true;\n    this.#cancelBeat();',
    replace: 'this.#stopped = true;',
    test: {
      file: heartbeatTests,
      name: 'C05 after a release: no timer, no request, and the item is never touched again',
    },
  },
  {
    id: 'release-again',
    what: 'a throttled release does not leave the lease to run out by itself',
    file: lease,
    find: 'if (mayPass) this.#releaseLater(',
    replace: 'if (!mayPass) this.#releaseLater(',
    test: {
      file: 'test/engine/client/with-lock.test.ts',
      name: 'C28 a release that is throttled beyond all attempts is repeated in the background: the lease need not run out',
    },
  },
];
