import { type Command, InvalidArgumentError } from 'commander';
import { durationMs } from '../../terminal/option-readers.js';
import type { Outcome } from '../exit-codes.js';
import { commonExitCodes } from '../exit-codes.js';
import type { RunOptions } from './run-options.js';

function readPermits(text: string): number {
  const permits = Number(text);
  if (Number.isInteger(permits) && permits >= 1 && permits <= 100) return permits;
  throw new InvalidArgumentError('must be a whole number from 1 to 100');
}

/** `leasehold run`: a command under a lock. */
export function addRun(program: Command, outcome: Outcome): void {
  program
    .command('run')
    .description('run a command under a lock; it finds LEASEHOLD_NAME and LEASEHOLD_TOKEN in its environment')
    .argument('<name>', 'the lock')
    .argument('<command...>', 'the command and its arguments, after --')
    .option('--lease <duration>', 'how long a crash keeps the lock (default: 30s)', durationMs)
    .option('--wait <duration>', 'how long to wait for it (default: try once)', durationMs)
    .option(
      '--grace <duration>',
      'from SIGTERM to SIGKILL when the lock is lost (default: 10s, at most a third of the lease)',
      durationMs,
    )
    .option('--semaphore', 'take a permit of the semaphore of that name; the permit is the lock')
    .option('--permits <number>', 'how many the semaphore has (with --semaphore)', readPermits)
    .option('--fair', 'wait in line: first come, first served among all who do', false)
    .option(
      '--min-hold <duration>',
      'nobody gets the lock until so long after the grant, however soon the command ends',
      durationMs,
    )
    .option(
      '--lock-delay <duration>',
      'take a lease that ran out, instead of being released, only so much later',
      durationMs,
    )
    .addHelpText(
      'after',
      `
The command and all that it starts are one process group. Signals are passed on to it. When the lock is in danger
the group gets SIGTERM, and SIGKILL after the grace: it is dead before the lease can be another's. A lease that is too
short for its grace is refused. After somebody broke the lease the command still has its grace. It does not outlive
this process either. Diagnostics, with --json one JSON line, go to stderr: stdout is the command's.

Exit codes: the command's (128+n after signal n); 75 held by somebody else, 76 lost, 79 completed already,
${commonExitCodes}, 126 and 127 as in a shell.

Example:
  $ leasehold run nightly-report --lease 1m --wait 5m -- ./report.sh --to s3://reports/
  $ leasehold run partner-api --semaphore --permits 5 --wait 10m -- ./sync.sh`,
    )
    .action(async (name: string, command: string[], _options, self: Command) => {
      // Loaded here only, as all that takes longer to load than to say.
      const { run } = await import('./run.js');
      outcome.exitCode = await run(name, command, self.optsWithGlobals<RunOptions>());
    });
}
