import type { Command } from 'commander';
import { type CreatedTable, createTable } from '../../lib/table/create-table.js';
import { type RaisedTokens, raiseTokens } from '../../lib/table/raise-tokens.js';
import { count, plural } from '../terminal/figures.js';
import { type Interruption, listenForInterruption } from '../terminal/interruption.js';
import { note, print, printJson } from '../terminal/output.js';
import { printable } from '../terminal/styled-line.js';
import { connect, type GlobalOptions } from './connection.js';

interface CreateOptions extends GlobalOptions {
  readonly ttl: boolean;
  readonly wait: boolean;
}

/** `leasehold table`: the lease table without CDK. */
export function addTable(program: Command): void {
  const table = program.command('table').description('the lease table');
  table
    .command('create')
    .description('create the table, on demand, with its index, or complete one that is there')
    .option('--no-ttl', 'leave Time to Live off: unused items stay for ever, and scans refuse the table')
    .option('--wait', 'wait until Time to Live is in effect, too; DynamoDB may take an hour', false)
    .addHelpText('after', '\nExample:\n  $ leasehold table create --table leases --region eu-central-1')
    .action((_options, command: Command) => create(command.optsWithGlobals<CreateOptions>()));
  addRaiseTokens(table);
}

async function create(options: CreateOptions): Promise<void> {
  await using connection = await connect(options);
  const created = await createTable(connection.dynamo, options.table, {
    timeToLive: options.ttl,
    waitForTimeToLive: options.wait,
  });
  if (options.json) printJson({ table: options.table, ...created });
  else print(sentences(options.table, created).join('\n'));
}

function sentences(table: string, created: CreatedTable): string[] {
  const timeToLive = {
    'enabled-now': 'Time to Live on "ttl": enabled now.',
    'enabled-before': 'Time to Live on "ttl": was enabled.',
    unsupported: 'Time to Live: this engine does not know it.',
    skipped: 'Time to Live: left as it is.',
  };
  const recovery = {
    'enabled-now': 'Point-in-time recovery: enabled now.',
    'enabled-before': 'Point-in-time recovery: was enabled.',
    unsupported: 'Point-in-time recovery: this engine does not know it.',
    'not-permitted': 'Point-in-time recovery: not enabled, the credentials do not permit it.',
  };
  return [
    created.created
      ? `Table "${table}" is created.`
      : `Table "${table}" was there, with the right key and index.`,
    timeToLive[created.timeToLive],
    recovery[created.pointInTimeRecovery],
  ];
}

interface RaiseOptions extends GlobalOptions {
  readonly after?: string;
}

/** How far a run has come. */
interface Progress {
  readonly counts: RaisedTokens;
  /** The name to go on after. */
  readonly after: string | undefined;
}

/** `leasehold table raise-tokens`: for a table that holds the items of the past. */
function addRaiseTokens(table: Command): void {
  table
    .command('raise-tokens')
    .description(
      'lift the tokens of a restored, imported or copied table above any ever given; held locks are left alone',
    )
    .option('--after <name>', 'go on after this lock, as an interrupted run told')
    .addHelpText('after', '\nExample:\n  $ leasehold table raise-tokens --table leases-restored')
    .action((_options, command: Command) => raise(command.optsWithGlobals<RaiseOptions>()));
}

async function raise(options: RaiseOptions): Promise<void> {
  await using connection = await connect(options);
  using interruption = listenForInterruption();
  let progress: Progress = {
    counts: { scanned: 0, raised: 0, held: 0, passedOver: 0 },
    after: options.after,
  };
  const onPage = (counts: RaisedTokens, after: string | undefined): void => {
    progress = { counts, after };
    if (!options.json) note(printable(`${sentence(counts)}${after === undefined ? '' : `; last: ${after}`}`));
  };
  const { context } = connection.locks;
  try {
    const { signal } = interruption;
    const { after } = options;
    const counts = await raiseTokens({ context, onPage, signal, ...(after !== undefined && { after }) });
    if (options.json) printJson({ table: options.table, ...counts });
    else print(printable(`Table "${options.table}": ${sentence(counts)}.`));
  } catch (error) {
    if (!interruption.signal.aborted) {
      if (!options.json && progress.after !== undefined) note(goOn(progress.after));
      throw error;
    }
    throw interrupted(interruption, progress);
  }
}

function interrupted(interruption: Interruption, { counts, after }: Progress) {
  const how = `${sentence(counts)}${after === undefined ? '' : `; ${goOn(after)}`}`;
  return interruption.ended(how, { ...counts, ...(after !== undefined && { after }) });
}

function goOn(after: string): string {
  return printable(`go on with --after ${JSON.stringify(after)}`);
}

function sentence({ scanned, raised, held, passedOver }: RaisedTokens): string {
  return `${plural(scanned, 'item')} read, ${count(raised)} raised, ${count(held)} held, ${count(passedOver)} left as they are`;
}
