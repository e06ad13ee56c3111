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

  it.each([
    [{}, 'LEASEHOLD_TABLE: the name of the lease table is missing'],
    [{ LEASEHOLD_TABLE: ' ' }, 'LEASEHOLD_TABLE: the name of the lease table is missing'],
    [
      { LEASEHOLD_TABLE: 'leases', LEASEHOLD_LEASE_MS: '30s' },
      'LEASEHOLD_LEASE_MS: must be a whole number of milliseconds, at least 1, got "30s"',
    ],
  ])('that are wrong are a UsageError: %j', (env, message) => {
    expect(() => scanSettings(env)).toThrow(expect.objectContaining({ name: 'UsageError', message }));
  });
});
