import { seededRandom } from '../../../bin/start/faults/seeded-random.js';
import { leaseTerms, pastTheLeaseMs } from '../terms.js';
import type { Fault, FaultKind } from './fault.js';

/** How often each kind is in the deck: drawn without putting back, so that also a short run sees all of them. */
const deck: Readonly<Record<FaultKind, number>> = {
  kill: 8,
  'stop-briefly': 2,
  'stop-past-lease': 5,
  drop: 2,
  hang: 3,
  delay: 3,
  reset: 3,
  swallow: 3,
  'wall-step': 3,
  'wall-rate': 1,
  'restart-engine': 1,
};

/** From one fault to the next, in milliseconds. */
const gapMs = { least: 100, most: 900 };

const hourMs = 3_600_000;
const wallStepsMs = [1_500, -1_500, 10_000, -10_000, hourMs, -hourMs, 400 * 24 * hourMs, -400 * 24 * hourMs];
const wallRates = [0.5, 0.99, 1.01, 2];

/**
 * The faults of a run: the same ones for the same seed, whatever this machine can do. What it can't is left out when
 * its time comes, so that the others stay what they are.
 */
export function planFaults(options: {
  readonly seed: number;
  readonly workers: number;
  readonly durationMs: number;
}): Fault[] {
  const random = seededRandom(options.seed);
  const between = (least: number, most: number) => least + random(most - least + 1);
  const pick = <Value>(values: readonly Value[]) => values[random(values.length)]!;
  const draw = drawer(pick);
  const faults: Fault[] = [];
  for (
    let atMs = between(gapMs.least, gapMs.most);
    atMs < options.durationMs;
    atMs += between(gapMs.least, gapMs.most)
  ) {
    const kind = draw();
    faults.push({ kind, atMs, worker: random(options.workers), ...extentOf(kind, between, pick) });
  }
  return faults;
}

/** Deals kinds from a deck that is filled up when it is empty. */
function drawer(pick: (cards: readonly number[]) => number): () => FaultKind {
  const full = Object.entries(deck).flatMap(([kind, count]) =>
    Array<FaultKind>(count).fill(kind as FaultKind),
  );
  let left: FaultKind[] = [];
  return () => {
    if (left.length === 0) left = [...full];
    const [card] = left.splice(pick([...left.keys()]), 1);
    return card!;
  };
}

function extentOf(
  kind: FaultKind,
  between: (least: number, most: number) => number,
  pick: <Value>(values: readonly Value[]) => Value,
): Pick<Fault, 'forMs' | 'amount'> {
  switch (kind) {
    case 'kill':
      return { forMs: between(0, 1_000), amount: 0 };
    case 'stop-briefly':
      return { forMs: between(50, leaseTerms.leaseMs / 2), amount: 0 };
    case 'stop-past-lease':
      return { forMs: between(pastTheLeaseMs, pastTheLeaseMs + 3_000), amount: 0 };
    case 'swallow':
      // Short enough for a later attempt to find what an earlier one has done.
      return { forMs: between(200, 2_000), amount: 0 };
    case 'drop':
    case 'reset':
      return { forMs: between(300, 5_000), amount: 0 };
    case 'hang':
      return { forMs: between(500, pastTheLeaseMs + 2_000), amount: 0 };
    case 'delay':
      return { forMs: between(1_000, 6_000), amount: pick([20, 100, 400, 1_000, pastTheLeaseMs]) };
    case 'wall-step':
      return { forMs: 0, amount: pick(wallStepsMs) };
    case 'wall-rate':
      return { forMs: between(3_000, 10_000), amount: pick(wallRates) };
    case 'restart-engine':
      return { forMs: between(100, 1_500), amount: 0 };
  }
}
