/** How a seat of the map ended, as the state machine tells it: done, unless one of the errors is there. */
export interface SeatEnd {
  readonly seat: number;
  /** The name of the error that its retries did not mend; another round may. */
  readonly gaveUp?: string;
  /** The name of an error that no retry mends. */
  readonly failed?: string;
}

/** What of an event's `seats` can be read; it only explains, so what can't be read is left out. */
export function seatEnds(value: unknown): readonly SeatEnd[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one) => {
    const { seat, gaveUp, failed } = (one ?? {}) as Record<string, unknown>;
    if (typeof seat !== 'number') return [];
    return [{ seat, ...named('gaveUp', gaveUp), ...named('failed', failed) }];
  });
}

function named(field: 'gaveUp' | 'failed', value: unknown): Partial<SeatEnd> {
  return typeof value === 'string' && value !== '' ? { [field]: value } : {};
}
