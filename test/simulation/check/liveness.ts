import type { Check } from '../history/history.js';

/** I6: after a crash somebody gets the lock in time, once faults stop; and every call has an end. */
export const checkLiveness: Check = ({ records }) =>
  records
    .filter((record) => record.kind === 'stuck')
    .map(({ atMs, name, what, withinMs }) => ({
      rule: 'I6',
      atMs,
      what: `${name} ${what} within ${Math.round(withinMs)} ms`,
    }));
