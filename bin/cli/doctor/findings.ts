import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { StoreClock } from '../../../lib/clock/store-clock.js';
import { type TableFindings, tableFindings } from '../../../lib/table/check-table.js';
import { formatDuration } from '../../terminal/figures.js';

/** One thing that was looked at. */
export interface Finding {
  readonly check: string;
  /** `note`: it can't be told from here, or is not needed by all; nothing is wrong because of it. */
  readonly status: 'ok' | 'wrong' | 'note';
  /** In plain words: what was found, and what to do about it. */
  readonly message: string;
}

/** Makes findings of one check. */
export function about(check: string) {
  return {
    ok: (message: string): Finding => ({ check, status: 'ok', message }),
    wrong: (message: string): Finding => ({ check, status: 'wrong', message }),
    note: (message: string): Finding => ({ check, status: 'note', message }),
  };
}

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

/** What the descriptions of the table say, and whether it is worth while to go on. */
interface TableReport {
  readonly findings: readonly Finding[];
  /** `false`: there is no table, or no way to it. */
  readonly reachable: boolean;
}

/** Looks at the table's key, index and Time to Live. */
export async function tableReport(client: DynamoDBClient, tableName: string): Promise<TableReport> {
  try {
    return { findings: toFindings(await tableFindings(client, tableName)), reachable: true };
  } catch (thrown) {
    const error = thrown as Error;
    const cause = (error.cause as Error | undefined)?.name;
    if (cause !== 'AccessDeniedException') {
      return { findings: [about('table').wrong(error.message)], reachable: false };
    }
    const why = 'dynamodb:DescribeTable is not permitted here; no worker needs it, only this look';
    return {
      findings: [about('table').note(`can't tell its key, index and Time to Live: ${why}`)],
      reachable: true,
    };
  }
}

function toFindings({ key, index, replicas, timeToLive }: TableFindings): Finding[] {
  const { problem, remark } = timeToLive;
  const ttl = about('time to live');
  return [
    one('key', key, 'partition key "name" (S), no sort key'),
    one('index', index, 'index "byGroup" by group and name'),
    // Most tables have none: there is nothing to say then.
    ...(replicas.length > 0 ? [one('replicas', replicas, '')] : []),
    problem
      ? ttl.wrong(problem)
      : remark
        ? ttl.note(remark.join('; '))
        : ttl.ok('on for the attribute "ttl"'),
  ];
}

function one(check: string, problems: readonly string[], right: string): Finding {
  return problems.length === 0 ? about(check).ok(right) : about(check).wrong(problems.join('; '));
}
