import { compareKeys, keyDigest, type ScanVerdict } from '../../../lib/scan/index.js';
import { type History, ofKind } from '../history/read-history.js';
import type { ListedKeys } from '../scan/listed-keys.js';
import type { Violation } from './violation.js';

const maxNamed = 5;

/** What a walk of the bucket's directory found, which shares nothing with the scan. */
export interface WalkedKeys {
  readonly keys: ReadonlySet<string>;
  readonly digest: string;
}

/** Workload (d): the scan is complete, its slices tile, and every key is in exactly one result. */
export function scanResult(verdict: ScanVerdict, walked: WalkedKeys): Violation[] {
  const { run, status, reason, report } = verdict;
  const found = (what: string, evidence: readonly object[] = []): Violation => ({
    kind: 'scan-result',
    what: `scan ${run}: ${what}`,
    evidence,
  });
  const violations: Violation[] = [];
  if (status !== 'complete') {
    violations.push(found(`ended as "${status}": ${reason ?? 'no reason given'}`, report.quarantined));
  }
  if (!report.tiles) violations.push(found('its slices do not tile'));
  // A quarantined slice's keys are missing by intention; the status has told of it.
  if (status !== 'complete' || !report.result) return violations;

  const { keys } = report.result as ListedKeys;
  const digest = keyDigest();
  const seen = new Set<string>();
  const doubled: string[] = [];
  for (const key of keys) {
    digest.add(key);
    if (seen.has(key)) doubled.push(key);
    seen.add(key);
  }
  const missed = [...walked.keys].filter((key) => !seen.has(key));
  const foreign = [...seen].filter((key) => !walked.keys.has(key));
  if (missed.length > 0) violations.push(found(`missed ${named(missed)}`));
  if (doubled.length > 0) violations.push(found(`has more than once ${named(doubled)}`));
  if (foreign.length > 0) violations.push(found(`made up ${named(foreign)}`));
  if (report.objects !== walked.keys.size) {
    violations.push(found(`counted ${report.objects} objects, there are ${walked.keys.size}`));
  }
  if (digest.hex() !== walked.digest) {
    violations.push(found(`its digest ${digest.hex()} is not that of the walk, ${walked.digest}`));
  }
  return violations;
}

/** One scan alone may come out even, with nothing to split; so many do not. */
const enoughScans = 3;

/**
 * Seats that find no free slice split those of others: scans of which none was ever split show nothing of that. With fewer
 * scans the report's count tells.
 */
export function splitsHappened(history: History, verdicts: readonly ScanVerdict[]): Violation[] {
  const finished = verdicts.filter(({ status }) => status === 'complete');
  if (finished.length < enoughScans || ofKind(history, 'split').length > 0) return [];
  return [{ kind: 'no-splits', what: `no slice was ever split in ${finished.length} scans`, evidence: [] }];
}

function named(keys: readonly string[]): string {
  const first = [...keys].sort(compareKeys).slice(0, maxNamed);
  const rest = keys.length - first.length;
  return `${keys.length} keys: ${first.join(', ')}${rest > 0 ? `, and ${rest} more` : ''}`;
}
