import Table from 'cli-table3';

/** Milliseconds of one kind of run. */
export interface Summary {
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly runs: number;
}

/** Several kinds of runs, measured side by side. */
export interface Comparison {
  readonly what: string;
  readonly engine: string;
  /** The ratio of the medians that is aimed at; printed, never asserted. */
  readonly target: number;
  readonly measured: Summary & { readonly label: string };
  readonly baselines: readonly (Summary & { readonly label: string })[];
}

/** How long `work` took, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** Median and 95th percentile. */
export function summaryOf(samplesMs: readonly number[]): Summary {
  const sorted = [...samplesMs].sort((a, b) => a - b);
  const at = (fraction: number) => sorted[Math.floor(fraction * (sorted.length - 1))] ?? Number.NaN;
  return { medianMs: at(0.5), p95Ms: at(0.95), runs: sorted.length };
}

/** Prints the comparison, with the ratio of the measured median to each baseline's: a table, or with `--json` one object. */
export function printComparison({ what, engine, target, measured, baselines }: Comparison): void {
  const rows = [measured, ...baselines].map((row) => ({ ...row, ratio: measured.medianMs / row.medianMs }));
  if (process.argv.includes('--json')) {
    console.log(JSON.stringify({ what, engine, target, rows }));
    return;
  }
  const table = new Table({
    head: ['', 'median ms', 'p95 ms', 'runs', 'ratio'],
    style: { head: [], border: [] },
    colAligns: ['left', 'right', 'right', 'right', 'right'],
  });
  for (const { label, medianMs, p95Ms, runs, ratio } of rows) {
    table.push([label, medianMs.toFixed(3), p95Ms.toFixed(3), runs, ratio.toFixed(3)]);
  }
  console.log(`${what}, on ${engine}; aimed at: at most ${target}`);
  console.log(table.toString());
}
