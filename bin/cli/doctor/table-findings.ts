import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type TableFindings, tableFindings } from '../../../lib/table/check-table.js';
import { about, type Finding } from './finding.js';

/** What the descriptions of the table say, and whether it is worth while to go on. */
export interface TableReport {
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
