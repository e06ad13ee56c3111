import type { StoreClock } from '../../../lib/clock/index.js';
import { formatDuration } from '../duration.js';
import { about, type Finding } from './finding.js';

/** AWS refuses requests that were signed further off than this. */
const maxOffsetMs = 5 * 60_000;

/**
 * How far this machine's wall clock is off the store's, whose time is known as an interval.
 *
 * @param wallMs the wall clock, read now
 */
export function clockFinding(clock: StoreClock, wallMs: number): Finding {
  const finding = about('clock');
  if (!clock.isSet) {
    return finding.wrong('the responses carry no Date header: there is no store time, and leases need it');
  }
  const { earliest, latest } = clock.now();
  const aheadMs = wallMs - (earliest + latest) / 2;
  // Front ends that disagree may let the two cross.
  const uncertainMs = Math.abs(latest - earliest) / 2;
  const off = `${formatDuration(Math.abs(aheadMs))} ${aheadMs < 0 ? 'behind' : 'ahead of'} the store's`;
  const measured = `this machine's clock is ${off} (± ${formatDuration(uncertainMs)})`;
  if (Math.abs(aheadMs) - uncertainMs <= maxOffsetMs) return finding.ok(`${measured}; leases do not mind`);
  return finding.wrong(
    `${measured}: leases do not mind, but AWS refuses what is signed more than five minutes off, and schedules ` +
      'fire at the wrong time; let NTP set it',
  );
}
