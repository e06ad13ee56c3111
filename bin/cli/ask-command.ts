import { type Command, InvalidArgumentError } from 'commander';
import { jsonText, note, print } from '../terminal/output.js';
import { printable } from '../terminal/styled-line.js';
import type { GlobalOptions } from './connection.js';
import { connect } from './connection.js';
import type { Outcome } from './exit-codes.js';
import { noSuchLock } from './report-error.js';

interface AskOptions extends GlobalOptions {
  readonly leaseId?: string;
  readonly reason?: string;
}

/** `leasehold ask`: asks the holder of a lock to let go. */
export function addAsk(program: Command, outcome: Outcome): void {
  program
    .command('ask')
    .description('ask the holder to let go; it learns of it with its next renewal, and may go on')
    .argument('<name>', 'the lock')
    .option(
      '--lease-id <id>',
      'ask this lease only, as `inspect` shows it (default: the current one)',
      readId,
    )
    .option('--reason <text>', 'for the holder and its log, at most 256 bytes')
    .addHelpText(
      'after',
      `
Ends with 0 when that lease was current and is asked now, with 1 when nobody holds the lock or somebody else does.

Example:
  $ leasehold ask scheduler --reason deployment`,
    )
    .action(async (name: string, _options, command: Command) => {
      outcome.exitCode = await ask(name, command.optsWithGlobals<AskOptions>());
    });
}

function readId(id: string): string {
  if (id === '') throw new InvalidArgumentError('must not be empty');
  return id;
}

async function ask(name: string, options: AskOptions): Promise<number> {
  await using connection = await connect(options);
  const { locks } = connection;
  const seen = await locks.inspect(name);
  if (!seen) throw noSuchLock(name, options.table);
  const leaseId = options.leaseId ?? (seen.state === 'held' ? seen.leaseId : undefined);
  const { reason } = options;
  const asked =
    leaseId !== undefined &&
    (await locks.requestRelease(name, leaseId, { ...(reason !== undefined && { reason }) }));
  if (options.json) print(jsonText({ name, asked, leaseId, owner: asked ? seen.owner : undefined }));
  else if (asked) note(printable(`"${name}": ${seen.owner ?? 'its holder'} is asked to let go`));
  else
    note(
      printable(
        `"${name}" is ${leaseId === undefined ? seen.state : 'not held under that lease'}: nobody is asked`,
      ),
    );
  return asked ? 0 : 1;
}
