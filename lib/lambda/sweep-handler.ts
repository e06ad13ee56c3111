import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { regionOf, tableArns } from '../aws/region-of.js';
import { sdkRequests } from '../aws/sdk-requests.js';
import { LockClient } from '../client/index.js';
import { quoted, UsageError } from '../errors/index.js';
import { checkOptions } from '../lease/check-options.js';
import { type SweepAnswer, sweepLeases } from '../table/sweep/index.js';
import type { Environment, RemainingTime } from './invocation.js';

/** The end of one attempt of a request of the sweep's, in milliseconds: a page is at most 1 MB. */
const requestTimeoutMs = 5_000;
const defaultDeletesPerSecond = 100;

/**
 * The handler of the sweeper: deletes expired items until it is through, or until its time runs short; the next
 * invocation goes on from there. Its answer goes to the log, too, since nobody waits for a scheduled one.
 *
 * Reads `LEASEHOLD_TABLE`, `LEASEHOLD_DELETES_PER_SECOND` (100 unless set) and, for tests, `LEASEHOLD_DYNAMODB_ENDPOINT`.
 *
 * @param options.env where the settings are read from. @default process.env
 * @param options.log takes one line of JSON. @default standard output
 * @returns a handler that throws UsageError (not to be retried) and StoreError
 * @throws UsageError for an option that it does not have
 */
export function createSweepHandler(
  options: { readonly env?: Environment; readonly log?: (line: string) => void } = {},
): (event: unknown, context: RemainingTime) => Promise<SweepAnswer> {
  checkOptions('createSweepHandler', options, ['env', 'log']);
  const env = options.env ?? process.env;
  const log = options.log ?? ((line: string) => void process.stdout.write(`${line}\n`));
  let once: SweepClients | undefined;
  return async (_event, context) => {
    once ??= sweepClients(env);
    const answer = await sweepLeases({ ...once, remainingMs: () => context.getRemainingTimeInMillis() });
    log(JSON.stringify({ message: 'Sweep of the lease table', table: once.table, ...answer }));
    return answer;
  };
}

interface SweepClients {
  readonly table: string;
  readonly deletesPerSecond: number;
  readonly client: DynamoDBClient;
  readonly locks: LockClient;
}

function sweepClients(env: Environment): SweepClients {
  const table = env.LEASEHOLD_TABLE?.trim();
  if (!table) throw new UsageError('LEASEHOLD_TABLE: the name of the lease table is missing');
  const dynamoEndpoint = env.LEASEHOLD_DYNAMODB_ENDPOINT?.trim() || undefined;
  const deletesPerSecond = parseDeletesPerSecond(env.LEASEHOLD_DELETES_PER_SECOND);
  const region = regionOf('LEASEHOLD_TABLE', table, tableArns);
  const client = new DynamoDBClient({
    ...(region !== undefined && { region }),
    ...(dynamoEndpoint !== undefined && { endpoint: dynamoEndpoint }),
    maxAttempts: 5,
    ...sdkRequests(requestTimeoutMs),
  });
  return { table, deletesPerSecond, client, locks: new LockClient({ table, client }) };
}

function parseDeletesPerSecond(text: string | undefined): number {
  if (text === undefined || text.trim() === '') return defaultDeletesPerSecond;
  const perSecond = Number(text);
  if (Number.isInteger(perSecond) && perSecond >= 1 && perSecond <= 1_000) return perSecond;
  throw new UsageError(
    `LEASEHOLD_DELETES_PER_SECOND: must be a whole number from 1 to 1000, got ${quoted(text)}`,
  );
}
