import type { Check, History, Violation, WriteRecord } from '../history/history.js';
import { leaseWrites, numberIn, textIn } from './lease-writes.js';

/** What is computed is sent later, by hours if its process sleeps in between. */
const slackMs = 13 * 3_600_000;

/**
 * Section 1: `ttl` is a retention behind the end of the lease, or behind the write that ended it, or behind the time from
 * which on it can be had; in every item but those
 * that are completed for good. A result is kept for as long as its caller said, and no longer.
 */
export const checkTimeToLive: Check = (history) => {
  const violations: Violation[] = [];
  const kept = retentionsOf(history);
  for (const write of leaseWrites(history)) {
    if (!write.after || !write.request) continue;
    const what = wrongRetention(write, kept, history) ?? tooSoon(write, kept, history);
    if (what) violations.push({ rule: 'section 1', atMs: write.atMs, what: `${write.key} ${what}` });
  }
  return violations;
};

/** By lease: for how long its completion is to be kept. */
function retentionsOf({ records }: History): ReadonlyMap<string, number | undefined> {
  const kept = new Map<string, number | undefined>();
  for (const record of records) if (record.kind === 'completing') kept.set(record.leaseId, record.retainMs);
  return kept;
}

function wrongRetention(
  { before, after, request }: WriteRecord,
  kept: ReadonlyMap<string, number | undefined>,
  { premises }: History,
): string | undefined {
  const completedAt = numberIn(after, 'completedAt');
  const leaseId = textIn(after, 'lastLeaseId')!;
  if (completedAt === undefined || before?.completedAt || !kept.has(leaseId)) return undefined;
  const retainMs = kept.get(leaseId);
  const ttl = numberIn(after, 'ttl');
  if (retainMs === undefined)
    return ttl === undefined ? undefined : 'is completed for good, and may be removed';
  if (ttl === undefined) return `is completed to be kept ${retainMs} ms, and stays for good`;
  const keptMs = ttl * 1000 - completedAt;
  if (keptMs < retainMs) return `is completed to be kept ${retainMs} ms, and may be removed after ${keptMs}`;
  const late = ttl * 1000 - request!.sentAtMs > retainMs + slackMs;
  // A wall clock that was set forward, and no answer to correct it: what is written is that much later, never sooner.
  return late && premises.clocksHold && !premises.wallSteps
    ? `is completed to be kept ${retainMs} ms, and stays longer`
    : undefined;
}

function tooSoon(
  { after, request }: WriteRecord,
  kept: ReadonlyMap<string, number | undefined>,
  { premises }: History,
): string | undefined {
  const { retentionMs, skewMs, clocksHold } = premises;
  const isCompleted = numberIn(after, 'completedAt') !== undefined;
  // Kept for good, or for as long as its caller said.
  if (isCompleted && (numberIn(after, 'ttl') === undefined || kept.has(textIn(after, 'lastLeaseId')!)))
    return undefined;
  const ttl = (numberIn(after, 'ttl') ?? 0) * 1000;
  const usedMs =
    numberIn(after, 'expiresAt') ??
    numberIn(after, 'freeFrom') ??
    (clocksHold ? request!.sentAtMs - skewMs - slackMs : 0);
  if (ttl >= usedMs + retentionMs) return undefined;
  return `may be removed ${Math.round(usedMs + retentionMs - ttl)} ms before its retention is over`;
}
