import type { CallRecord, Check, History, Terms, Violation, WriteRecord } from '../history/history.js';
import { handedOverTo } from './hand-overs.js';
import { clocksWidthMs, isGrant, leaseWrites, numberIn, textIn } from './lease-writes.js';

/** Each end that is asked for lies a millisecond at least above all that was asked for before. */
const risingMs = 60;

/** The lock service grants no shorter lease, in milliseconds. */
const minByServiceMs = 1_000;

/**
 * Section 5, and what a caller can ask for: a lease is nine tenths as long as was asked, and no longer, ends with its cap and with its caller's own
 * time, and a hand-over lasts until the next one may have come.
 */
export const checkTerms: Check = (history) => {
  const violations: Violation[] = [];
  const { records } = history;
  const asked = new Map<string, Terms>();
  for (const record of records) {
    if (record.kind === 'handed' && record.terms) asked.set(record.leaseId, record.terms);
    if (record.kind !== 'survey') continue;
    for (const { leaseId, isValid, isPastEnd } of record.leases) {
      if (!isValid || !isPastEnd) continue;
      const what = `${leaseId} is valid although its caller's own time is over`;
      violations.push({ rule: 'terms', atMs: record.atMs, what });
    }
  }
  for (const write of leaseWrites(history)) {
    const leaseId = textIn(write.after, 'leaseId');
    const terms = leaseId === undefined ? undefined : asked.get(leaseId);
    const what = terms && write.request && (longer(write, terms, history) ?? shorter(write, terms, history));
    if (what) violations.push({ rule: 'terms', atMs: write.atMs, what: `${leaseId} ${what}` });
  }
  for (const record of records) {
    const what = record.kind === 'call' && findShortGap(record, asked, history);
    if (what) violations.push({ rule: 'terms', atMs: record.atMs, what });
  }
  return violations;
};

/** Beyond its cap. A hand-over keeps to it, too. */
function longer({ after }: WriteRecord, { maxHoldMs }: Terms, history: History): string | undefined {
  if (maxHoldMs === undefined) return undefined;
  const heldMs = numberIn(after, 'expiresAt')! - numberIn(after, 'acquiredAt')!;
  // Through the service the cap is measured by its caller, who knows when it was granted only nearly.
  const maxMs = history.premises.isService
    ? Math.max(maxHoldMs, minByServiceMs) + clocksWidthMs(history)
    : maxHoldMs + risingMs;
  return heldMs > maxMs ? `ends ${heldMs} ms after its grant, with a cap of ${maxHoldMs} ms` : undefined;
}

/** Shorter than asked for, at its grant, with nothing that would end it sooner; or too long at any time. */
function shorter(write: WriteRecord, terms: Terms, history: History): string | undefined {
  const { after, request } = write;
  const { leaseMs, maxHoldMs = leaseMs, endsInMs } = terms;
  const { clocksHold, skewMs } = history.premises;
  if (!clocksHold || !isGrant(write)) return undefined;
  const fromMs = numberIn(after, 'expiresAt')! - request!.firstSentAtMs;
  const wantedMs = Math.min(leaseMs, maxHoldMs);
  // Counted from earlier, for those who wait after a crash: by a tenth at most.
  if (!endsInMs && fromMs < 0.9 * wantedMs - skewMs / 2 - 1)
    return `is granted for ${fromMs.toFixed(0)} ms, and ${wantedMs} were asked for`;
  const maxMs = Math.max(wantedMs, history.premises.isService ? minByServiceMs : 0);
  if (fromMs > maxMs + clocksWidthMs(history) && handedOverTo(after) === undefined)
    return `is granted for ${fromMs.toFixed(0)} ms, and ${wantedMs} were asked for`;
  return undefined;
}

/** A hand-over that ends before the next one may have come. */
function findShortGap(
  { what, outcome, leaseId, gapMs, sinceMs, atMs }: CallRecord,
  asked: ReadonlyMap<string, Terms>,
  history: History,
): string | undefined {
  if (what !== 'handOver' || outcome !== 'ok' || !history.premises.clocksHold) return undefined;
  const terms = asked.get(leaseId!);
  // A cap ends the hand-over, too.
  if (!terms || terms.maxHoldMs !== undefined) return undefined;
  const last = leaseWrites(history).findLast(
    ({ after, atMs: writtenMs }) => textIn(after, 'leaseId') === leaseId && writtenMs <= atMs,
  );
  const wantedMs = gapMs ?? terms.leaseMs;
  const untilMs = (numberIn(last?.after, 'expiresAt') ?? 0) - sinceMs;
  return untilMs < wantedMs - history.premises.skewMs / 2 - 1
    ? `${leaseId} is handed over for ${untilMs.toFixed(0)} ms, and ${wantedMs} were asked for`
    : undefined;
}
