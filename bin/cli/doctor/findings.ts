import {
  BatchGetItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { StoreClock } from '../../../lib/clock/store-clock.js';
import { leaseFormat, type TableContext } from '../../../lib/lease/index.js';
import { boundedClient, systemRuntime } from '../../../lib/runtime/index.js';
import { type TableFindings, tableFindings } from '../../../lib/table/check-table.js';
import { timed } from '../../../lib/table/dynamo-table.js';
import type { StoredItem } from '../../../lib/table/index.js';
import { groupIndexName } from '../../../lib/table/table-names.js';
import { formatDuration, plural } from '../../terminal/figures.js';

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

/** A request that changes nothing, and what the action is needed for. */
interface Probe {
  readonly action: string;
  readonly neededFor: string;
  /** Only some need it. */
  readonly optional?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's commands share no type that names their input and output
  readonly command: any;
}

/** No lock has this name, and none gets it. A policy that allows some names only needs one of these to be tried. */
const probeName = 'leasehold/doctor';

/** True of no item, and of none that is missing. */
const impossible = 'attribute_exists(#name) AND attribute_not_exists(#name)';

function probes(TableName: string, name: string | undefined): Probe[] {
  const Key = { name: { S: name ?? probeName } };
  // Who may use some names need not be allowed to list.
  const optional = name !== undefined;
  const ConditionExpression = impossible;
  const ExpressionAttributeNames = { '#name': 'name' };
  return [
    {
      action: 'UpdateItem',
      neededFor: 'to acquire, renew and release',
      command: new UpdateItemCommand({
        TableName,
        Key,
        UpdateExpression: 'SET #probed = :probed',
        ConditionExpression,
        ExpressionAttributeNames: { ...ExpressionAttributeNames, '#probed': 'probed' },
        ExpressionAttributeValues: { ':probed': { BOOL: true } },
      }),
    },
    {
      action: 'GetItem',
      neededFor: 'to wait for a lock, and to inspect one',
      command: new GetItemCommand({ TableName, Key, ConsistentRead: true }),
    },
    {
      action: 'BatchGetItem',
      neededFor: 'to list a group, and by scans',
      optional,
      command: new BatchGetItemCommand({
        RequestItems: { [TableName]: { Keys: [Key], ConsistentRead: true } },
      }),
    },
    {
      action: 'PutItem',
      neededFor: 'to plan and work scans',
      optional: true,
      command: new PutItemCommand({ TableName, Item: Key, ConditionExpression, ExpressionAttributeNames }),
    },
    {
      action: 'Query',
      neededFor: 'to list a group, and by scans',
      optional,
      command: new QueryCommand({
        TableName,
        IndexName: groupIndexName,
        KeyConditionExpression: '#group = :group',
        ExpressionAttributeNames: { '#group': 'group' },
        ExpressionAttributeValues: { ':group': Key.name },
        Limit: 1,
      }),
    },
    {
      action: 'Scan',
      neededFor: 'by `leasehold ls` without a group',
      optional: true,
      command: new ScanCommand({ TableName, ConsistentRead: true, Limit: 1 }),
    },
  ];
}

/** The end of one request over all its attempts, in milliseconds. */
const callTimeoutMs = 30_000;

/**
 * Tries each action that a client needs, by requests that can't change anything: reads, and writes under a condition
 * that is never true. Their responses set the clock.
 *
 * @param name a lock that may be used, where not all may
 */
export async function permissionFindings(
  client: DynamoDBClient,
  tableName: string,
  clock: StoreClock,
  name?: string,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const bounded = boundedClient(client, systemRuntime, callTimeoutMs);
  for (const probe of probes(tableName, name)) {
    timed(probe.command, clock);
    const hint = name === undefined ? ', or say with --name which lock it may use' : '';
    findings.push(toFinding(probe, hint, await bounded.send(probe.command).then(() => undefined, named)));
  }
  return findings;
}

function toFinding({ action, neededFor, optional }: Probe, hint: string, error: Error | undefined): Finding {
  const finding = about(`dynamodb:${action}`);
  // A refusal by the condition comes after the permissions have been looked at.
  if (!error || error.name === 'ConditionalCheckFailedException') return finding.ok('permitted');
  if (error.name !== 'AccessDeniedException') return finding.note(`can't tell: ${error.message}`);
  if (optional) return finding.note(`not permitted; it is needed only ${neededFor}`);
  const way = `allow it in the policy of this identity${hint}`;
  return finding.wrong(`not permitted, and needed ${neededFor}: ${way}`);
}

function named(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
