import type { Excuse } from './compare.js';

/** Every mutant that lives, and why it may. A new one needs a test, or an entry here. */
export const excuses: readonly Excuse[] = [
  ...[
    "values: { ':leaseId': leaseId },",
    "{ text: '#lastLeaseId <> :leaseId', values: { ':leaseId': leaseId } },",
  ].map((line) => ({
    file: 'lib/lease/conditions.ts',
    line,
    from: "{ ':leaseId': leaseId }",
    to: '{}',
    reason: 'equivalent where they stand: two parts of the acquire condition bring the same value along',
  })),
  {
    file: 'lib/scan/keys/key-order.ts',
    line: 'if (pointA !== pointB) return pointA < pointB ? -1 : 1;',
    from: 'pointA < pointB',
    to: 'pointA <= pointB',
    reason: 'equivalent: the two differ here',
  },
  {
    file: 'lib/scan/keys/key-order.ts',
    line: 'return compareKeys(a, b) >= 0 ? a : b;',
    from: 'compareKeys(a, b) >= 0',
    to: 'compareKeys(a, b) > 0',
    reason: 'equivalent: of two equal keys either is the later',
  },
  {
    file: 'lib/scan/keys/key-middle.ts',
    line: 'const sum = new Array<number>(a.length).fill(0);',
    from: 'new Array<number>(a.length)',
    to: 'new Array()',
    reason: 'equivalent: every place is written before it is read',
  },
  {
    file: 'lib/scan/plan/plan-cuts.ts',
    line: 'if (high !== undefined && compareKeys(behind, high) >= 0) return undefined;',
    from: 'compareKeys(behind, high) >= 0',
    to: 'compareKeys(behind, high) > 0',
    reason:
      'equivalent: the two are never equal, for `behind` goes on with a character that `high` does not have there',
  },
  {
    file: 'lib/scan/plan/plan-cuts.ts',
    line: 'return compareKeys(a, b) <= 0 ? a : b;',
    from: 'compareKeys(a, b) <= 0',
    to: 'compareKeys(a, b) < 0',
    reason: 'equivalent: of two equal keys either is the lower',
  },
  {
    file: 'lib/scan/plan/plan-options.ts',
    line: "const { run, bucket, prefix = '', seats, slices = 2 * seats, pageSize = 1000, cuts = [] } = options;",
    from: '[]',
    to: '["Stryker was here"]',
    reason: 'equivalent: the default is only checked here, and one legal cut passes as none does',
  },
  {
    file: 'lib/scan/slices/tiling.ts',
    line: 'if (cut === undefined || (range.hi !== undefined && compareKeys(cut, range.hi) > 0)) {',
    from: 'compareKeys(cut, range.hi) > 0',
    to: 'compareKeys(cut, range.hi) >= 0',
    reason: 'equivalent: the loop ends where the two are equal',
  },
  {
    file: 'lib/scan/slices/tiling.ts',
    line: 'return (lo === undefined || compareKeys(lo, key) < 0) && compareKeys(key, cut) < 0;',
    from: 'compareKeys(key, cut) < 0',
    to: 'compareKeys(key, cut) <= 0',
    reason: 'equivalent: no slice begins at such a cut, or nobody would look for one',
  },
  {
    file: 'lib/scan/slices/tiling.ts',
    line: 'return (lo === undefined || compareKeys(lo, key) < 0) && compareKeys(key, cut) < 0;',
    from: 'compareKeys(lo, key) < 0',
    to: 'compareKeys(lo, key) <= 0',
    reason: 'equivalent: a slice that begins where the range does was found before',
  },
];
