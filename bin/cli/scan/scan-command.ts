import { Argument, type Command } from 'commander';
import { durationMs, endpointUrl, wholeNumber } from '../../terminal/option-readers.js';
import type { Outcome } from '../exit-codes.js';
import { checkScanOptions, type ScanOptions, s3Location } from './scan-options.js';

/** `leasehold scan`: scans here, or starts and follows the deployed state machine. */
export function addScan(program: Command, outcome: Outcome): void {
  program
    .command('scan')
    .description('take the inventory of an S3 prefix under leases, here or by the deployed state machine')
    .addArgument(
      new Argument('[location]', 's3://bucket/prefix; may be left out with --state-machine').argParser(
        s3Location,
      ),
    )
    .option('--seats <n>', 'workers at the same time (default: 8)', wholeNumber(1, 1_000))
    .option('--slices <n>', 'slices to plan (default: one a seat)', wholeNumber(1, 10_000))
    .option('--run <id>', 'name the run; the same name again goes on where it stood (default: a new one)')
    .option('--lease <duration>', 'how long a crashed worker keeps its slice (default: 30s)', durationMs)
    .option('--page-size <n>', 'keys a request (default: 1000)', wholeNumber(1, 1_000))
    .option('--cuts-from <run>', 'cut as an earlier run of the same prefix was cut')
    .option(
      '--output <location>',
      's3://bucket/prefix for results that are too large for an item',
      s3Location,
    )
    .option('--requester-pays', 'pay for the requests, as the bucket of somebody else may ask')
    .option('--s3-endpoint <url>', 'another address of S3, for local endpoints', endpointUrl)
    .option('--state-machine <arn>', 'start this one and follow it; Ctrl-C stops following only')
    .addHelpText(
      'after',
      `
Exit codes: 0 complete, 1 failures or quarantine, 2 usage, 130 after Ctrl-C.

Examples:
  $ leasehold scan s3://my-bucket/logs/ --seats 16
  $ leasehold scan s3://my-bucket/logs/ --run nightly-7 --lease 1m
  $ leasehold scan --state-machine arn:aws:states:eu-central-1:111122223333:stateMachine:Scan`,
    )
    .action(async (location: ScanOptions['location'], _options, command: Command) => {
      const options: ScanOptions = { ...command.optsWithGlobals(), location };
      outcome.exitCode = await scan(options);
    });
}

/**
 * Loads what is needed here only: the other commands need neither S3 nor the scan.
 *
 * @returns the exit code: 0 complete, 1 failures, quarantine, or unfinished
 * @throws Interrupted after Ctrl-C; UsageError; StoreError; CommandFailure
 */
async function scan(options: ScanOptions): Promise<number> {
  checkScanOptions(options);
  if (options.stateMachine !== undefined) {
    const { scanDeployed } = await import('./scan-deployed.js');
    return scanDeployed(options, options.stateMachine);
  }
  const { scanHere } = await import('./scan-here.js');
  return scanHere(options);
}
