import type { History } from '../history/read-history.js';
import type { SemaphoreTerms } from '../terms.js';
import { type Stay, staysOf } from './stays.js';
import { type Scale, scales } from './two-holders.js';
import type { Violation } from './violation.js';

/** The stays of those who held a permit of a semaphore. */
export function permitStays(history: History, { name }: SemaphoreTerms): readonly Stay[] {
  return staysOf(history).filter((stay) => stay.name.startsWith(`${name}#`));
}

/** Never more holders at a time than there are permits: the largest number that anybody asks for. As sure as {@link twoHolders}. */
export function tooManyHolders(history: History, semaphore: SemaphoreTerms): Violation[] {
  return scales.flatMap((scale) => crowdsOf(permitStays(history, semaphore), semaphore, scale));
}

function crowdsOf(stays: readonly Stay[], { name, permits }: SemaphoreTerms, scale: Scale): Violation[] {
  const certain = stays
    .filter((stay) => scale.from(stay) < scale.to(stay))
    .sort((a, b) => scale.from(a) - scale.from(b));
  const violations: Violation[] = [];
  let inside: Stay[] = [];
  for (const stay of certain) {
    inside = [...inside.filter((other) => scale.to(other) > scale.from(stay)), stay];
    if (inside.length <= permits) continue;
    const what = `"${name}" has ${inside.length} holders of ${permits} permits at the same time by ${scale.name}`;
    const evidence = inside.flatMap(({ granted, lastHeld }) => [granted, lastHeld]);
    violations.push({ kind: 'too-many-holders', what, evidence });
  }
  return violations;
}
