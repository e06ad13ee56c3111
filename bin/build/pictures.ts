/**
 * Draws the README's two pictures from one real run of `npm start`: the live view, and a fenced takeover with the tokens
 * that were really given. `npm run pictures`
 */
import '../terminal/quiet-sdk.js';
import { mkdir, writeFile } from 'node:fs/promises';
import { createColors } from 'picocolors';
import { performRun } from '../start/perform-run.js';
import { RunProgress } from '../start/run-progress.js';
import { parseStartOptions, subtitle } from '../start/start-options.js';
import { frame } from '../start/view/frame.js';
import { Throughput } from '../terminal/figures.js';
import { listenForInterruption } from '../terminal/interruption.js';
import { type Takeover, takeoverSvg } from './pictures/takeover-svg.js';
import { terminalSvg } from './pictures/terminal-svg.js';

const columns = 112;
const rows = 34;
const drawEveryMs = 100;

const folder = new URL('../../docs/images/', import.meta.url);
const options = parseStartOptions(process.argv.slice(2));
const progress = new RunProgress(() => {});
const throughput = new Throughput();
/** The first frame in which all has been seen that there is to see, and seats are still at work; else the last before. */
let chosen: string | undefined;
let told = false;
let frames = 0;

using interruption = listenForInterruption({ alsoCrashes: true });
const timer = setInterval(() => {
  const picture = frame(progress, {
    columns,
    rows,
    palette: createColors(true),
    subtitle: subtitle(options, progress.engine),
    objectsPerSecond: throughput.at(progress.elapsedMs, progress.objects),
  });
  frames += 1;
  if (progress.phase === 'scanning' && progress.busySeats > 1 && !told) chosen = picture;
  told ||= progress.refusedWrites.length > 0 && progress.splits > 0 && progress.busySeats > 2;
}, drawEveryMs);
const outcome = await performRun(options, progress, interruption.signal).finally(() => clearInterval(timer));

const takeover = findTakeover();
if (!chosen || !takeover || outcome.checks.some(({ holds }) => !holds)) {
  throw new Error(
    'This run showed no takeover and no refused write while it was scanning: try another --seed',
  );
}
await mkdir(folder, { recursive: true });
const title =
  'npm start while it runs: seats with their workers, slices and tokens; takeovers, splits and a refused write';
await writeFile(new URL('live-view.svg', folder), terminalSvg(chosen, columns, title));
await writeFile(new URL('fenced-takeover.svg', folder), takeoverSvg(takeover));
process.stdout.write(`docs/images/live-view.svg, docs/images/fenced-takeover.svg: of ${frames} frames\n`);

/** The stopped worker and its successor, where the write of the former was refused. */
function findTakeover(): Takeover | undefined {
  const stopped = progress.strikes.find(({ kind }) => kind === 'stop');
  const refused = progress.refusedWrites.find(({ token }) => token === stopped?.token);
  const next = progress.takeovers.find(({ previousToken }) => previousToken === stopped?.token);
  if (!stopped || !refused || !next) return undefined;
  return { slice: stopped.slice, first: stopped, second: next };
}
