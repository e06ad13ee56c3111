import '../../bin/terminal/quiet-sdk.js';
import { type Interrupted, listenForInterruption } from '../../bin/terminal/interruption.js';
import { styleOfStdout } from '../../bin/terminal/text-table.js';
import { chaosOptionsOf, usage } from './chaos-options.js';
import { textReport } from './report/text-report.js';
import { runChaos } from './run-chaos.js';

/** Answers the exit code. */
async function main(args: readonly string[]): Promise<number> {
  try {
    const options = chaosOptionsOf(args);
    if (!options) {
      process.stdout.write(usage);
      return 0;
    }
    using stop = listenForInterruption({ alsoCrashes: true });
    const report = await runChaos(options, stop.signal).catch(async (error) => {
      throw await stop.reasonFor(error);
    });
    const text = options.json ? JSON.stringify(report, null, 2) : textReport(report, styleOfStdout());
    process.stdout.write(`${text}\n`);
    if (report.violations.length > 0) return 1;
    if (!stop.signal.aborted) return 0;
    // A signal of the user's, or a failure of the driver itself.
    const { message, exitCode } = stop.signal.reason as Interrupted;
    if (exitCode === 1) process.stderr.write(`error: ${message}\n`);
    return exitCode;
  } catch (error) {
    const { name, message } = error as Error;
    process.stderr.write(`error: ${message}\n`);
    if (name === 'Interrupted') return (error as Interrupted).exitCode;
    return name === 'BadCallError' ? 2 : 1;
  }
}

// Engine, workers and reaper are not what keeps a process alive.
const awake = setInterval(() => {}, 1_000);
process.exitCode = await main(process.argv.slice(2)).finally(() => clearInterval(awake));
