import type { CommanderError } from 'commander';
import { createProgram } from './program.js';
import { reportError } from './report-error.js';

/**
 * Runs the command line.
 *
 * @param args without the names of Node and the script
 * @returns the exit code: 0 done; 1 not done, or done with failures; 2 the call can't be right; 130 and 143 after a signal
 */
export async function main(args: readonly string[]): Promise<number> {
  // Needed before anything is parsed: that parsing fails must be told in the same way as everything else.
  const end = args.indexOf('--');
  const own = end < 0 ? args : args.slice(0, end);
  const how = { json: own.includes('--json'), verbose: own.includes('--verbose') };
  const outcome = { exitCode: 0 };
  try {
    await createProgram(how, outcome).parseAsync(args, { from: 'user' });
    return outcome.exitCode;
  } catch (error) {
    // Help and version come as errors, too.
    const { name, exitCode } = error as CommanderError;
    if (name === 'CommanderError' && exitCode === 0) return 0;
    return reportError(error, how);
  }
}
