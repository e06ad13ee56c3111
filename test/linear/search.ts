/**
 * Whether a concurrent history can be explained by an order in which each operation took effect at one moment between its
 * call and its return: linearizability, by the search of Wing and Gong with Lowe's memory of what was tried. Written anew for
 * this repository, after their papers and what Knossos means by `ok` and `info`; it knows nothing of locks, and shares no
 * code with the product or with the other checkers.
 */

/** One operation of a history. */
export interface Operation<State> {
  readonly told: string;
  /** Called then; any clock that all share. */
  readonly fromMs: number;
  /** Returned then; never, if nobody knows how it ended. */
  readonly toMs: number;
  /** Nobody knows whether it took effect. */
  readonly mayBeLeftOut: boolean;
  /** The state after it, if it can take effect in this one. */
  readonly step: (state: State) => State | undefined;
}

/** An object that operations work on. */
export interface Model<State> {
  readonly first: State;
  /** The same text for the same state. */
  readonly toKey: (state: State) => string;
}

/** What came of the search. */
export type Explained =
  | { readonly kind: 'explained'; readonly order: readonly string[] }
  /** `order`: the end of the longest one that was found. `stuck`: the operations of which one had to be next. */
  | { readonly kind: 'impossible'; readonly order: readonly string[]; readonly stuck: readonly string[] }
  /** The search was given up: too many orders. */
  | { readonly kind: 'unknown' };

interface Furthest {
  readonly length: number;
  /** The last of it. */
  readonly order: readonly number[];
  readonly stuck: readonly number[];
}

interface Frame<State> {
  readonly state: State;
  /** All that must be done before this one is. */
  readonly base: number;
  /** The last that is done of what must be. */
  readonly top: number;
  /** What may come next, and has not been tried. */
  readonly open: number[];
  readonly chosen: number | undefined;
}

/** @param maxTried so many configurations, then it is given up */
export function explain<State>(
  operations: readonly Operation<State>[],
  { first, toKey }: Model<State>,
  maxTried = 200_000,
): Explained {
  const byCall = [...operations].sort((a, b) => a.fromMs - b.fromMs || a.toMs - b.toMs);
  const must = byCall.filter(({ mayBeLeftOut }) => !mayBeLeftOut);
  const all = [...must, ...byCall.filter(({ mayBeLeftOut }) => mayBeLeftOut)];
  const done = new Set<number>();
  const tried = new Set<string>();
  const order: number[] = [];
  let furthest: Furthest = { length: 0, order: [], stuck: [] };
  let left = must.length;
  const toFrame = (
    state: State,
    before: Pick<Frame<State>, 'base' | 'top'>,
    chosen: number | undefined,
  ): Frame<State> => {
    let { base, top } = before;
    if (chosen !== undefined && chosen < must.length) top = Math.max(top, chosen);
    while (done.has(base) && base < must.length) base += 1;
    return { state, base, top, open: candidates(all, must.length, base, done), chosen };
  };
  const frames = [toFrame(first, { base: 0, top: -1 }, undefined)];
  for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
    if (left === 0) return { kind: 'explained', order: order.map((index) => all[index]!.told) };
    const index = frame.open.shift();
    if (index === undefined) {
      frames.pop();
      if (frame.chosen === undefined) continue;
      done.delete(frame.chosen);
      order.pop();
      if (frame.chosen < must.length) left += 1;
      continue;
    }
    const state = all[index]!.step(frame.state);
    if (state === undefined) continue;
    done.add(index);
    const next = toFrame(state, frame, index);
    const beyond = beyondBase(done, all.length, must.length, next);
    const key = `${toKey(state)} ${next.base} ${beyond.join()}`;
    if (tried.has(key)) {
      done.delete(index);
      continue;
    }
    tried.add(key);
    if (tried.size > maxTried) return { kind: 'unknown' };
    order.push(index);
    if (index < must.length) left -= 1;
    if (order.length > furthest.length)
      furthest = { length: order.length, order: order.slice(-5), stuck: [...next.open] };
    frames.push(next);
  }
  const told = (indexes: readonly number[]) =>
    indexes.map((index) => {
      const { told: what, fromMs, toMs } = all[index]!;
      return `${what} (${fromMs.toFixed(0)} to ${toMs.toFixed(0)})`;
    });
  return { kind: 'impossible', order: told(furthest.order), stuck: told(furthest.stuck) };
}

/** What is done out of turn: a few around the base, and what may be left out. */
function beyondBase(
  done: ReadonlySet<number>,
  count: number,
  mustCount: number,
  { base, top }: { readonly base: number; readonly top: number },
): readonly number[] {
  const beyond: number[] = [];
  for (let index = base; index <= top; index++) if (done.has(index)) beyond.push(index);
  for (let index = mustCount; index < count; index++) if (done.has(index)) beyond.push(index);
  return beyond;
}

/** Those that may come next: called before the first return of what is not done. What must be done is tried first. */
function candidates<State>(
  all: readonly Operation<State>[],
  mustCount: number,
  base: number,
  done: ReadonlySet<number>,
): number[] {
  let firstReturnMs = Number.POSITIVE_INFINITY;
  const open: number[] = [];
  for (let index = base; index < mustCount && all[index]!.fromMs <= firstReturnMs; index++) {
    if (done.has(index)) continue;
    firstReturnMs = Math.min(firstReturnMs, all[index]!.toMs);
    open.push(index);
  }
  const inTime = open.filter((index) => all[index]!.fromMs <= firstReturnMs);
  for (let index = mustCount; index < all.length; index++) {
    if (!done.has(index) && all[index]!.fromMs <= firstReturnMs) inTime.push(index);
  }
  return inTime;
}
