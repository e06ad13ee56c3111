import type { Removal } from '../removal.js';

const once = 'lib/client/once.ts';
const cronSlot = 'lib/client/cron-slot.ts';

/** What is built on locks: done once, run once a slot, the first that is free. */
export const derivedCallsRemovals: readonly Removal[] = [
  {
    name: 'once: later callers get the result of the first',
    file: once,
    find: 'return { ran: false, result: error.result as T };',
    replace: 'return { ran: false, result: undefined as T };',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'once: the result is stored with the completion',
    file: once,
    find: 'lease.complete(stored, keep)',
    replace: 'lease.complete(undefined, keep)',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'slots: a later one that was started is not followed by an earlier one',
    file: cronSlot,
    find: "    any({ text: 'attribute_not_exists(#slot)' }, { text: '#slot <= :cronSlot', values }),\n",
    replace: '',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'slots: one that is finished is not run again',
    file: cronSlot,
    find: "any({ text: 'attribute_not_exists(#slotDone)' }, { text: '#slotDone < :cronSlot', values }),",
    replace:
      "any({ text: 'attribute_not_exists(#slotDone)' }, { text: '#slotDone < :cronSlot OR attribute_exists(#slotDone)', values }),",
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'slots: the release says that it is finished',
    file: cronSlot,
    find: 'lease.release({ set: { slotDone: slot } })',
    replace: 'lease.release({ set: {} })',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'slots: one that may be forgotten is too old',
    file: cronSlot,
    find: 'return slot < latest - context.retentionMs + maxAheadMs;',
    replace: 'return slot < Number.NEGATIVE_INFINITY;',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'claim-next: what it has got is handed out',
    file: 'lib/client/later-calls.ts',
    find: 'if (lease) return lease;',
    replace: 'if (lease && lease.token < 0) return lease;',
    noticedBy: [{ suite: 'lock' }],
  },
];
