import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Command, Option } from 'commander';
import { isProxySet } from '../../lib/aws/proxy-for.js';
import { regionOf, tableArns } from '../../lib/aws/region-of.js';
import { LockClient } from '../../lib/client/index.js';
import { sdkTimeOuts } from '../../lib/runtime/index.js';
import { endpointUrl } from '../terminal/option-readers.js';
import { SetUpFailure } from './report-error.js';

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

/** What each of the command line's AWS clients is made with. */
interface AwsClientConfig {
  readonly region?: string;
  readonly requestHandler: Readonly<Record<string, unknown>>;
}

/**
 * What is common to all clients of the command line: the Region, the time that a request may take, and the way out
 * through a proxy.
 *
 * @param region absent: as the AWS SDK finds it
 * @param requestTimeoutMs the end of one attempt of a request
 * @throws SetUpFailure if the environment names a file that can't be read
 */
export async function awsClientConfig(
  region: string | undefined,
  requestTimeoutMs: number,
): Promise<AwsClientConfig> {
  return {
    ...(region !== undefined && { region }),
    requestHandler: { ...sdkTimeOuts(requestTimeoutMs).requestHandler, ...(await agents()) },
  };
}

/** Loaded only where something is set. */
async function agents(): Promise<Readonly<Record<string, unknown>>> {
  if (!isProxySet(process.env) && !process.env.AWS_CA_BUNDLE) return {};
  const { environmentAgents } = await import('../../lib/aws/environment-agents.js');
  try {
    return { ...environmentAgents() };
  } catch (cause) {
    throw new SetUpFailure('NO_CA_BUNDLE', (cause as Error).message);
  }
}

/**
 * Finds the Region before anything is sent: the SDK would say only that it is missing, and only at the first request.
 *
 * @throws SetUpFailure if nothing says which
 */
export async function checkRegion(client: {
  readonly config: { readonly region: () => Promise<string> };
}): Promise<void> {
  try {
    await client.config.region();
  } catch {
    throw new SetUpFailure(
      'NO_REGION',
      'There is no Region: give one with --region, in AWS_REGION, or in the profile of AWS_PROFILE',
    );
  }
}
