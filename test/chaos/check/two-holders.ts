import type { History } from '../history/read-history.js';
import { type Stay, staysOf } from './stays.js';
import type { Violation } from './violation.js';

/** By which clock stays are compared, and what each knows for certain. */
export interface Scale {
  readonly name: string;
  /** The holder held no later than from here on … */
  readonly from: (stay: Stay) => number;
  /** … and still held here. */
  readonly to: (stay: Stay) => number;
}

/** The store's time, as the holders knew it, and the machine's clock, which they all share. */
export const scales: readonly Scale[] = [
  { name: 'store time', from: ({ granted }) => granted.latest, to: ({ lastHeld }) => lastHeld.earliest },
  {
    name: "the machine's clock",
    from: ({ granted }) => granted.atMs,
    to: ({ lastHeld }) => lastHeld.atMs,
  },
];

/**
 * Workload (a), invariant I2: no two holders of a name at the same time. Only what is beyond doubt counts: of each
 * stay the part that lies between the latest moment at which it can have begun and the earliest at which it can have
 * ended. Asked of the store's time, as the holders knew it, and of the machine's clock, which they all share.
 */
export function twoHolders(history: History): Violation[] {
  const byName = new Map<string, Stay[]>();
  for (const stay of staysOf(history)) byName.set(stay.name, [...(byName.get(stay.name) ?? []), stay]);
  return [...byName.values()].flatMap((stays) => scales.flatMap((scale) => overlapsOf(stays, scale)));
}

function overlapsOf(stays: readonly Stay[], scale: Scale): Violation[] {
  const certain = stays
    .filter((stay) => scale.from(stay) < scale.to(stay))
    .sort((a, b) => scale.from(a) - scale.from(b));
  const violations: Violation[] = [];
  let longest: Stay | undefined;
  for (const stay of certain) {
    if (longest && scale.from(stay) < scale.to(longest)) violations.push(overlap(longest, stay, scale));
    if (!longest || scale.to(stay) > scale.to(longest)) longest = stay;
  }
  return violations;
}

function overlap(first: Stay, second: Stay, scale: Scale): Violation {
  const forMs = Math.min(scale.to(first), scale.to(second)) - scale.from(second);
  return {
    kind: 'two-holders',
    what:
      `"${first.name}" was held under token ${first.token} and under token ${second.token} at the same time, ` +
      `for ${forMs.toFixed(1)} ms at least by ${scale.name}`,
    evidence: [first.granted, first.lastHeld, second.granted, second.lastHeld],
  };
}
