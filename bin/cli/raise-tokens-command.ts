import type { Command } from 'commander';
import { type RaisedTokens, raiseTokens } from '../../lib/table/raise-tokens.js';
import { count, plural } from '../terminal/figures.js';
import { type Interruption, listenForInterruption } from '../terminal/interruption.js';
import { note, print, printJson } from '../terminal/output.js';
import { printable } from '../terminal/printable.js';
import type { GlobalOptions } from './connection.js';
import { connect } from './connection.js';

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
export function addRaiseTokens(table: Command): void {
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
