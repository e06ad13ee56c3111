import Table from 'cli-table3';

/** One figure of the bench: what came out of several rounds. */
export interface Row {
  readonly what: string;
  /** What it is to come to, as people write it; empty: shown for comparison. */
  readonly aim: string;
  readonly median: number;
  readonly least: number;
  readonly most: number;
  readonly rounds: number;
}

/** Sums up what the rounds came to. */
export function rowOf(what: string, aim: string, samples: readonly number[]): Row {
  const sorted = [...samples].sort((a, b) => a - b);
  const [least, most] = [sorted[0] ?? Number.NaN, sorted.at(-1) ?? Number.NaN];
  return { what, aim, median: medianOf(sorted), least, most, rounds: sorted.length };
}

/** The middle one, or what lies between the middle two. */
export function medianOf(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/** The rows as a table. */
export function tableOf(rows: readonly Row[]): string {
  const table = new Table({
    head: ['', 'median', 'least', 'most', 'rounds', 'aim'],
    style: { head: [], border: [] },
    colAligns: ['left', 'right', 'right', 'right', 'right', 'left'],
  });
  for (const { what, aim, median, least, most, rounds } of rows) {
    table.push([what, shown(median), shown(least), shown(most), rounds, aim]);
  }
  return table.toString();
}

function shown(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString('en');
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(value < 10 ? 3 : 1);
}
