import { UsageError } from '../../errors/index.js';
import type { Environment } from '../../lambda/invocation.js';

/** What the functions of a scan read from their environment. */
export interface ScanSettings {
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
