import {
  BatchGetItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { StoreClock } from '../../../lib/clock/index.js';
import { timed } from '../../../lib/table/date-header.js';
import { groupIndexName } from '../../../lib/table/table-names.js';
import { about, type Finding } from './finding.js';

/** A request that changes nothing, and what the action is needed for. */
interface Probe {
  readonly action: string;
  readonly neededFor: string;
  /** Only operators need it. */
  readonly optional?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's commands share no type that names their input and output
  readonly command: any;
}

/** No lock has this name, and none gets it: what is written to it must be refused. */
const probeName = 'leasehold/doctor';

/** True of no item, and of none that is missing. */
const impossible = 'attribute_exists(#name) AND attribute_not_exists(#name)';

function probes(TableName: string): Probe[] {
  const Key = { name: { S: probeName } };
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
      command: new BatchGetItemCommand({
        RequestItems: { [TableName]: { Keys: [Key], ConsistentRead: true } },
      }),
    },
    {
      action: 'PutItem',
      neededFor: 'to plan scans',
      command: new PutItemCommand({ TableName, Item: Key, ConditionExpression, ExpressionAttributeNames }),
    },
    {
      action: 'Query',
      neededFor: 'to list a group, and by scans',
      command: new QueryCommand({
        TableName,
        IndexName: groupIndexName,
        KeyConditionExpression: '#group = :group',
        ExpressionAttributeNames: { '#group': 'group' },
        ExpressionAttributeValues: { ':group': { S: probeName } },
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

/**
 * Tries each action that a client needs, by requests that can't change anything: reads, and writes under a condition
 * that is never true. Their responses set the clock.
 */
export async function permissionFindings(
  client: DynamoDBClient,
  tableName: string,
  clock: StoreClock,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const probe of probes(tableName)) {
    timed(probe.command, clock);
    findings.push(findingOf(probe, await client.send(probe.command).then(() => undefined, named)));
  }
  return findings;
}

function findingOf({ action, neededFor, optional }: Probe, error: Error | undefined): Finding {
  const finding = about(`dynamodb:${action}`);
  // A refusal by the condition comes after the permissions have been looked at.
  if (!error || error.name === 'ConditionalCheckFailedException') return finding.ok('permitted');
  if (error.name !== 'AccessDeniedException') return finding.note(`can't tell: ${error.message}`);
  if (optional) return finding.note(`not permitted; it is needed only ${neededFor}`);
  return finding.wrong(`not permitted, and needed ${neededFor}: allow it in the policy of this identity`);
}

function named(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
