import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { UsageError } from '../errors/index.js';
import { boundedClient, systemRuntime } from '../runtime/index.js';
import { toStoreError } from './store-errors.js';
import { groupIndexName } from './table-names.js';

/** What a check found of a table that can be used. */
export interface TableCheck {
  /**
   * `unknown`: the engine has no Time to Live, or the caller may not ask for it. `none`: a strongly consistent global
   * table can't have it, a sweeper does its work.
   */
  readonly timeToLive: 'enabled' | 'unknown' | 'none';
  /** What could not be found out, one sentence each. */
  readonly remarks: readonly string[];
}

/** The end of one request over all its attempts, in milliseconds. */
const callTimeoutMs = 30_000;

/** Answers that mean that nobody here can say, rather than that something is wrong. */
const cannotTell = new Set(['UnknownOperationException', 'NotImplemented', 'AccessDeniedException']);

/**
 * Checks that a table is what the protocol needs (section 1): the partition key `name` and no sort key, the index
 * `byGroup`, and Time to Live on `ttl`; and that replicas in other Regions, if it has any, are strongly consistent.
 * Reads descriptions only, writes nothing.
 *
 * @param client a DynamoDB client; document clients work as well
 * @throws UsageError that says in plain words what is wrong with the table, all of it at once
 * @throws StoreError when DynamoDB can't be asked
 */
export async function checkTable(
  client: Pick<DynamoDBClient, 'send'>,
  tableName: string,
  options: { readonly signal?: AbortSignal } = {},
): Promise<TableCheck> {
  const { key, index, replicas, timeToLive } = await tableFindings(client, tableName, options);
  const problems = [...key, ...index, ...replicas];
  if (timeToLive.problem) problems.push(timeToLive.problem);
  if (problems.length > 0) {
    throw new UsageError(`Table "${tableName}" can't hold leases: ${problems.join('; ')}`);
  }
  const remarks = timeToLive.remark ?? [];
  if (timeToLive.none) return { timeToLive: 'none', remarks };
  return { timeToLive: timeToLive.remark ? 'unknown' : 'enabled', remarks };
}

/** What is wrong with a table, one sentence each, by what it is about; nothing where it is right. */
export interface TableFindings {
  readonly key: readonly string[];
  readonly index: readonly string[];
  readonly replicas: readonly string[];
  /** `remark`: why nobody here can tell, or why there is `none` and need not be. */
  readonly timeToLive: {
    readonly problem?: string;
    readonly remark?: readonly string[];
    readonly none?: boolean;
  };
}

/**
 * As {@link checkTable}, for those who want to tell the findings one by one.
 *
 * @throws UsageError if there is no such table; StoreError when DynamoDB can't be asked
 */
export async function tableFindings(
  client: Pick<DynamoDBClient, 'send'>,
  tableName: string,
  options: { readonly signal?: AbortSignal } = {},
): Promise<TableFindings> {
  const bounded = boundedClient(client, systemRuntime, callTimeoutMs);
  const table = await described(bounded, tableName, options.signal);
  const timeToLive = isStronglyConsistent(table)
    ? { none: true, remark: [withoutTimeToLive] }
    : await readTimeToLive(bounded, tableName, options.signal);
  return {
    key: keyProblems(table),
    index: indexProblems(table),
    replicas: replicaProblems(table),
    timeToLive,
  };
}

const withoutTimeToLive =
  'a strongly consistent global table has no Time to Live: its sweeper deletes what has expired';

/** Whether all Regions of a global table see every write at once: such a table can hold locks, and has no Time to Live. */
export function isStronglyConsistent(table: TableDescription): boolean {
  return table.MultiRegionConsistency === 'STRONG';
}

/** What is wrong with a table's replicas in other Regions, one sentence each. */
export function replicaProblems(table: TableDescription): string[] {
  const regions = (table.Replicas ?? []).map(({ RegionName }) => RegionName);
  if (regions.length === 0 || isStronglyConsistent(table)) return [];
  return [
    `it has replicas (${regions.join(', ')}) that are eventually consistent: two Regions would grant the same lock at once`,
  ];
}

async function described(
  client: Pick<DynamoDBClient, 'send'>,
  tableName: string,
  signal: AbortSignal | undefined,
): Promise<TableDescription> {
  try {
    const command = new DescribeTableCommand({ TableName: tableName });
    const { Table } = await client.send(command, { abortSignal: signal });
    return Table ?? {};
  } catch (error) {
    const { name } = error as Error;
    if (name !== 'ResourceNotFoundException') throw toStoreError(error, tableName, undefined, 'read');
    const hint = 'it can be made with "leasehold table create"';
    throw new UsageError(
      `Table "${tableName}" does not exist in this account and Region; ${hint}`,
      undefined,
      { cause: error },
    );
  }
}

/** What is wrong with a table's key, one sentence each. */
export function keyProblems(table: TableDescription): string[] {
  const problems: string[] = [];
  const { HASH: partition, RANGE: sort } = readKeys(table.KeySchema);
  if (partition !== 'name') problems.push(`its partition key must be "name", it is "${partition}"`);
  if (sort !== undefined) problems.push(`it must have no sort key, it has "${sort}"`);
  const type = findType(table, 'name');
  if (partition === 'name' && type !== 'S')
    problems.push(`its key "name" must be a String (S), it is ${type}`);
  return problems;
}

/** What is wrong with a table's index, one sentence each. */
export function indexProblems(table: TableDescription): string[] {
  const index = table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === groupIndexName);
  if (!index) {
    return [`it lacks the index "${groupIndexName}" (partition key "group", sort key "name", keys only)`];
  }
  const { HASH: partition, RANGE: sort } = readKeys(index.KeySchema);
  if (partition === 'group' && sort === 'name') return [];
  const found = `"${partition}"${sort === undefined ? '' : ` and "${sort}"`}`;
  return [`its index "${groupIndexName}" must have the keys "group" and "name", it has ${found}`];
}

async function readTimeToLive(
  client: Pick<DynamoDBClient, 'send'>,
  tableName: string,
  signal: AbortSignal | undefined,
): Promise<TableFindings['timeToLive']> {
  try {
    const command = new DescribeTimeToLiveCommand({ TableName: tableName });
    const { TimeToLiveDescription: found } = await client.send(command, { abortSignal: signal });
    const on = found?.TimeToLiveStatus === 'ENABLED' || found?.TimeToLiveStatus === 'ENABLING';
    if (!on) return { problem: 'Time to Live is off: turn it on for the attribute "ttl", or items pile up' };
    if (found?.AttributeName === 'ttl') return {};
    return {
      problem: `Time to Live must be on for the attribute "ttl", it is for "${found?.AttributeName}"`,
    };
  } catch (error) {
    const { name } = error as Error;
    if (!cannotTell.has(name)) throw toStoreError(error, tableName, undefined, 'read');
    return { remark: [`Can't tell whether Time to Live is on for the attribute "ttl": ${name}`] };
  }
}

function readKeys(schema: readonly KeySchemaElement[] | undefined): { HASH?: string; RANGE?: string } {
  return Object.fromEntries((schema ?? []).map(({ KeyType, AttributeName }) => [KeyType, AttributeName]));
}

function findType(table: TableDescription, attribute: string): string | undefined {
  return table.AttributeDefinitions?.find(({ AttributeName }) => AttributeName === attribute)?.AttributeType;
}
