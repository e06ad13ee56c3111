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
import { boundedClient, systemRuntime } from '../../../lib/runtime/index.js';
import { timed } from '../../../lib/table/dynamo-table.js';
import { groupIndexName } from '../../../lib/table/table-names.js';
import { about, type Finding } from './findings.js';

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
