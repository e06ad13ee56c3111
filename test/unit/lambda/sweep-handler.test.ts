import { describe, expect, it } from 'vitest';
import { createSweepHandler } from '../../../lib/lambda/sweep-handler.js';

const context = { getRemainingTimeInMillis: () => 600_000 };

describe('what the sweeper refuses', () => {
  const table = { LEASEHOLD_TABLE: 'leases' };
  const missing = 'LEASEHOLD_TABLE: the name of the lease table is missing';
  const perSecond = (got: string) =>
    `LEASEHOLD_DELETES_PER_SECOND: must be a whole number from 1 to 1000, got "${got}"`;

  it.each<[Readonly<Record<string, string>>, string]>([
    [{}, missing],
    [{ LEASEHOLD_TABLE: ' ' }, missing],
    ...['many', '0', '-1', '1.5', '1001', 'Infinity'].map(
      (got): [Readonly<Record<string, string>>, string] => [
        { ...table, LEASEHOLD_DELETES_PER_SECOND: got },
        perSecond(got),
      ],
    ),
  ])('%j: a UsageError that says what came and what is allowed', async (env, message) => {
    await expect(createSweepHandler({ env })({}, context)).rejects.toThrow(
      expect.objectContaining({ name: 'UsageError', message }),
    );
  });
});
