import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { divideLease, killMs } from '../../../bin/cli/run/run-options.js';
import { LockClient } from '../../../lib/client/index.js';
import type { ItemTable } from '../../../lib/table/index.js';
import { checkProperty } from '../../support/property.js';

describe('how run divides its lease', () => {
  it('C44 D23 leaves room for the grace before the lease ends: SIGKILL comes before anybody else has the lock', () => {
    expect(divideLease({})).toMatchObject({
      hold: { leaseMs: 30_000, safetyMarginMs: 10_100 },
      graceMs: 10_000,
    });
    expect(divideLease({ lease: 60_000, grace: 30_000 })).toMatchObject({ hold: { safetyMarginMs: 30_100 } });
    // A lease that is shorter than three times the default has a shorter one.
    expect(divideLease({ lease: 5_000 })).toMatchObject({ hold: { safetyMarginMs: 1_766 }, graceMs: 1_666 });
  });

  it('D23 D51 refuses what does not go together, with the arithmetic', () => {
    expect(() => divideLease({ lease: 5_000, grace: 5_000 })).toThrow(
      '--grace 5.0s does not fit into --lease 5.0s: the command must be dead before the lease can be another ' +
        'holder’s, and that takes 500 ms to renew and 100 ms to kill besides the grace; ' +
        'give a grace of at most 4400ms, or a lease of at least 5600ms',
    );
    expect(() => divideLease({ lease: 500 })).toThrow('--lease: must be at least 900ms, got 500ms');
    expect(() => divideLease({ lease: 900 })).not.toThrow();
    expect(() => divideLease({ lease: 5_000, grace: 4_400 })).not.toThrow();
    expect(() => divideLease({ lease: 5_600, grace: 5_000 })).not.toThrow();
  });

  it('D23 D51 keeps every accepted pair: renewals fit, and the signal comes a grace and a kill before the end', () => {
    const lease = fc.integer({ min: 1, max: 86_400_000 });
    const grace = fc.option(fc.integer({ min: 1, max: 86_400_000 }), { nil: undefined });
    checkProperty(
      fc.property(lease, grace, (leaseMs, graceMs) => {
        let times: ReturnType<typeof divideLease>;
        try {
          times = divideLease({ lease: leaseMs, grace: graceMs });
        } catch (error) {
          expect(error).toMatchObject({ name: 'UsageError' });
          if (graceMs !== undefined) expect(leaseMs).toBeLessThan(graceMs + 600);
          return;
        }
        expect(times.hold.safetyMarginMs).toBeGreaterThanOrEqual(times.graceMs + killMs);
        expect(times.graceMs).toBe(graceMs ?? times.graceMs);
        const { hold, requestTimeoutMs } = times;
        expect(
          () => new LockClient({ ...hold, requestTimeoutMs, table: () => ({}) as ItemTable }),
        ).not.toThrow();
      }),
    );
  });
});
