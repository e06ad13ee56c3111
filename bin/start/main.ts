import type { WriteStream } from 'node:tty';
import { listenForInterruption } from '../terminal/interruption.js';
import { choosePalette } from '../terminal/styled-line.js';
import { performRun } from './perform-run.js';
import { isComplete, type RunOutcome } from './proof/slice-evidence.js';
import { RunProgress } from './run-progress.js';
import { checkDirectory, parseStartOptions, type StartOptions, subtitle } from './start-options.js';
import { LiveView } from './view/live-view.js';
import type { View } from './view/plain-view.js';
import { PlainView } from './view/plain-view.js';
import { jsonResult, textReport } from './view/report.js';

/**
 * `npm start`: runs the main job on this machine and shows it.
 *
 * @param args without the interpreter and the script
 * @returns the exit code: 0 complete; 1 not; 2 the call can't be right; 130 and the like after a signal
 */
export async function main(args: readonly string[]): Promise<number> {
  try {
    const options = parseStartOptions(args);
    await checkDirectory(options.directory);
    return await runAndShow(options);
  } catch (error) {
    return toExitCode(error as Error);
  }
}

async function runAndShow(options: StartOptions): Promise<number> {
  using stop = listenForInterruption({ alsoCrashes: true });
  const stream = options.json ? process.stderr : process.stdout;
  const palette = choosePalette(stream);
  const view = viewFor(stream, options);
  const progress = new RunProgress((moment) => view.moment(moment));
  let outcome: RunOutcome;
  {
    using showing = view;
    showing.start(progress);
    try {
      outcome = await performRun(options, progress, stop.signal);
    } catch (error) {
      throw await stop.reasonFor(error);
    }
    progress.phase = 'done';
  }
  if (options.json)
    process.stdout.write(`${JSON.stringify(jsonResult(options, progress, outcome), null, 2)}\n`);
  else stream.write(`\n${textReport(progress, outcome, palette, stream.columns ?? 100)}\n`);
  return isComplete(outcome) ? 0 : 1;
}

/** A live picture for people, lines for a pipe; `--json` keeps stdout clean. */
function viewFor(stream: WriteStream, options: StartOptions): View {
  const palette = choosePalette(stream);
  const line = (progress: RunProgress) => subtitle(options, progress.engine);
  const live = stream.isTTY && process.env.TERM !== 'dumb' && !options.json;
  return live ? new LiveView(stream, palette, line) : new PlainView(stream, palette, line);
}

function toExitCode(error: Error): number {
  const { name, message } = error;
  // Commander has printed its own message; help comes as an error, too.
  if (name === 'CommanderError')
    return (error as Error & { readonly exitCode: number }).exitCode === 0 ? 0 : 2;
  process.stderr.write(`error: ${message}\n`);
  if (name === 'Interrupted') return (error as Error & { readonly exitCode: number }).exitCode;
  return name === 'BadInputError' ? 2 : 1;
}
