import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RunOptions, toHoldOptions } from '../../../bin/cli/run/run-options.js';
import { LockClient } from '../../../lib/client/index.js';
import { requestTimeoutFor } from '../../../lib/client/request-timeout.js';
import type { LeaseTable } from '../../../lib/table/index.js';
import { checkProperty } from '../../support/property.js';

const options = (lease?: number, grace?: number): RunOptions => {
  return { table: 'leases', json: false, verbose: false, lease, grace };
};

describe('how run holds its lock', () => {
  it('C44 leaves room for the grace before the lease ends: SIGKILL comes before anybody else has the lock', () => {
    expect(toHoldOptions(options())).toEqual({ leaseMs: 30_000, safetyMarginMs: 10_000 });
    expect(toHoldOptions(options(60_000, 30_000))).toEqual({ leaseMs: 60_000, safetyMarginMs: 30_000 });
  });

  it('fits any lease and grace that can be asked for', () => {
    const lease = fc.integer({ min: 1_000, max: 86_400_000 });
    const grace = fc.integer({ min: 1, max: 86_400_000 });
    checkProperty(
      fc.property(lease, grace, (leaseMs, graceMs) => {
        const hold = toHoldOptions(options(leaseMs, graceMs));
        const requestTimeoutMs = requestTimeoutFor(leaseMs);
        expect(hold.safetyMarginMs).toBeGreaterThanOrEqual(leaseMs / 10);
        expect(
          () => new LockClient({ ...hold, requestTimeoutMs, table: () => ({}) as LeaseTable }),
        ).not.toThrow();
      }),
    );
  });
});
