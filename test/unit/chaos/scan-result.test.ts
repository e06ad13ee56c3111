import { describe, expect, it } from 'vitest';
import { keyDigest, type ScanReport, type ScanVerdict } from '../../../lib/scan/index.js';
import { scanResult, splitsHappened, type WalkedKeys } from '../../chaos/check/scan-result.js';
import { HandMadeHistory } from '../../support/chaos/hand-made-history.js';

const walked = walkOf(['a', 'b', 'c']);

describe('the check of a scan', () => {
  it('takes a complete one with every key once', () => {
    expect(scanResult(verdict({ keys: ['c', 'a', 'b'] }), walked)).toEqual([]);
  });

  it.each([
    ['a key that was missed', { keys: ['a', 'c'] }, 'missed 1 keys: b'],
    ['a key in two results', { keys: ['a', 'b', 'b', 'c'] }, 'has more than once 1 keys: b'],
    ['a key that is not there', { keys: ['a', 'b', 'c', 'd'] }, 'made up 1 keys: d'],
    ['a count that is wrong', { keys: ['a', 'b', 'c'], objects: 4 }, 'counted 4 objects, there are 3'],
    ['slices that do not tile', { keys: ['a', 'b', 'c'], tiles: false }, 'its slices do not tile'],
    ['an end that is none', { status: 'failed' as const, keys: [] }, 'ended as "failed": by hand'],
  ])('finds %s', (_what, scan, words) => {
    const violations = scanResult(verdict(scan), walked);

    expect(violations.map(({ what }) => what)).toContain(`scan by-hand: ${words}`);
    expect(violations.every(({ kind }) => kind === 'scan-result')).toBe(true);
  });

  it('finds scans of which no slice was ever split; of two alone nothing is demanded', () => {
    const whole = verdict({ keys: ['a', 'b', 'c'] });
    const none = new HandMadeHistory().history;
    const one = new HandMadeHistory().split('w0', 'by-hand', '0001').history;

    expect(splitsHappened(none, [whole, whole, whole])).toMatchObject([
      { kind: 'no-splits', what: 'no slice was ever split in 3 scans' },
    ]);
    expect(splitsHappened(one, [whole, whole, whole])).toEqual([]);
    expect(splitsHappened(none, [whole, whole, verdict({ status: 'failed', keys: [] })])).toEqual([]);
  });

  it('finds a digest that is not that of the walk', () => {
    const other = { keys: walked.keys, digest: walkOf(['a', 'b']).digest };

    expect(scanResult(verdict({ keys: ['a', 'b', 'c'] }), other)).toMatchObject([
      { what: expect.stringContaining('is not that of the walk') },
    ]);
  });
});

function walkOf(keys: readonly string[]): WalkedKeys {
  const digest = keyDigest();
  for (const key of keys) digest.add(key);
  return { keys: new Set(keys), digest: digest.hex() };
}

function verdict(scan: {
  readonly keys: readonly string[];
  readonly objects?: number;
  readonly tiles?: boolean;
  readonly status?: ScanVerdict['status'];
}): ScanVerdict {
  const { keys, objects = keys.length, tiles = true, status = 'complete' } = scan;
  const report = { objects, tiles, quarantined: [], result: { keys } } as unknown as ScanReport;
  return { run: 'by-hand', status, round: 1, reason: 'by hand', report };
}
