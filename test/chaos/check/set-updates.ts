import { type History, ofKind } from '../history/read-history.js';
import type { AddedRecord, AddingRecord, Logged } from '../history/records.js';
import { grouped } from './grouped.js';
import { outOfOrder } from './in-order.js';
import type { Violation } from './violation.js';

/** The sets as they stand at the end, by name. */
export type FinalSets = ReadonlyMap<string, ReadonlySet<string>>;

/** Updates that the store had acknowledged and that are not in the set at the end. */
export function lostUpdates(
  history: History,
  sets: FinalSets,
  names: readonly string[],
): Logged<AddedRecord>[] {
  return ofKind(history, 'added').filter(
    ({ set, element }) => names.includes(set) && !sets.get(set)?.has(element),
  );
}

/** Workload (c): no acknowledged update is lost. One of which nobody knows may be there or not. */
export function lostFencedUpdates(history: History, sets: FinalSets, names: readonly string[]): Violation[] {
  return lostUpdates(history, sets, names).map((added) => ({
    kind: 'lost-update',
    what: `"${added.set}" has lost ${added.element}, written and acknowledged under token ${added.token}`,
    evidence: [added, ...successorsOf(history, added)],
  }));
}

/** Who wrote next: among them is who overwrote it. */
function successorsOf(history: History, lost: Logged<AddedRecord>): readonly Logged<AddedRecord>[] {
  return ofKind(history, 'added')
    .filter(({ set, atMs }) => set === lost.set && atMs > lost.atMs)
    .slice(0, 2);
}

/** In no set is there anything that nobody meant to write, and nothing twice. */
export function foreignElements(history: History, sets: FinalSets): Violation[] {
  const meant = new Set(ofKind(history, 'adding').map(({ set, element }) => JSON.stringify([set, element])));
  return [...sets].flatMap(([set, elements]) =>
    [...elements]
      .filter((element) => !meant.has(JSON.stringify([set, element])))
      .map((element) => ({
        kind: 'foreign-element' as const,
        what: `"${set}" holds ${JSON.stringify(element)}, which nobody wrote`,
        evidence: [],
      })),
  );
}

/** Invariant I3: the guarded resource never accepts a token lower than one that it has accepted. */
export function fenceOrder(history: History, names: readonly string[]): Violation[] {
  const begun = new Map(ofKind(history, 'adding').map((adding) => [addition(adding), adding] as const));
  const writes = ofKind(history, 'added')
    .filter(({ set }) => names.includes(set))
    .map((added) => ({
      added,
      token: added.token,
      fromMs: begun.get(addition(added))?.atMs ?? added.atMs,
      toMs: added.atMs,
    }));
  return [...grouped(writes, ({ added }) => added.set)].flatMap(([set, events]) =>
    outOfOrder(events, true).map(({ earlier, later }) => ({
      kind: 'fence-order' as const,
      what: `"${set}" accepted token ${later.token} after token ${earlier.token}`,
      evidence: [earlier.added, later.added],
    })),
  );
}

function addition({ set, element }: AddingRecord | AddedRecord): string {
  return JSON.stringify([set, element]);
}
