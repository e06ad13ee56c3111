/** Something with a token that happened at an unknown moment between two known ones. */
export interface TokenEvent {
  readonly token: number;
  /** Not before this. */
  readonly fromMs: number;
  /** Not after this. */
  readonly toMs: number;
}

/**
 * Pairs of events of which one was over before the other began, yet whose tokens are in the wrong order. For each
 * later event the one with the highest token before it is named.
 *
 * @param mayBeEqual whether the same token may come again
 */
export function outOfOrder<Event extends TokenEvent>(
  events: readonly Event[],
  mayBeEqual: boolean,
): { readonly earlier: Event; readonly later: Event }[] {
  const begun = [...events].sort((a, b) => a.fromMs - b.fromMs);
  const over = [...events].sort((a, b) => a.toMs - b.toMs);
  const wrong: { earlier: Event; later: Event }[] = [];
  let highest: Event | undefined;
  let next = 0;
  for (const later of begun) {
    for (; next < over.length && over[next]!.toMs < later.fromMs; next++) {
      const candidate = over[next]!;
      if (!highest || candidate.token > highest.token) highest = candidate;
    }
    if (!highest) continue;
    const isRight = mayBeEqual ? later.token >= highest.token : later.token > highest.token;
    if (!isRight) wrong.push({ earlier: highest, later });
  }
  return wrong;
}
