import prettyBytes from 'pretty-bytes';
import { formatToken } from '../progress/format-token.js';
import type { RunProgress } from '../progress/run-progress.js';
import { count, seconds } from '../progress/shown-number.js';
import type { RunOutcome } from '../run-outcome.js';
import type { Palette } from '../view/palette.js';

/** The run in a few lines: how much, how fast, and what the faults did. */
export function summaryLines(progress: RunProgress, outcome: RunOutcome, palette: Palette): string {
  const { report, slices, listRequests, scanMs } = outcome;
  const objects = report?.objects ?? progress.objects;
  const bytes = report ? `, ${prettyBytes(report.bytes)}` : '';
  const figures =
    `${count(objects)} objects${bytes} in ${count(slices.length)} slices, ` +
    `${count(listRequests)} list requests, ${seconds(scanMs)}`;
  return [palette.bold(` ${figures}`), ...faultLines(progress).map((line) => ` ${line}`)].join('\n');
}

function faultLines(progress: RunProgress): string[] {
  const { ordered, strikes, takeovers, refusedWrites, faultNotes } = progress;
  const struck = strikes.map(({ kind, pid, slice, token }) => {
    const what = kind === 'kill' ? 'killed' : 'stopped';
    return `worker ${pid} ${what} in slice ${slice} under token ${formatToken(token)}`;
  });
  const missed = ordered
    .filter(({ kind }) => !strikes.some((strike) => strike.kind === kind))
    .map(
      ({ kind, slice, page }) =>
        `the ${kind} ordered for page ${page} of slice ${slice} did not come to pass`,
    );
  const retries = takeovers.filter(({ how }) => how === 'retry').length;
  return [
    ...struck,
    ...missed,
    ...faultNotes,
    `takeovers: ${count(takeovers.length)} (${retries} by a seat started again, ` +
      `${takeovers.length - retries} after a lease had run out)`,
    `stale writes refused: ${count(refusedWrites.length)}; leases lost: ${count(progress.lostLeases)}`,
  ];
}
