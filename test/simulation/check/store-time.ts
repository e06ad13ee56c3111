import type { Check, Violation } from '../history/history.js';

/** Rounding, in milliseconds. */
const roundingMs = 0.01;

/** Section 3: store time, by every front end's clock, lies in the interval that a process knows. */
export const checkStoreTime: Check = ({ premises, records }) => {
  const violations: Violation[] = [];
  const slackMs = premises.skewMs / 2 + roundingMs;
  for (const record of records) {
    if (record.kind !== 'clock' && !(record.kind === 'survey' && premises.clocksHold)) continue;
    for (const { process, earliest, latest } of record.kind === 'clock' ? [record] : record.leases) {
      const early = earliest - record.atMs - slackMs;
      const late = record.atMs - latest - slackMs;
      if (early <= 0 && late <= 0) continue;
      const what =
        early > 0
          ? `${process} believes that it is ${early.toFixed(3)} ms later than it can be`
          : `${process} believes that it is ${late.toFixed(3)} ms earlier than it can be`;
      violations.push({ rule: 'section 3', atMs: record.atMs, what });
    }
  }
  return violations;
};
