import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Command, Option } from 'commander';
import { regionOf, tableArns } from '../../lib/aws/region-of.js';
import { LockClient } from '../../lib/client/index.js';
import { endpointUrl } from '../terminal/option-readers.js';
import { awsClientConfig, checkRegion } from './aws-clients.js';

/** What every command takes. */
export interface GlobalOptions {
  readonly table: string;
  readonly region?: string;
  readonly endpoint?: string;
  readonly json: boolean;
  readonly verbose: boolean;
}

/** Adds them to the program; commander finds them before and after a command's name. */
export function addGlobalOptions(program: Command): void {
  program
    .addOption(new Option('--table <name>', 'the lease table').env('LEASEHOLD_TABLE').default('leases'))
    .option('--region <region>', 'AWS Region (default: as the AWS SDK finds it)')
    .option('--endpoint <url>', 'another address of DynamoDB, for local engines', endpointUrl)
    .option('--json', 'one JSON value on stdout; an error is one JSON line on stderr', false)
    .option('--verbose', 'show the stack and the cause of an error', false);
}

/** The table, and the means to use it. */
export interface Connection extends AsyncDisposable {
  readonly dynamo: DynamoDBClient;
  readonly locks: LockClient;
}

/** An operator may sit far from the Region, and what reads and breaks locks has no lease to lose. */
const patientTimeoutMs = 5_000;

/** For commands that hold leases: requests must then fit in a lease. In milliseconds. */
export interface ConnectOptions {
  readonly leaseMs?: number;
  /** @default five seconds */
  readonly requestTimeoutMs?: number;
}

/**
 * Opens the table that the options name. No request is sent.
 *
 * @throws UsageError for options that can't be right; SetUpFailure if there is no Region
 */
export async function connect(options: GlobalOptions, hold: ConnectOptions = {}): Promise<Connection> {
  const { leaseMs, requestTimeoutMs = patientTimeoutMs } = hold;
  const region = regionOf('table', options.table, tableArns, options.region);
  const dynamo = new DynamoDBClient({
    ...(await awsClientConfig(region, requestTimeoutMs)),
    ...(options.endpoint !== undefined && { endpoint: options.endpoint }),
  });
  await checkRegion(dynamo);
  const locks = new LockClient({
    table: options.table,
    client: dynamo,
    requestTimeoutMs,
    ...(leaseMs !== undefined && { leaseMs }),
  });
  return {
    dynamo,
    locks,
    async [Symbol.asyncDispose]() {
      await locks.close();
      dynamo.destroy();
    },
  };
}
