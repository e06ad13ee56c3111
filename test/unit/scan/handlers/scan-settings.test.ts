import { describe, expect, it } from 'vitest';
import { scanSettings } from '../../../../lib/scan/handlers/scan-clients.js';

describe('settings from the environment', () => {
  it('need the table only', () => {
    expect(scanSettings({ LEASEHOLD_TABLE: 'leases' })).toEqual({ table: 'leases', requesterPays: false });
  });

  it('are all read', () => {
    expect(
      scanSettings({
        LEASEHOLD_TABLE: 'leases',
        LEASEHOLD_DYNAMODB_ENDPOINT: 'http://127.0.0.1:1',
        LEASEHOLD_S3_ENDPOINT: 'http://127.0.0.1:2',
        LEASEHOLD_LEASE_MS: '2000',
        LEASEHOLD_LEDGER_TABLE: 'ledger',
        LEASEHOLD_OUTPUT_BUCKET: 'results',
        LEASEHOLD_OUTPUT_PREFIX: 'runs/',
      }),
    ).toEqual({
      table: 'leases',
      dynamoEndpoint: 'http://127.0.0.1:1',
      s3Endpoint: 'http://127.0.0.1:2',
      leaseMs: 2_000,
      ledgerTable: 'ledger',
      output: { bucket: 'results', prefix: 'runs/' },
      requesterPays: false,
    });
  });

  it('may have spaces around, are absent where blank, and have their least and their defaults', () => {
    const table = { LEASEHOLD_TABLE: ' leases ' };
    expect(scanSettings({ ...table, LEASEHOLD_S3_ENDPOINT: ' ', LEASEHOLD_OUTPUT_BUCKET: '' })).toEqual({
      ...{ table: 'leases', requesterPays: false },
    });
    expect(scanSettings({ ...table, LEASEHOLD_LEASE_MS: '1' }).leaseMs).toBe(1);
    expect(scanSettings({ ...table, LEASEHOLD_OUTPUT_BUCKET: 'results' }).output).toEqual({
      ...{ bucket: 'results', prefix: '' },
    });
    expect(scanSettings({ ...table, LEASEHOLD_REQUESTER_PAYS: ' on ' }).requesterPays).toBe(true);
    expect(scanSettings({ ...table, LEASEHOLD_REQUESTER_PAYS: 'off' }).requesterPays).toBe(false);
  });

  it.each<readonly [Readonly<Record<string, string>>, string]>([
    [{}, 'LEASEHOLD_TABLE: the name of the lease table is missing'],
    [{ LEASEHOLD_TABLE: ' ' }, 'LEASEHOLD_TABLE: the name of the lease table is missing'],
    ...['30s', '0', '1.5'].map(
      (got) =>
        [
          { LEASEHOLD_TABLE: 'leases', LEASEHOLD_LEASE_MS: got },
          `LEASEHOLD_LEASE_MS: must be a whole number of milliseconds, at least 1, got "${got}"`,
        ] as const,
    ),
  ])('that are wrong are a UsageError: %j', (env, message) => {
    expect(() => scanSettings(env)).toThrow(expect.objectContaining({ name: 'UsageError', message }));
  });
});
