import { UsageError } from '../errors/index.js';
import type { Environment } from './invocation.js';

/** What the lock service reads from its environment. */
export interface LockServiceSettings {
  /** `LEASEHOLD_TABLE`: the lease table's name. */
  readonly table: string;
  /** `LEASEHOLD_NAMES`: the names that callers may use, as a JSON list of patterns; absent: all. */
  readonly names: readonly string[] | undefined;
  /** `LEASEHOLD_GROUPS`: the groups that callers may put locks into, in the same form; absent: as the names. */
  readonly groups: readonly string[] | undefined;
  /** `LEASEHOLD_OPERATIONS`: `use` for callers, `operate` for operators. @default use */
  readonly operations: 'use' | 'operate';
  /** `LEASEHOLD_MAX_LEASE_MS`: the longest lease that a caller may ask for, in milliseconds. @default 900000 */
  readonly maxLeaseMs: number | undefined;
  /** `AWS_REGION`, which Lambda sets. */
  readonly region: string | undefined;
  /** `LEASEHOLD_DYNAMODB_ENDPOINT`: another address of DynamoDB, for tests. */
  readonly dynamoEndpoint: string | undefined;
  /** `LEASEHOLD_STEPFUNCTIONS_ENDPOINT`: another address of Step Functions, for tests. */
  readonly stepFunctionsEndpoint: string | undefined;
}

/** @throws UsageError that names the variable, what it must be, and its value */
export function lockServiceSettings(env: Environment): LockServiceSettings {
  const present = (name: string) => env[name]?.trim() || undefined;
  const table = present('LEASEHOLD_TABLE');
  if (!table) throw new UsageError('LEASEHOLD_TABLE: the name of the lease table is missing');
  return {
    table,
    names: parsePatterns('LEASEHOLD_NAMES', present('LEASEHOLD_NAMES')),
    groups: parsePatterns('LEASEHOLD_GROUPS', present('LEASEHOLD_GROUPS')),
    operations: parseOperations(present('LEASEHOLD_OPERATIONS')),
    maxLeaseMs: parseMaxLease(present('LEASEHOLD_MAX_LEASE_MS')),
    region: present('AWS_REGION'),
    dynamoEndpoint: present('LEASEHOLD_DYNAMODB_ENDPOINT'),
    stepFunctionsEndpoint: present('LEASEHOLD_STEPFUNCTIONS_ENDPOINT'),
  };
}

function parsePatterns(variable: string, text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  let names: unknown;
  try {
    names = JSON.parse(text);
  } catch {
    // Said below.
  }
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names;
  throw new UsageError(`${variable}: must be a JSON list of strings, got "${text}"`);
}

function parseOperations(text = 'use'): 'use' | 'operate' {
  if (text === 'use' || text === 'operate') return text;
  throw new UsageError(`LEASEHOLD_OPERATIONS: must be "use" or "operate", got "${text}"`);
}

function parseMaxLease(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const maxLeaseMs = Number(text);
  if (Number.isSafeInteger(maxLeaseMs) && maxLeaseMs >= 1_000) return maxLeaseMs;
  throw new UsageError(
    `LEASEHOLD_MAX_LEASE_MS: must be a whole number of milliseconds, at least 1000, got "${text}"`,
  );
}
