import { type Command, Option } from 'commander';
import { endpointUrl } from './endpoint-url.js';

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
