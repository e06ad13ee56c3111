import { mutantsOf } from './mutant.js';

/** What is built on locks: done once, run once a slot, the first that is free. */
export const derivedCallMutants = [
  ...mutantsOf('lock', 'lib/client/once.ts', [
    [
      'once: later callers get the result of the first',
      'return { ran: false, result: error.result as T };',
      'return { ran: false, result: undefined as T };',
    ],
    [
      'once: the result is stored with the completion',
      'lease.complete(result, retainMs === undefined ? {} : { retainMs }),',
      'lease.complete(undefined, retainMs === undefined ? {} : { retainMs }),',
    ],
  ]),
  ...mutantsOf('lock', 'lib/client/cron-slot.ts', [
    [
      'slots: a later one that was started is not followed by an earlier one',
      "    any({ text: 'attribute_not_exists(#slot)' }, { text: '#slot <= :cronSlot', values }),\n",
      '',
    ],
    [
      'slots: one that is finished is not run again',
      "any({ text: 'attribute_not_exists(#slotDone)' }, { text: '#slotDone < :cronSlot', values }),",
      "any({ text: 'attribute_not_exists(#slotDone)' }, { text: '#slotDone < :cronSlot OR attribute_exists(#slotDone)', values }),",
    ],
    [
      'slots: the release says that it is finished',
      'lease.release({ set: { slotDone: slot } })',
      'lease.release({ set: {} })',
    ],
    [
      'slots: one that may be forgotten is too old',
      'return slot < latest - context.retentionMs + maxAheadMs;',
      'return slot < Number.NEGATIVE_INFINITY;',
    ],
  ]),
  ...mutantsOf('lock', 'lib/client/claim-next.ts', [
    [
      'claim-next: what it has got is handed out',
      'if (lease) return lease;',
      'if (lease && lease.token < 0) return lease;',
    ],
  ]),
];
