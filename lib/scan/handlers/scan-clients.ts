import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { regionOf, tableArns } from '../../aws/region-of.js';
import { sdkRequests } from '../../aws/sdk-requests.js';
import { requestTimeoutFor } from '../../client/client-options.js';
import { LockClient } from '../../client/index.js';
import { UsageError } from '../../errors/index.js';
import type { Environment } from '../../lambda/invocation.js';
import { payForRequests, s3Address } from '../listing/s3-requests.js';
import type { Processor } from '../results/processor.js';
import { withLedger } from '../results/with-ledger.js';

/** What a function of a scan works with. */
export interface ScanClients {
  readonly settings: ScanSettings;
  readonly locks: LockClient;
  readonly s3: S3Client;
}

/** The end of one attempt of a request to S3, in milliseconds: a listing of 1,000 keys takes a fraction of a second. */
const s3RequestTimeoutMs = 20_000;
const s3ConnectionTimeoutMs = 3_000;

/**
 * The clients, made at the first invocation and kept for all later ones of the same execution environment. Not made
 * when the module loads: an error there has no name that a state machine could match.
 */
export function clientsOnce(env: Environment): () => ScanClients {
  let clients: ScanClients | undefined;
  return () => {
    clients ??= scanClients(scanSettings(env));
    return clients;
  };
}

function scanClients(settings: ScanSettings): ScanClients {
  const requestTimeoutMs = requestTimeoutFor(settings.leaseMs);
  const locks = new LockClient({
    table: settings.table,
    // One attempt each, as of a client that `LockClient` makes: it tries again by its own rules.
    client: new DynamoDBClient({
      ...dynamoConfig('LEASEHOLD_TABLE', settings.table, requestTimeoutMs, settings),
      maxAttempts: 1,
    }),
    requestTimeoutMs,
    leaseMs: settings.leaseMs,
  });
  const s3 = new S3Client({
    ...s3Address({ endpoint: settings.s3Endpoint }),
    ...sdkRequests(s3RequestTimeoutMs, s3ConnectionTimeoutMs),
  });
  if (settings.requesterPays) payForRequests(s3);
  return { settings, locks, s3 };
}

/** Puts the fenced ledger around a processor where the settings name its table. */
export function ledgered(processor: Processor, settings: ScanSettings): Processor {
  if (settings.ledgerTable === undefined) return processor;
  const timeoutMs = requestTimeoutFor(settings.leaseMs);
  const { ledgerTable } = settings;
  const client = new DynamoDBClient(dynamoConfig('LEASEHOLD_LEDGER_TABLE', ledgerTable, timeoutMs, settings));
  return withLedger(processor, { client: DynamoDBDocumentClient.from(client), table: settings.ledgerTable });
}

function dynamoConfig(option: string, table: string, timeoutMs: number, { dynamoEndpoint }: ScanSettings) {
  const region = regionOf(option, table, tableArns);
  return {
    ...(region !== undefined && { region }),
    ...(dynamoEndpoint !== undefined && { endpoint: dynamoEndpoint }),
    ...sdkRequests(timeoutMs),
  };
}

/** What the functions of a scan read from their environment. */
interface ScanSettings {
  /** `LEASEHOLD_TABLE`: the lease table's name. */
  readonly table: string;
  /** `LEASEHOLD_DYNAMODB_ENDPOINT`: another address of DynamoDB, for tests. */
  readonly dynamoEndpoint: string | undefined;
  /** `LEASEHOLD_S3_ENDPOINT`: another address of S3, for tests. */
  readonly s3Endpoint: string | undefined;
  /** `LEASEHOLD_REQUESTER_PAYS`: `on` where whoever scans pays for requests to S3. */
  readonly requesterPays: boolean;
  /** `LEASEHOLD_LEASE_MS`: how long a lease runs without a renewal, in milliseconds; absent: the client's default. */
  readonly leaseMs: number | undefined;
  /** `LEASEHOLD_LEDGER_TABLE`: a table in which each slice's progress is written under its token. */
  readonly ledgerTable: string | undefined;
  /** `LEASEHOLD_OUTPUT_BUCKET` and `LEASEHOLD_OUTPUT_PREFIX`: where large results go. */
  readonly output: { readonly bucket: string; readonly prefix: string } | undefined;
}

/** @throws UsageError that names the variable, its limit and its value */
export function scanSettings(env: Environment): ScanSettings {
  const table = present(env, 'LEASEHOLD_TABLE');
  if (!table) throw new UsageError('LEASEHOLD_TABLE: the name of the lease table is missing');
  const bucket = present(env, 'LEASEHOLD_OUTPUT_BUCKET');
  return {
    table,
    dynamoEndpoint: present(env, 'LEASEHOLD_DYNAMODB_ENDPOINT'),
    s3Endpoint: present(env, 'LEASEHOLD_S3_ENDPOINT'),
    requesterPays: present(env, 'LEASEHOLD_REQUESTER_PAYS') === 'on',
    leaseMs: parseLease(present(env, 'LEASEHOLD_LEASE_MS')),
    ledgerTable: present(env, 'LEASEHOLD_LEDGER_TABLE'),
    output: bucket ? { bucket, prefix: env.LEASEHOLD_OUTPUT_PREFIX ?? '' } : undefined,
  };
}

function present(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

function parseLease(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const leaseMs = Number(text);
  if (Number.isInteger(leaseMs) && leaseMs >= 1) return leaseMs;
  throw new UsageError(
    `LEASEHOLD_LEASE_MS: must be a whole number of milliseconds, at least 1, got "${text}"`,
  );
}
