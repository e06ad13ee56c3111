import type { Command } from 'commander';
import type { LockClient, LockInfo } from '../../lib/client/index.js';
import { UsageError } from '../../lib/errors/index.js';
import { print, printJson } from '../terminal/output.js';
import { printable } from '../terminal/styled-line.js';
import type { GlobalOptions } from './connection.js';
import { connect } from './connection.js';
import { CommandFailure, noSuchLock } from './report-error.js';

interface BreakOptions extends GlobalOptions {
  readonly leaseId?: string;
}

/** `leasehold break`: an operator's force-release. */
export function addBreak(program: Command): void {
  program
    .command('break')
    .description(
      'force-release a lock; its holder finds out at its next renewal, a lease granted meanwhile is left alone',
    )
    .argument('<name>', 'the lock')
    .argument('[lease-id]', 'the lease to end, as `inspect` shows it')
    .option('--lease-id <id>', 'the same, as an option')
    .addHelpText(
      'after',
      '\nExample:\n  $ leasehold break settlement/batch-99 --lease-id 0b6f9c1e-5d0c-4b0e-9a55-3f6d2f6f2c11',
    )
    .action((name: string, leaseId: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<BreakOptions>();
      return breakLease(name, demandedLease(leaseId, options.leaseId), options);
    });
}

async function breakLease(name: string, leaseId: string, options: BreakOptions): Promise<void> {
  await using connection = await connect(options);
  const { locks } = connection;
  const before = await look(locks, name);
  if (!before) throw noSuchLock(name, options.table);
  if (!(await locks.break(name, leaseId))) throw notCurrent(name, leaseId, await locks.inspect(name));
  if (before === 'strange') return tellMended(name, leaseId, options);
  const broken = before.leaseId === leaseId && before.state !== 'free';
  const freed = before.leaseId === leaseId && before.freeFrom !== undefined;
  if (options.json) {
    printJson({ name, leaseId, broken, token: before.token, freed, ...(broken && { owner: before.owner }) });
  } else if (broken) {
    const whose = `the lease of ${before.owner ?? 'an unknown owner'} (token ${before.token})`;
    print(printable(`Broke "${name}": ${whose} is over, and anybody may take the lock.`));
  } else if (freed) {
    print(printable(`"${name}" was free, but not yet; now anybody may take it.`));
  } else {
    print(printable(`Lease ${leaseId} of "${name}" was over already; nothing was changed.`));
  }
}

/** Its times or its token are none that we write: it can't be shown, and is to be broken all the same. */
async function look(locks: LockClient, name: string): Promise<LockInfo | 'strange' | undefined> {
  try {
    return await locks.inspect(name);
  } catch (error) {
    if (error instanceof UsageError) return 'strange';
    throw error;
  }
}

function tellMended(name: string, leaseId: string, { json }: BreakOptions): void {
  if (json) printJson({ name, leaseId, broken: true });
  else print(printable(`Lease ${leaseId} of "${name}", which could not be read, is over.`));
}

function demandedLease(argument: string | undefined, option: string | undefined): string {
  if (argument !== undefined && option !== undefined && argument !== option) {
    throw new UsageError(`Two lease ids were given: ${argument} and ${option}`);
  }
  const leaseId = option ?? argument;
  if (leaseId) return leaseId;
  throw new UsageError('Name the lease to end with --lease-id; `leasehold inspect NAME` shows it');
}

function notCurrent(name: string, leaseId: string, now: LockInfo | undefined): CommandFailure {
  const current = now?.leaseId
    ? `the current one is ${now.leaseId}, held by ${now.owner} (token ${now.token})`
    : 'nobody holds the lock now';
  return new CommandFailure(
    'NOT_THE_CURRENT_LEASE',
    `Nothing was changed: ${leaseId} is not the lease of "${name}"; ${current}`,
    {
      lockName: name,
      leaseId,
      current: now?.leaseId ? { leaseId: now.leaseId, owner: now.owner, token: now.token } : null,
    },
  );
}
