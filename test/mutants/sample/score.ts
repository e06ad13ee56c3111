/** How many mutants of a folder there were, and what became of them. */
export interface Score {
  readonly folder: string;
  readonly mutants: number;
  readonly noticed: number;
  /** Survivors that change nothing that anybody could see, each with its reason. */
  readonly equivalent: number;
  /** Noticed of those that are not equivalent, and its 95 % interval, in percent. */
  readonly percent: number;
  readonly from: number;
  readonly to: number;
}

/** Of so few nothing follows. */
const fewest = 10;

/**
 * Whether a score is below what is wanted, in percent, and not only by chance: its whole interval is. Of another draw, as
 * after any change of the sources, about as many are noticed, and not exactly as many.
 */
export function isBelow({ mutants, equivalent, to }: Score, wanted: number): boolean {
  return mutants - equivalent >= fewest && to < wanted;
}

/**
 * The score of a sample, with the interval of Wilson: it is right for small samples and for scores near a hundred, where
 * the usual one is not.
 */
export function scoreOf(folder: string, mutants: number, noticed: number, equivalent: number): Score {
  const n = mutants - equivalent;
  if (n === 0) return { folder, mutants, noticed, equivalent, percent: 100, from: 0, to: 100 };
  const z = 1.96;
  const p = noticed / n;
  const middle = (p + z ** 2 / (2 * n)) / (1 + z ** 2 / n);
  const half = (z / (1 + z ** 2 / n)) * Math.sqrt((p * (1 - p)) / n + z ** 2 / (4 * n ** 2));
  return {
    folder,
    mutants,
    noticed,
    equivalent,
    percent: 100 * p,
    from: 100 * Math.max(0, middle - half),
    to: 100 * Math.min(1, middle + half),
  };
}
