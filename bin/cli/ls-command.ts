import type { Command } from 'commander';
import { Admin } from '../../lib/client/admin.js';
import type { LockClient, LockInfo } from '../../lib/client/index.js';
import { lineName, readLineItem } from '../../lib/kit/line-store.js';
import { type KitPart, kitPartOf } from '../../lib/kit/permits.js';
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
  /** How many stand in line for it. */
  readonly inLine: number;
  /** What it is a part of: a semaphore, or readers and their writer. */
  readonly part: KitPart | undefined;
}

/** `leasehold ls`: what is held, by whom, for how long; who stands in line, and who has been asked to let go. */
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
  const shown: LockInfo[] = [];
  let passedOver = 0;
  const lines = new Map<string, number>();
  const listing = new Admin(locks.context).list(options.group, undefined, (name, inLine) =>
    lines.set(name, inLine),
  );
  for await (const lock of listing) {
    const isUsed = lock.state === 'held' || lock.state === 'expired' || lock.freeFrom !== undefined;
    if (options.all || isUsed) shown.push(lock);
    else passedOver += 1;
  }
  // Lines are in no group.
  if (options.group !== undefined) await readLines(locks, shown, lines);
  const found = shown.map((lock): ListedLock => {
    const heldMs = lock.acquiredAt && Math.max(0, locks.context.clock.now().latest - lock.acquiredAt);
    return { ...lock, heldMs, inLine: lines.get(lock.name) ?? 0, part: kitPartOf(lock.name) };
  });
  found.sort((a, b) => (a.name < b.name ? -1 : 1));
  if (options.json) return printJson(found);
  if (found.length > 0) print(textTable(columns, found.map(row), styleOfStdout()));
  else note(passedOver > 0 ? `Nothing is held; --all shows ${passedOver} more.` : 'There are no locks.');
}

/** The lines of these locks, a hundred with each request. */
async function readLines(
  { context }: LockClient,
  shown: readonly LockInfo[],
  lines: Map<string, number>,
): Promise<void> {
  const items = await context.table.getMany(shown.map(({ name }) => lineName(name)));
  for (const line of items.map(readLineItem)) if (line) lines.set(line.name, line.inLine);
}

const columns: readonly Column[] = [
  { title: 'NAME' },
  { title: 'STATE' },
  { title: 'OWNER' },
  { title: 'HELD', align: 'right' },
  { title: 'LEFT', align: 'right' },
  { title: 'TOKEN', align: 'right' },
  { title: 'ALSO' },
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
    alsoOf(lock),
  ];
}

function alsoOf({ part, inLine }: ListedLock): string {
  const facts = [part && `${part.role} of ${part.of}`, inLine > 0 && `${inLine} in line`];
  return facts.filter(Boolean).join(', ') || '-';
}
