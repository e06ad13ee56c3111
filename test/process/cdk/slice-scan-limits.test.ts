import { Duration } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { describe, expect, it } from 'vitest';
import { SliceScan, type SliceScanProps } from '../../../lib/cdk/index.js';
import { emptyStack } from '../../support/cdk/synthesize.js';

function scan(props: Partial<SliceScanProps>, bucketName = 'data'): SliceScan {
  const stack = emptyStack();
  return new SliceScan(stack, 'Scan', {
    bucket: Bucket.fromBucketName(stack, 'Bucket', bucketName),
    ...props,
  });
}

describe('what a scan can not be is refused at construction, with the limit and the value', () => {
  it.each<[string, Partial<SliceScanProps>]>([
    ['seats: must be a whole number from 1 to 1000, got 0', { seats: 0 }],
    ['seats: must be a whole number from 1 to 1000, got 1001', { seats: 1001 }],
    ['seats: must be a whole number from 1 to 1000, got 2.5', { seats: 2.5 }],
    ['slices: must be a whole number from 1 to 10000, got 20000', { slices: 20_000 }],
    ['maxConcurrency: must be a whole number from 1 to 1000, got -1', { maxConcurrency: -1 }],
    ['maxRounds: must be a whole number from 1 to 20, got 0', { maxRounds: 0 }],
    ['workMemoryMb: must be a whole number from 128 to 10240, got 64', { workMemoryMb: 64 }],
    [
      'workTimeout, in seconds: must be a whole number from 30 to 900, got 5',
      { workTimeout: Duration.seconds(5) },
    ],
    [
      'lease, in milliseconds: must be a whole number from 1000 to 450000, got 500',
      { lease: Duration.millis(500) },
    ],
    [
      'lease, in milliseconds: must be a whole number from 1000 to 30000, got 45000',
      { lease: Duration.seconds(45), workTimeout: Duration.minutes(1) },
    ],
    ['prefix: must be well-formed Unicode of at most 1024 bytes, got "\\ud800" of 3', { prefix: '\ud800' }],
    ['prefix: must be well-formed Unicode of at most 1024 bytes, got', { prefix: 'é'.repeat(600) }],
  ])('%s', (message, props) => {
    expect(() => scan(props)).toThrow(message);
  });

  it('a directory bucket, which lists in no order', () => {
    expect(() => scan({}, 'data--use1-az4--x-s3')).toThrow(
      'bucket: must be a general purpose bucket, got the directory bucket "data--use1-az4--x-s3"',
    );
  });

  it('the limits themselves are allowed', () => {
    expect(() =>
      scan({ seats: 1_000, slices: 10_000, maxConcurrency: 1, maxRounds: 20, lease: Duration.seconds(1) }),
    ).not.toThrow();
  });
});
