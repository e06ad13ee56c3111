import type { Command } from 'commander';
import type { LockInfo } from '../../lib/client/index.js';
import { kitPartOf } from '../../lib/kit/permits.js';
import { formatDuration } from '../terminal/figures.js';
import { jsonText, print, printJson } from '../terminal/output.js';
import { fieldList } from '../terminal/text-table.js';
import type { GlobalOptions } from './connection.js';
import { connect } from './connection.js';
import { noSuchLock } from './report-error.js';

/** `leasehold inspect`: all about one lock. */
export function addInspect(program: Command): void {
  program
    .command('inspect')
    .description('show all about one lock, with the lease id that `break` needs')
    .argument('<name>', 'the lock')
    .addHelpText('after', '\nExample:\n  $ leasehold inspect settlement/batch-99')
    .action((name: string, _options, command: Command) => {
      return inspect(name, command.optsWithGlobals<GlobalOptions>());
    });
}

async function inspect(name: string, options: GlobalOptions): Promise<void> {
  await using connection = await connect(options);
  const lock = await connection.locks.inspect(name);
  if (!lock) throw noSuchLock(name, options.table);
  const inLine = (await connection.locks.context.store.readLine(name)).length;
  if (options.json) printJson({ ...lock, inLine, part: kitPartOf(name) });
  else print(fieldList([...toFields(lock), ['in line', inLine > 0 ? String(inLine) : undefined]]));
}

function toFields(lock: LockInfo): [string, string | undefined][] {
  const remaining = formatDuration(lock.remainingMs);
  const part = kitPartOf(lock.name);
  const left =
    lock.state === 'held' ? `, ${remaining} left` : lock.freeFrom ? `, but not for ${remaining}` : '';
  return [
    ['name', lock.name],
    ['state', `${lock.state}${left}`],
    ['token', String(lock.token)],
    ['owner', lock.owner],
    ['lease id', lock.leaseId],
    ['acquired', instant(lock.acquiredAt)],
    ['expires', instant(lock.expiresAt)],
    ['free from', instant(lock.freeFrom)],
    ['asked to let go', lock.releaseRequested === '' ? 'yes' : lock.releaseRequested],
    ...(part ? [[`${part.role} of`, part.of] as [string, string]] : []),
    ['renewals', lock.renewals?.toString()],
    ['group', lock.group],
    ['checkpoint', lock.checkpoint === undefined ? undefined : jsonText(lock.checkpoint)],
    ['completed', instant(lock.completedAt)],
    ['result', lock.result === undefined ? undefined : jsonText(lock.result)],
  ];
}

function instant(storeTimeMs: number | undefined): string | undefined {
  return storeTimeMs === undefined ? undefined : new Date(storeTimeMs).toISOString();
}
