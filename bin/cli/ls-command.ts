import type { Command } from 'commander';
import type { LockInfo } from '../../lib/client/index.js';
import { formatDuration } from '../terminal/figures.js';
import { note, print, printJson } from '../terminal/output.js';
import { type Column, styleOfStdout, textTable } from '../terminal/text-table.js';
import type { GlobalOptions } from './connection.js';
import { connect } from './connection.js';

interface LsOptions extends GlobalOptions {
  readonly group?: string;
  readonly all: boolean;
}

/** A lock as `ls --json` shows it. */
interface ListedLock extends LockInfo {
  /** How long the current lease has been held, in milliseconds of store time. */
  readonly heldMs: number | undefined;
}

/** `leasehold ls`: what is held, by whom, for how long. */
export function addLs(program: Command): void {
  program
    .command('ls')
    .description('list what is held, by whom and for how long; reads the whole table unless given a group')
    .option('--group <group>', 'only the locks of this group, found by the index')
    .option('--all', 'free and completed ones, too', false)
    .addHelpText('after', '\nExample:\n  $ leasehold ls --group scan/nightly --all')
    .action((_options, command: Command) => ls(command.optsWithGlobals<LsOptions>()));
}

async function ls(options: LsOptions): Promise<void> {
  await using connection = await connect(options);
  const { locks } = connection;
  const found: ListedLock[] = [];
  let passedOver = 0;
  for await (const lock of locks.list({ group: options.group })) {
    const isUsed = lock.state === 'held' || lock.state === 'expired' || lock.freeFrom !== undefined;
    const shown = options.all || isUsed;
    const heldMs = lock.acquiredAt && Math.max(0, locks.context.clock.now().latest - lock.acquiredAt);
    if (shown) found.push({ ...lock, heldMs });
    else passedOver += 1;
  }
  found.sort((a, b) => (a.name < b.name ? -1 : 1));
  if (options.json) return printJson(found);
  if (found.length > 0) print(textTable(columns, found.map(row), styleOfStdout()));
  else note(passedOver > 0 ? `Nothing is held; --all shows ${passedOver} more.` : 'There are no locks.');
}

const columns: readonly Column[] = [
  { title: 'NAME' },
  { title: 'STATE' },
  { title: 'OWNER' },
  { title: 'HELD', align: 'right' },
  { title: 'LEFT', align: 'right' },
  { title: 'TOKEN', align: 'right' },
];

function stateOf({ state, freeFrom, releaseRequested }: ListedLock): string {
  if (freeFrom !== undefined) return 'not yet';
  return releaseRequested === undefined ? state : `${state}, asked`;
}

function row(lock: ListedLock): string[] {
  return [
    lock.name,
    stateOf(lock),
    lock.owner ?? '-',
    lock.heldMs === undefined ? '-' : formatDuration(lock.heldMs),
    lock.remainingMs > 0 ? formatDuration(lock.remainingMs) : '-',
    String(lock.token),
  ];
}
