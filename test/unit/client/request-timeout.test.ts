import { describe, expect, it } from 'vitest';
import { requestTimeoutFor } from '../../../lib/client/client-options.js';
import { LockClient } from '../../../lib/client/index.js';

describe('request time-outs', () => {
  it('are the default for the default lease and for long ones', () => {
    expect(requestTimeoutFor(undefined)).toBe(1_000);
    expect(requestTimeoutFor(30_000)).toBe(1_000);
    expect(requestTimeoutFor(900_000)).toBe(1_000);
  });

  it.each([10, 100, 1_000, 2_000, 5_999, 6_000, 6_001, 30_000])('fit a lease of %d ms', (leaseMs) => {
    const locks = new LockClient({ table: 'leases', leaseMs, requestTimeoutMs: requestTimeoutFor(leaseMs) });
    locks.close();
  });
});
