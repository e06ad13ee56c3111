import type { Command } from 'commander';
import { print, printJson } from '../terminal/output.js';
import { printable } from '../terminal/printable.js';
import type { GlobalOptions } from './connection.js';
import { connect } from './connection.js';
import { CommandFailure, noSuchLock } from './report-error.js';

/** `leasehold reopen`: takes a completion back. */
export function addReopen(program: Command): void {
  program
    .command('reopen')
    .description('take a completion back, with its result, so that the lock can be acquired again')
    .argument('<name>', 'the lock')
    .addHelpText('after', '\nExample:\n  $ leasehold reopen invoice/2026-11')
    .action((name: string, _options, command: Command) => {
      return reopen(name, command.optsWithGlobals<GlobalOptions>());
    });
}

async function reopen(name: string, options: GlobalOptions): Promise<void> {
  await using connection = await connect(options);
  const before = await connection.locks.inspect(name);
  if (!before) throw noSuchLock(name, options.table);
  const { completedAt } = before;
  if (!(await connection.locks.reopen(name, { ...(completedAt !== undefined && { completedAt }) }))) {
    // Between the two requests TTL removed it, or somebody reopened and completed it once more.
    throw new CommandFailure('NOT_REOPENED', `"${name}" changed meanwhile; look at it again`, {
      lockName: name,
    });
  }
  const reopened = before.state === 'completed';
  if (options.json)
    printJson({ name, reopened, state: reopened ? 'free' : before.state, token: before.token });
  else if (reopened) print(printable(`Reopened "${name}": its completion and result are gone.`));
  else print(printable(`"${name}" is not completed but ${before.state}; nothing was changed.`));
}
