import type { ScanVerdict } from '../results/verify-scan.js';

/** A verdict as the state machine takes it: with an error and a reason always, and within its payload limit. */
export type VerdictAnswer = ScanVerdict & {
  /** The error's name when the execution fails for it; empty when it does not. */
  readonly error: string;
  /** In plain words. */
  readonly reason: string;
  /** What was left out because the answer would have been too large. */
  readonly leftOut: readonly string[];
};

/** Step Functions takes 262,144 bytes; the state carries up to 1,000 seats, and how each ended, beside the verdict. */
const maxBytes = 80_000;
const maxReasonLength = 2_000;
const fewFailures = 10;

const errorNames: Readonly<Record<ScanVerdict['status'], string>> = {
  complete: '',
  'completed-with-failures': 'CompletedWithFailures',
  more: 'ScanUnfinished',
  failed: 'ScanFailed',
};

/**
 * Makes the verdict fit: first most of the failures go, then the processor's result; both are still in the table.
 *
 * While slices are unfinished, a seat that failed for what no further round mends (a `UsageError`, a denied access)
 * ends the run under the name of its error. When all are done it does not matter any more.
 *
 * @param seats how the seats of the last round ended
 */
export function verdictAnswer(verdict: ScanVerdict, seats: readonly SeatEnd[] = []): VerdictAnswer {
  const failed = verdict.status === 'more' ? seats.find(({ failed }) => failed !== undefined) : undefined;
  const whole: VerdictAnswer = {
    ...verdict,
    ...(failed && { status: 'failed' }),
    error: failed?.failed ?? errorNames[verdict.status],
    reason: [findReason(verdict), ...reasonsOfSeats(verdict, seats)].join('; ').slice(0, maxReasonLength),
    leftOut: [],
  };
  if (fits(whole)) return whole;
  const { report } = whole;
  const brief = {
    ...report,
    failures: report.failures.slice(0, fewFailures),
    quarantined: report.quarantined.slice(0, fewFailures),
  };
  const shorter: VerdictAnswer = { ...whole, report: brief, leftOut: ['failures', 'quarantined'] };
  if (fits(shorter)) return shorter;
  return { ...shorter, report: { ...brief, result: null }, leftOut: [...shorter.leftOut, 'result'] };
}

function fits(answer: VerdictAnswer): boolean {
  return Buffer.byteLength(JSON.stringify(answer)) <= maxBytes;
}

function findReason({ status, reason, report }: ScanVerdict): string {
  const [first] = report.failures;
  if (status !== 'completed-with-failures' || !first)
    return reason ?? 'every slice is done and the slices tile';
  return `${reason}; the first: ${first.key}: ${first.error}`;
}

/** Which seats did not come to a good end, where that explains why slices are left. Their causes are in the logs. */
function reasonsOfSeats({ status }: ScanVerdict, seats: readonly SeatEnd[]): string[] {
  if (status !== 'more') return [];
  const failed = seats.filter((seat) => seat.failed !== undefined);
  const gaveUp = seats.filter((seat) => seat.gaveUp !== undefined);
  return [
    ...failed.slice(0, fewFailures).map(({ seat, failed }) => `seat ${seat} failed: ${failed}`),
    ...gaveUp.slice(0, fewFailures).map(({ seat, gaveUp }) => `seat ${seat} gave up: ${gaveUp}`),
  ];
}

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
