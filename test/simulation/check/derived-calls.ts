import type { Check, History, Violation } from '../history/history.js';
import type { Item } from '../store/attribute-values.js';
import { isGrant, leaseWrites, numberIn } from './lease-writes.js';

/** What is done once has one result; a slot that is finished or overtaken is not run again; what callers are told is so. */
export const checkDerivedCalls: Check = (history) => [...onceIn(history), ...runsIn(history)];

function onceIn(history: History): Violation[] {
  const violations: Violation[] = [];
  const results = new Map<string, Set<string>>();
  for (const { atMs, key, before, after } of leaseWrites(history)) {
    if (!after?.completedAt) continue;
    const result = after.result?.S ?? '';
    results.set(key, (results.get(key) ?? new Set()).add(result));
    if (before?.completedAt && before.result?.S !== result) {
      violations.push({ rule: 'once', atMs, what: `the result of ${key} is replaced by another one` });
    }
  }
  for (const record of history.records) {
    if (record.kind !== 'call' || record.what !== 'once' || record.outcome !== 'ok') continue;
    if (results.get(record.name)?.has(record.value ?? '')) continue;
    const what = `${record.process} gets a result of ${record.name} that was never stored: ${record.value}`;
    violations.push({ rule: 'once', atMs: record.atMs, what });
  }
  return violations;
}

/** Over deletions, too: a slot that Time to Live has made forgotten is too old. */
function runsIn(history: History): Violation[] {
  const violations: Violation[] = [];
  const tell = (atMs: number, what: string) => violations.push({ rule: 'slots', atMs, what });
  let [started, finished] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const record of history.records) {
    if (record.kind === 'write' && record.key.startsWith('cron/')) {
      const { slot, slotDone } = slotsIn(record.after);
      if (isGrant(record)) {
        if (slot <= finished) tell(record.atMs, `slot ${slot} runs again, although ${finished} is finished`);
        if (slot < started) tell(record.atMs, `slot ${slot} runs after the later slot ${started}`);
      }
      started = Math.max(started, slot);
      finished = Math.max(finished, slotDone);
    }
    // What has run since the backup is as if it had not been.
    if (record.kind === 'restore') {
      const { slot, slotDone } = slotsIn(record.items.get('cron/a'));
      [started, finished] = [slot, slotDone];
    }
    if (record.kind !== 'call' || record.what !== 'cronSlot') continue;
    const asked = Number(record.value);
    if ((record.outcome === 'ok' || record.outcome === 'finished') && finished < asked)
      tell(record.atMs, `${record.process} is told that slot ${asked} is finished, but it is not`);
    if (record.outcome === 'overtaken' && started <= asked)
      tell(record.atMs, `${record.process} is told that slot ${asked} is overtaken, but it is not`);
  }
  return violations;
}

function slotsIn(item: Item | undefined) {
  return {
    slot: numberIn(item, 'slot') ?? Number.NEGATIVE_INFINITY,
    slotDone: numberIn(item, 'slotDone') ?? Number.NEGATIVE_INFINITY,
  };
}
