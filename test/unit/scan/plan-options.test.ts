import { describe, expect, it } from 'vitest';
import { checkPlanOptions, type PlanOptions } from '../../../lib/scan/plan/plan-options.js';

const check = (options: Record<string, unknown>) => () =>
  checkPlanOptions({ run: 'r', bucket: 'data', seats: 2, ...options } as unknown as PlanOptions);

describe('the options of a plan', () => {
  it.each<[string, Record<string, unknown>]>([
    ['no more than the least', {}],
    ['one seat, one slice, one key a page', { seats: 1, slices: 1, pageSize: 1 }],
    ['the most of each', { seats: 10_000, slices: 10_000, pageSize: 1_000 }],
    ['10,000 seats, and a slice for each', { seats: 10_000 }],
    ['a prefix of 1,024 bytes', { prefix: 'é'.repeat(512) }],
    ['9,999 cuts', { cuts: Array.from({ length: 9_999 }, () => 'c') }],
    ['output in another bucket', { prefix: 'in/', output: { bucket: 'out', prefix: 'in' } }],
    ['output beside the prefix', { prefix: 'in/', output: { bucket: 'data', prefix: 'out' } }],
    ['a bucket that merely looks like a directory bucket', { bucket: 'data--x-s3-logs' }],
  ])('may be %s', (_, options) => {
    expect(check(options)).not.toThrow();
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a run with a slash', { run: 'a/b' }, 'run: must be 1 to 100'],
    ['no seat', { seats: 0 }, 'seats: must be a whole number from 1 to 10000, got 0'],
    ['half a seat', { seats: 1.5, slices: 3 }, 'seats: must be a whole number from 1 to 10000, got 1.5'],
    [
      'too many seats',
      { seats: 10_001, slices: 1 },
      'seats: must be a whole number from 1 to 10000, got 10001',
    ],
    ['no slice', { slices: 0 }, 'slices: must be a whole number from 1 to 10000, got 0'],
    ['a page of nothing', { pageSize: 0 }, 'pageSize: must be a whole number from 1 to 1000, got 0'],
    [
      'a page that S3 does not give',
      { pageSize: 1_001 },
      'pageSize: must be a whole number from 1 to 1000, got 1001',
    ],
    ['a page of some text', { pageSize: '9' }, 'pageSize: must be a whole number from 1 to 1000, got 9'],
    ['no bucket', { bucket: undefined }, 'bucket: the name is missing'],
    ['an empty bucket name', { bucket: '' }, 'bucket: the name is missing'],
    ['a directory bucket', { bucket: 'data--x-s3' }, 'bucket: "data--x-s3" is a directory bucket'],
    [
      'a prefix that is no text',
      { prefix: 7 },
      'prefix: must be well-formed Unicode of at most 1024 bytes, got 7',
    ],
    [
      'a prefix too long',
      { prefix: `${'é'.repeat(512)}a` },
      'prefix: must be well-formed Unicode of at most 1024 bytes',
    ],
    ['a prefix with half of a pair', { prefix: '\ud800' }, 'prefix: must be well-formed Unicode'],
    ['a cut with half of a pair', { cuts: ['a', '\udc00'] }, 'cuts: must be well-formed Unicode'],
    ['too many cuts', { cuts: Array.from({ length: 10_000 }, () => 'c') }, 'cuts: at most 9999, got 10000'],
    [
      'output inside the prefix',
      { prefix: 'in/', output: { bucket: 'data', prefix: 'in/out' } },
      'output: s3://data/in/out/r/ lies inside the scanned s3://data/in/; name another prefix or bucket',
    ],
    [
      'output whose place the prefix lies in',
      { prefix: 'out/r/x', output: { bucket: 'data', prefix: 'out' } },
      'output: s3://data/out/r/ lies inside the scanned s3://data/out/r/x',
    ],
    [
      'output in a bucket that is scanned as a whole',
      { output: { bucket: 'data', prefix: '' } },
      'output: s3://data/r/ lies',
    ],
  ])('are refused with %s', (_, options, message) => {
    expect(check(options)).toThrow(expect.objectContaining({ name: 'UsageError' }));
    expect(check(options)).toThrow(message);
  });
});
