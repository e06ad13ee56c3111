import type { Command } from 'commander';
import type { LockClient, LockInfo } from '../../lib/client/index.js';
import { UsageError } from '../../lib/errors/index.js';
import { print, printJson } from '../terminal/output.js';
import { printable } from '../terminal/styled-line.js';
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

/** Its time is none that we write: it can't be shown, and is to be taken back all the same. */
async function look(locks: LockClient, name: string): Promise<LockInfo | 'strange' | undefined> {
  try {
    return await locks.inspect(name);
  } catch (error) {
    if (error instanceof UsageError) return 'strange';
    throw error;
  }
}

async function mend(locks: LockClient, name: string, { json }: GlobalOptions): Promise<void> {
  if (!(await locks.reopen(name))) throw notReopened(name);
  if (json) printJson({ name, reopened: true, state: 'free' });
  else print(printable(`Reopened "${name}": its completion, which could not be read, is gone.`));
}

/** Between the two requests TTL removed it, or somebody reopened and completed it once more. */
function notReopened(name: string): CommandFailure {
  const message = `"${name}" changed meanwhile; look at it again`;
  return new CommandFailure('NOT_REOPENED', message, { lockName: name });
}

async function reopen(name: string, options: GlobalOptions): Promise<void> {
  await using connection = await connect(options);
  const before = await look(connection.locks, name);
  if (before === 'strange') return await mend(connection.locks, name, options);
  if (!before) throw noSuchLock(name, options.table);
  const { completedAt } = before;
  if (!(await connection.locks.reopen(name, { ...(completedAt !== undefined && { completedAt }) }))) {
    throw notReopened(name);
  }
  const reopened = before.state === 'completed';
  if (options.json)
    printJson({ name, reopened, state: reopened ? 'free' : before.state, token: before.token });
  else if (reopened) print(printable(`Reopened "${name}": its completion and result are gone.`));
  else print(printable(`"${name}" is not completed but ${before.state}; nothing was changed.`));
}
