import { createRequire } from 'node:module';
import { Command, type CommanderError } from 'commander';
import { addAsk } from './ask-command.js';
import { addBreak } from './break-command.js';
import { addGlobalOptions } from './connection.js';
import { addDoctor } from './doctor/doctor-command.js';
import type { Outcome } from './exit-codes.js';
import { addInspect } from './inspect-command.js';
import { addLs } from './ls-command.js';
import { addReopen } from './reopen-command.js';
import { type ErrorStyle, nameMissing, reportError } from './report-error.js';
import { addRun } from './run/run-command.js';
import { addScan } from './scan/scan-command.js';
import { addTable } from './table-command.js';

/**
 * Runs the command line.
 *
 * @param args without the names of Node and the script
 * @returns the exit code: 0 done; 1 not done, or done with failures; 2 the call can't be right; 130 and 143 after a signal
 */
export async function main(args: readonly string[]): Promise<number> {
  // Needed before anything is parsed: that parsing fails must be told in the same way as everything else.
  const end = args.indexOf('--');
  const own = end < 0 ? args : args.slice(0, end);
  const how = { json: own.includes('--json'), verbose: own.includes('--verbose') };
  const outcome = { exitCode: 0 };
  try {
    await createProgram(how, outcome).parseAsync(args, { from: 'user' });
    return outcome.exitCode;
  } catch (error) {
    // Help and version come as errors, too.
    const { name, exitCode } = error as CommanderError;
    if (name === 'CommanderError' && exitCode === 0) return 0;
    return reportError(nameMissing(error, Object.keys(ownPackage().peerDependencies)), how);
  }
}

/** All commands. Errors of parsing are thrown, and are told on stderr unless programs read it. */
function createProgram(how: ErrorStyle, outcome: Outcome): Command {
  const program = new Command('leasehold')
    .description('Leases with fencing tokens in DynamoDB, and S3 scans under them.')
    .version(ownPackage().version, '--version')
    .helpOption('-h, --help', 'show how it is used')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeErr: (text) => !how.json && process.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error:/, 'leasehold:')),
    })
    .showHelpAfterError('(--help after the command shows how it is used)')
    .exitOverride();
  addGlobalOptions(program);
  addRun(program, outcome);
  addLs(program);
  addInspect(program);
  addAsk(program, outcome);
  addBreak(program);
  addReopen(program);
  addScan(program, outcome);
  addTable(program);
  addDoctor(program, outcome);
  return program.addHelpText('after', '\nExample:\n  $ leasehold ls --table leases --region eu-central-1');
}

/** By the package's own name, since the compiled file lies deeper than its source. */
function ownPackage(): {
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
} {
  return createRequire(import.meta.url)('leasehold/package.json');
}
