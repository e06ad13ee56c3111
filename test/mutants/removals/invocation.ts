import type { Removal } from '../removal.js';

const remainingTimeTests = 'test/engine/client/remaining-time.test.ts';
const withLockedHandler = 'lib/lambda/with-locked-handler.ts';
const withLockedHandlerTests = 'test/process/lambda/with-locked-handler.test.ts';
const invocationEnd = 'lib/lambda/invocation.ts';

/** A lease ends with the invocation that holds it (protocol, section 5). */
export const invocationRemovals: readonly Removal[] = [
  {
    name: 'invocation: a lease is over with the time of its holder, whatever the store’s clock says (C35)',
    file: 'lib/lease/lease-term.ts',
    find: 'this.#settings.endsInMs?.() ?? Number.POSITIVE_INFINITY',
    replace: 'Number.POSITIVE_INFINITY',
    noticedBy: [
      {
        file: remainingTimeTests,
        title:
          'C35 is over with its holder’s time, whatever the store’s clock says, and its signal fires before',
      },
    ],
  },
  {
    name: 'invocation: the time that is left is asked for when the lock is granted, not when the wait begins (C35)',
    file: 'lib/client/client-core.ts',
    find: 'terms: () => (asked.endsInMs ? holdSettings(options, asked) : settings)',
    replace: 'terms: () => settings',
    noticedBy: [
      {
        file: remainingTimeTests,
        title: 'C35 after a wait ends within the time that is left then, and no wait lasts longer than that',
      },
    ],
  },
  {
    name: 'invocation: a handler’s lease is no longer than its invocation (C35)',
    file: withLockedHandler,
    find: '...owner, endsInMs: end.leftMs, signal };',
    replace: '...owner, signal };',
    noticedBy: [
      {
        file: withLockedHandlerTests,
        title: 'C35 the lease in the table is no longer than the time that is left',
      },
    ],
  },
  {
    name: 'invocation: a handler that does not end is not waited for longer than its lease (C35)',
    file: withLockedHandler,
    find: 'end.whileHeld(lease, runtime, promised(handler(event, context, lease), lease.name));',
    replace: 'promised(handler(event, context, lease), lease.name);',
    noticedBy: [
      {
        file: 'test/process/lambda/locked-function.test.ts',
        title:
          'C35 does not run into the time-out: told before, its lock given back, and the next one waits for nothing',
      },
    ],
  },
  {
    name: 'invocation: a store that does not answer is not waited for into the time-out (C35)',
    file: invocationEnd,
    find: 'if (!deadline.expired()) throw error;',
    replace: 'if (error) throw error;',
    noticedBy: [
      {
        file: withLockedHandlerTests,
        title: 'C35 a store that does not answer: a StoreError in time, and nothing is held later on',
      },
    ],
  },
  {
    name: 'invocation: a release that does not come back is given up before the answer, not left under way over a freeze (C28)',
    file: invocationEnd,
    find: 'await sendUntil(deadline, (signal) => this.#release(lease, runtime, signal)).catch(() => {});',
    replace: 'await this.#release(lease, runtime, new AbortController().signal);',
    noticedBy: [
      {
        file: withLockedHandlerTests,
        title: 'C28 a release that does not come back: the result is answered before the time is up',
      },
    ],
  },
  {
    name: 'invocation: a release that the store does not take for a moment is repeated before the answer leaves (C36)',
    file: invocationEnd,
    find: '=> error instanceof StoreError && error.retryable && !signal.aborted;',
    replace: '=> false && error;',
    noticedBy: [
      {
        file: withLockedHandlerTests,
        title:
          'C36 a release that the store refuses for a moment is repeated before the answer: nothing is held over a freeze',
      },
    ],
  },
  {
    name: 'invocation: a handler that answers by a callback is refused: its lock would be given back while it works',
    file: withLockedHandler,
    find: "if (typeof (answer as { readonly then?: unknown } | undefined)?.then === 'function') return answer;",
    replace: 'if (name) return answer;',
    noticedBy: [
      {
        file: withLockedHandlerTests,
        title: 'refuses what it can’t wait for: callbacks, streams, contexts of other kinds',
      },
    ],
  },
  {
    name: 'invocation: a release that is not answered is given up, and told, before the answer (C28)',
    file: invocationEnd,
    find: '() => lease.release(undefined, signal));',
    replace: '() => lease.release());',
    noticedBy: [
      {
        file: 'test/unit/lambda/locked-handler.test.ts',
        title: 'C28 a release that is not answered is given up, and told, before the handler’s answer',
      },
    ],
  },
];
