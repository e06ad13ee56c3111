import type { Command } from 'commander';
import { durationMs } from '../../terminal/option-readers.js';
import type { Outcome } from '../main.js';
import type { RunOptions } from './run-options.js';

/** `leasehold run`: a command under a lock. */
export function addRun(program: Command, outcome: Outcome): void {
  program
    .command('run')
    .description('run a command under a lock; it finds LEASEHOLD_NAME and LEASEHOLD_TOKEN in its environment')
    .argument('<name>', 'the lock')
    .argument('<command...>', 'the command and its arguments, after --')
    .option('--lease <duration>', 'how long a crash keeps the lock (default: 30s)', durationMs)
    .option('--wait <duration>', 'how long to wait for it (default: try once)', durationMs)
    .option('--grace <duration>', 'from SIGTERM to SIGKILL when the lock is lost (default: 10s)', durationMs)
    .addHelpText(
      'after',
      `
The command and all that it starts are one process group. Signals are passed on to it. When the lock is lost the
group gets SIGTERM before the lease ends, and SIGKILL after the grace; a lease of three times the grace or more
leaves room for both. Diagnostics, with --json one JSON line, go to stderr: stdout is the command's.

Exit codes: the command's (128+n after signal n); 75 not acquired, 76 lost, 126 and 127 as in a shell, 2 usage.

Example:
  $ leasehold run nightly-report --lease 1m --wait 5m -- ./report.sh --to s3://reports/`,
    )
    .action(async (name: string, command: string[], _options, self: Command) => {
      // Loaded here only, as all that takes longer to load than to say.
      const { run } = await import('./run.js');
      outcome.exitCode = await run(name, command, self.optsWithGlobals<RunOptions>());
    });
}
