import { medianOf } from './row.js';

/** Work whose time is taken, by its label. */
export type Contenders<Label extends string> = Readonly<Record<Label, () => Promise<unknown>>>;

/** What each round came to, in milliseconds, by label. */
export type Rounds<Label extends string> = Readonly<Record<Label, readonly number[]>>;

/**
 * Takes turns: each contender once, then each once more, so that a machine whose speed drifts slows all of them. Who starts
 * changes from turn to turn: none always finds the connection warmed by the same other.
 *
 * @param warmUpTurns are not counted
 */
export async function inTurns<Label extends string>(
  contenders: Contenders<Label>,
  {
    rounds,
    turns,
    warmUpTurns,
  }: { readonly rounds: number; readonly turns: number; readonly warmUpTurns: number },
): Promise<Rounds<Label>> {
  const labels = Object.keys(contenders) as Label[];
  const counted = Object.fromEntries(labels.map((label) => [label, [] as number[]])) as Record<
    Label,
    number[]
  >;
  let turn = 0;
  const take = async (samples: Record<Label, number[]>) => {
    const first = turn++ % labels.length;
    for (const label of [...labels.slice(first), ...labels.slice(0, first)]) {
      const startMs = performance.now();
      await contenders[label]();
      samples[label].push(performance.now() - startMs);
    }
  };
  const empty = () =>
    Object.fromEntries(labels.map((label) => [label, [] as number[]])) as Record<Label, number[]>;
  const ignored = empty();
  for (let warm = 0; warm < warmUpTurns; warm++) await take(ignored);
  for (let round = 0; round < rounds; round++) {
    const samples = empty();
    for (let taken = 0; taken < turns; taken++) await take(samples);
    for (const label of labels) counted[label].push(medianOf(samples[label]));
  }
  return counted;
}

/** Of each round. */
export function ratios(measured: readonly number[], base: readonly number[]): number[] {
  return measured.map((ms, round) => ms / base[round]!);
}
