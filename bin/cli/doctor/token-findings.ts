import { leaseFormat, type TableContext } from '../../../lib/lease/index.js';
import type { StoredItem } from '../../../lib/table/index.js';
import { plural } from '../../terminal/figures.js';
import { about, type Finding } from './findings.js';

/** How many items are looked at: a whole table may be large. */
const sampleSize = 1_000;

/** No store time is before this moment of 2001, in milliseconds since the epoch; a counter does not get as far. */
const firstTime = 1_000_000_000_000;

/** A token may lie ahead of the time by this much, in milliseconds: clocks are known as intervals. */
const maxAheadMs = 5_000;

const remedy = '`leasehold table raise-tokens` lifts them, while nobody uses the table';

/**
 * Whether tokens need to be raised, by the first items. A table that was restored shows tokens of the past, which look as
 * those of a table that is seldom used: that it was restored is for people to know.
 */
export async function tokenFinding({ table, clock }: TableContext): Promise<Finding> {
  const finding = about('tokens');
  try {
    for await (const items of table.scan(undefined, { pageSize: sampleSize })) {
      return judged(items, clock.isSet ? clock.now().latest : undefined);
    }
    return finding.ok('there are no locks yet');
  } catch (error) {
    return finding.note(`can't look at the items: ${(error as Error).message}`);
  }
}

function judged(items: readonly StoredItem[], nowMs: number | undefined): Finding {
  const finding = about('tokens');
  const ours = items.filter(({ format }) => format === leaseFormat);
  const versions = ours.map(({ version }) => Number(version));
  const counted = versions.filter((version) => version < firstTime).length;
  const ahead = nowMs === undefined ? 0 : versions.filter((version) => version > nowMs + maxAheadMs).length;
  const unmarked = items.filter(isOlderForm).length;
  const of = `of the first ${plural(items.length, 'item')}`;
  const wrong = [
    counted > 0 &&
      `${counted} ${of} bear tokens that are no times, as an older version counted them: ${remedy}`,
    unmarked > 0 &&
      `${unmarked} ${of} look like locks of an older version, without the mark "${leaseFormat}": nobody gets them; ` +
        'let nobody use the table, then delete them or make a new table',
    ahead > 0 &&
      `${ahead} ${of} bear tokens ahead of the store's time: they were granted by other clocks; new grants go above ` +
        'them all the same, but in a restored or copied table other items may lie below tokens that were given: ' +
        remedy,
  ].filter((problem) => problem !== false);
  if (wrong.length > 0) return finding.wrong(wrong.join('; '));
  return finding.ok(`none ${of} needs to be raised; after a restore, import or copy all do`);
}

/** Whoever else writes to the table has no such pair of attributes. */
function isOlderForm({ format, version, leaseId, lastLeaseId }: StoredItem): boolean {
  return format === undefined && typeof version === 'number' && (leaseId ?? lastLeaseId) !== undefined;
}
