import type { Protection } from './protection.js';

const wrapper = 'lib/lambda/with-locked-handler.ts';
const end = 'lib/lambda/invocation-end.ts';
const wrapperTests = 'test/process/lambda/with-locked-handler.test.ts';
const functionTests = 'test/process/lambda/locked-function.test.ts';
const timeTests = 'test/engine/client/remaining-time.test.ts';

/** A lease ends with the invocation that holds it (protocol, section 5). */
export const ofTheInvocation: readonly Protection[] = [
  {
    id: 'end-of-the-caller',
    what: 'a lease is over with the time of its holder, whatever the store’s clock says (C35)',
    file: 'lib/lease/lease-term.ts',
    find: 'this.#settings.endsInMs?.() ?? Number.POSITIVE_INFINITY',
    replace: 'Number.POSITIVE_INFINITY',
    test: {
      file: timeTests,
      name: 'C35 is over with its holder’s time, whatever the store’s clock says, and its signal fires before',
    },
  },
  {
    id: 'end-after-a-wait',
    what: 'the time that is left is asked for when the lock is granted, not when the wait begins (C35)',
    file: 'lib/client/acquisition.ts',
    find: '    this.#terms = terms();\n',
    replace: '',
    test: {
      file: timeTests,
      name: 'C35 after a wait ends within the time that is left then, and no wait lasts longer than that',
    },
  },
  {
    id: 'lease-within-invocation',
    what: 'a handler’s lease is no longer than its invocation (C35)',
    file: wrapper,
    find: '...owner, endsInMs: end.leftMs, signal };',
    replace: '...owner, signal };',
    test: {
      file: wrapperTests,
      name: 'C35 the lease in the table is no longer than the time that is left',
    },
  },
  {
    id: 'handler-ends-with-lease',
    what: 'a handler that does not end is not waited for longer than its lease (C35)',
    file: wrapper,
    find: 'end.whileHeld(lease, runtime, promised(handler(event, context, lease), lease.name));',
    replace: 'promised(handler(event, context, lease), lease.name);',
    test: {
      file: functionTests,
      name: 'C35 does not run into the time-out: told before, its lock given back, and the next one waits for nothing',
    },
  },
  {
    id: 'ask-within-invocation',
    what: 'a store that does not answer is not waited for into the time-out (C35)',
    file: end,
    find: 'if (!deadline.expired()) throw error;',
    replace: 'if (error) throw error;',
    test: {
      file: wrapperTests,
      name: 'C35 a store that does not answer: a StoreError in time, and nothing is held later on',
    },
  },
  {
    id: 'answer-within-invocation',
    what: 'a release that does not come back is given up before the answer, not left under way over a freeze (C28)',
    file: end,
    find: 'await lease.release(undefined, signal);',
    replace: 'await lease.release();',
    test: {
      file: wrapperTests,
      name: 'C28 a release that does not come back: the result is answered before the time is up',
    },
  },
  {
    id: 'release-before-answer',
    what: 'a release that the store does not take for a moment is repeated before the answer leaves (C36)',
    file: end,
    find: 'if (!(error instanceof StoreError && error.retryable)) break;',
    replace: 'if (error) break;',
    test: {
      file: wrapperTests,
      name: 'C36 a release that the store refuses for a moment is repeated before the answer: nothing is held over a freeze',
    },
  },
  {
    id: 'no-callbacks',
    what: 'a handler that answers by a callback is refused: its lock would be given back while it works',
    file: wrapper,
    find: "if (typeof (answer as { readonly then?: unknown } | undefined)?.then === 'function') return answer;",
    replace: 'if (name) return answer;',
    test: {
      file: wrapperTests,
      name: 'refuses what it can’t wait for: callbacks, streams, contexts of other kinds',
    },
  },
];
