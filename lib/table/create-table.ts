import {
  CreateTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  type TableDescription,
  UpdateContinuousBackupsCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { StoreError, UsageError } from '../errors/index.js';
import {
  BackOff,
  boundedClient,
  deadlineAfter,
  type Runtime,
  sleep,
  systemRuntime,
} from '../runtime/index.js';
import { indexProblems, isStronglyConsistent, keyProblems, replicaProblems } from './check-table.js';
import { toStoreError } from './store-errors.js';
import { groupIndexName } from './table-names.js';

/** How {@link createTable} makes the table. */
export interface CreateTableOptions {
  /** Enable Time to Live on `ttl`. @default true */
  readonly timeToLive?: boolean;
  /** Wait until Time to Live is in effect, at most an hour, instead of until it is accepted. @default false */
  readonly waitForTimeToLive?: boolean;
  /** The end of waiting for the table to become active, in milliseconds. @default 5 minutes */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
  readonly runtime?: Runtime;
}

/** What {@link createTable} found and did. */
export interface CreatedTable {
  /** `false`: the table was there, with the right key and index. */
  readonly created: boolean;
  readonly timeToLive: 'enabled-now' | 'enabled-before' | 'unsupported' | 'skipped';
  /** `unsupported`: by a local engine. Locks work without it, so a missing permission is told and no error. */
  readonly pointInTimeRecovery: 'enabled-now' | 'enabled-before' | 'unsupported' | 'not-permitted';
}

const ttlAttribute = 'ttl';
const hourMs = 3_600_000;

/** The end of one request over all its attempts, in milliseconds. */
const callTimeoutMs = 30_000;

/** The request and its answer, with the end and the error that all of them share. */
interface Calls {
  readonly client: Pick<DynamoDBClient, 'send'>;
  readonly tableName: string;
  readonly runtime: Runtime;
  readonly signal: AbortSignal | undefined;
}

/**
 * Makes the lease table of the protocol: partition key `name`, on demand, index `byGroup` with keys only, Time to
 * Live on `ttl`, point-in-time recovery. A table that is there is completed; one that can't be a lease table is left
 * as it is. May run in several processes at once.
 *
 * @throws UsageError if the name is wrong, or if a table of that name has another key, index or Time to Live
 *   attribute, in which case nothing was changed; StoreError; the signal's own reason
 */
export async function createTable(
  client: DynamoDBClient,
  tableName: string,
  options: CreateTableOptions = {},
): Promise<CreatedTable> {
  const { signal, runtime = systemRuntime, waitMs = 300_000, timeToLive = true } = options;
  const calls: Calls = { client: boundedClient(client, runtime, callTimeoutMs), tableName, runtime, signal };
  try {
    const created = (await describe(calls)) === undefined && (await create(calls));
    const table = await pollUntil(calls, waitMs, 'active', async () => {
      const found = await describe(calls);
      if (found) checkLeaseSchema(found, tableName);
      return found?.TableStatus === 'ACTIVE' ? found : undefined;
    });
    // A strongly consistent global table can't have it.
    const wantsTimeToLive = timeToLive && !isStronglyConsistent(table);
    const ttl = wantsTimeToLive ? await enableTimeToLive(calls) : 'skipped';
    const pointInTimeRecovery = await enableRecovery(calls, waitMs);
    if (options.waitForTimeToLive && ttl !== 'skipped' && ttl !== 'unsupported') {
      await pollUntil(calls, hourMs, 'deleting expired items', async () => {
        return (await readTimeToLive(calls)).status === 'ENABLED' || undefined;
      });
    }
    return { created, timeToLive: ttl, pointInTimeRecovery };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw toStoreError(error, tableName);
  }
}

async function describe({ client, tableName, signal }: Calls): Promise<TableDescription | undefined> {
  try {
    const command = new DescribeTableCommand({ TableName: tableName });
    return (await client.send(command, { abortSignal: signal })).Table;
  } catch (error) {
    if (named(error, 'ResourceNotFoundException')) return undefined;
    if (named(error, 'ValidationException')) throw badTableName(tableName, error as Error);
    throw error;
  }
}

async function create({ client, tableName, signal }: Calls): Promise<boolean> {
  const command = new CreateTableCommand({
    TableName: tableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'name', AttributeType: 'S' },
      { AttributeName: 'group', AttributeType: 'S' },
    ],
    KeySchema: [{ AttributeName: 'name', KeyType: 'HASH' }],
    GlobalSecondaryIndexes: [
      {
        IndexName: groupIndexName,
        KeySchema: [
          { AttributeName: 'group', KeyType: 'HASH' },
          { AttributeName: 'name', KeyType: 'RANGE' },
        ],
        // Keys only: a renewal changes none of them, so the index costs renewals nothing.
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  });
  try {
    await client.send(command, { abortSignal: signal });
    return true;
  } catch (error) {
    // Somebody else created it between the two requests.
    if (named(error, 'ResourceInUseException')) return false;
    if (named(error, 'ValidationException')) throw badTableName(tableName, error as Error);
    throw error;
  }
}

/** The key can't be changed once a table exists, so neither it nor anything else is touched. */
function checkLeaseSchema(table: TableDescription, tableName: string): void {
  const problems = [...keyProblems(table), ...indexProblems(table), ...replicaProblems(table)];
  if (problems.length === 0) return;
  throw new UsageError(
    `Table "${tableName}" can't hold leases: ${problems.join('; ')}. Nothing was changed; use another table name.`,
  );
}

async function enableTimeToLive(calls: Calls): Promise<CreatedTable['timeToLive']> {
  try {
    // Asked first, as enabling what is enabled is an error, and its name is that of every other bad request.
    if (await hasTimeToLive(calls)) return 'enabled-before';
    const TimeToLiveSpecification = { AttributeName: ttlAttribute, Enabled: true };
    const command = new UpdateTimeToLiveCommand({ TableName: calls.tableName, TimeToLiveSpecification });
    await calls.client.send(command, { abortSignal: calls.signal });
    return 'enabled-now';
  } catch (error) {
    if (named(error, 'UnknownOperationException')) return 'unsupported';
    // Somebody else enabled it between the two requests.
    if (named(error, 'ValidationException') && (await hasTimeToLive(calls))) return 'enabled-before';
    throw error;
  }
}

async function hasTimeToLive(calls: Calls): Promise<boolean> {
  const { status, attribute } = await readTimeToLive(calls);
  const enabled = status === 'ENABLED' || status === 'ENABLING';
  if (enabled && attribute !== ttlAttribute) {
    throw new UsageError(
      `Table "${calls.tableName}" has Time to Live on "${attribute}", needed is "${ttlAttribute}", and a table has ` +
        'only one. Nothing was changed; use another table name.',
    );
  }
  return enabled;
}

async function readTimeToLive({ client, tableName, signal }: Calls) {
  const command = new DescribeTimeToLiveCommand({ TableName: tableName });
  const { TimeToLiveDescription } = await client.send(command, { abortSignal: signal });
  return { status: TimeToLiveDescription?.TimeToLiveStatus, attribute: TimeToLiveDescription?.AttributeName };
}

/** Fencing tokens live in the table: a backup that can be restored to the second costs next to nothing. */
async function enableRecovery(calls: Calls, waitMs: number): Promise<CreatedTable['pointInTimeRecovery']> {
  const { client, tableName: TableName, signal } = calls;
  try {
    const described = await client.send(new DescribeContinuousBackupsCommand({ TableName }), {
      abortSignal: signal,
    });
    const now = described.ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
    if (now?.PointInTimeRecoveryStatus === 'ENABLED') return 'enabled-before';
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
    const command = new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification });
    return await pollUntil(calls, waitMs, 'ready for backups', async () => {
      try {
        await client.send(command, { abortSignal: signal });
        return 'enabled-now' as const;
      } catch (error) {
        // A new table's backups are being set up for some seconds.
        if (named(error, 'ContinuousBackupsUnavailableException')) return undefined;
        throw error;
      }
    });
  } catch (error) {
    if (named(error, 'UnknownOperationException')) return 'unsupported';
    if (named(error, 'AccessDeniedException')) return 'not-permitted';
    throw error;
  }
}

/** Asks again, at most every two seconds, until there is an answer. */
async function pollUntil<T>(
  { runtime, tableName, signal }: Calls,
  waitMs: number,
  what: string,
  ask: () => Promise<T | undefined>,
): Promise<T> {
  const backOff = new BackOff(runtime, { firstPauseMs: 100, maxPauseMs: 2_000 });
  const deadline = deadlineAfter(runtime, waitMs, signal);
  try {
    for (;;) {
      const answer = await ask();
      if (answer !== undefined) return answer;
      await sleep(runtime, backOff.nextMs(), deadline.signal);
    }
  } catch (error) {
    if (!deadline.expired()) throw error;
    throw new StoreError(`Table "${tableName}" is not ${what} after ${waitMs / 1_000} s`, undefined, {
      cause: error,
      retryable: true,
      mayHaveApplied: true,
    });
  } finally {
    deadline.clear();
  }
}

function badTableName(tableName: string, cause: Error): UsageError {
  return new UsageError(`DynamoDB refuses the table "${tableName}": ${cause.message}`, undefined, { cause });
}

function named(error: unknown, name: string): boolean {
  return (error as Error).name === name;
}
