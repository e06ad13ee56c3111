import { createRequire } from 'node:module';
import { Command } from 'commander';
import { addBreak } from './commands/break-command.js';
import { addDoctor } from './commands/doctor-command.js';
import { addInspect } from './commands/inspect-command.js';
import { addLs } from './commands/ls-command.js';
import { addReopen } from './commands/reopen-command.js';
import { addRun } from './commands/run-command.js';
import { addScan } from './commands/scan-command.js';
import { addTable } from './commands/table-command.js';
import { addGlobalOptions } from './global-options.js';
import type { ErrorStyle } from './report-error.js';

/** Where a command that ended without an error leaves another exit code than 0. */
export interface Outcome {
  exitCode: number;
}

/** All commands. Errors of parsing are thrown, and are told on stderr unless programs read it. */
export function createProgram(how: ErrorStyle, outcome: Outcome): Command {
  const program = new Command('leasehold')
    .description('Leases with fencing tokens in DynamoDB, and S3 scans under them.')
    .version(packageVersion(), '--version')
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
  addBreak(program);
  addReopen(program);
  addScan(program, outcome);
  addTable(program);
  addDoctor(program, outcome);
  return program.addHelpText('after', '\nExample:\n  $ leasehold ls --table leases --region eu-central-1');
}

/** By the package's own name, since the compiled file lies deeper than its source. */
function packageVersion(): string {
  const require = createRequire(import.meta.url);
  return (require('leasehold/package.json') as { version: string }).version;
}
