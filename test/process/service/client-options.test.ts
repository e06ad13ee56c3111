import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { nodeBundle } from '../../../bin/start/state-machine/node-bundle.js';
import { LockClient, type LockClientOptions } from '../../../lib/client/index.js';
import { lockServiceSettings } from '../../../lib/lambda/lock-service-handler.js';
import { planScan } from '../../../lib/scan/index.js';

describe('a client of the service', () => {
  it.each([
    [{ table: 'leases', service: 'leasehold' }, /^service: must be left out where a table is given/],
    [{}, /^table: the name of the lease table is missing/],
    [{ service: '' }, /^service: must be the name or the ARN of a function, got ""$/],
    [{ service: 7 }, /^service: must be the name/],
    [{ service: 'leasehold', leaseMs: 1_000 }, /^leaseMs: 1000 is too short/],
  ])('%j is refused when it is made', (options, says) => {
    const make = () => new LockClient(options as LockClientOptions);
    expect(make).toThrow(says);
    expect(make).toThrow(expect.objectContaining({ name: 'UsageError' }));
  });

  it('has no table: what needs one says so', async () => {
    await using locks = new LockClient({ service: 'leasehold' });
    const refusal = { name: 'UsageError', message: expect.stringContaining('needs a client with a table') };
    expect(() => locks.context.table).toThrow(expect.objectContaining(refusal));
    const s3 = { send: () => Promise.reject(new Error('not asked')) } as never;
    const scan = { locks, s3, run: 'r', bucket: 'b', seats: 1 };
    await expect(planScan(scan as never)).rejects.toMatchObject(refusal);
  });

  it('does not bring its AWS SDK client into bundles of a client with a table', async () => {
    const home = await mkdtemp(join(tmpdir(), 'leasehold-bundle-'));
    try {
      const outfile = join(home, 'index.mjs');
      const entry =
        "import { LockClient } from './lib/index.js'; export const locks = new LockClient({ table: 't' });";
      const { metafile } = await build({
        ...nodeBundle,
        stdin: { contents: entry, resolveDir: join(import.meta.dirname, '..', '..', '..') },
        outfile,
        minify: true,
        metafile: true,
      });
      const modules = Object.keys(metafile.inputs);
      expect(modules.filter((path) => path.includes('client-dynamodb'))).not.toEqual([]);
      const unwanted = /client-lambda|client-sfn|valibot|lib\/service\/(?!json-value)/;
      expect(modules.filter((path) => unwanted.test(path))).toEqual([]);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
});

describe('the settings of the service', () => {
  const table = { LEASEHOLD_TABLE: 'leases' };

  it('are read from the environment', () => {
    const env = {
      ...table,
      LEASEHOLD_NAMES: '["a/*","b"]',
      LEASEHOLD_OPERATIONS: 'operate',
      LEASEHOLD_MAX_LEASE_MS: '60000',
    };
    const read = { table: 'leases', names: ['a/*', 'b'], operations: 'operate', maxLeaseMs: 60_000 };
    expect(lockServiceSettings(env)).toMatchObject(read);
    expect(lockServiceSettings(table)).toMatchObject({
      names: undefined,
      operations: 'use',
      maxLeaseMs: undefined,
    });
  });

  it.each([
    [{}, /^LEASEHOLD_TABLE: /],
    [{ ...table, LEASEHOLD_NAMES: 'a/*' }, /^LEASEHOLD_NAMES: must be a JSON list of strings, got "a\/\*"$/],
    [{ ...table, LEASEHOLD_NAMES: '[1]' }, /^LEASEHOLD_NAMES: /],
    [
      { ...table, LEASEHOLD_OPERATIONS: 'all' },
      /^LEASEHOLD_OPERATIONS: must be "use" or "operate", got "all"$/,
    ],
    [{ ...table, LEASEHOLD_MAX_LEASE_MS: '10s' }, /^LEASEHOLD_MAX_LEASE_MS: must be a whole number/],
  ])('%j is refused in words', (env, says) => {
    expect(() => lockServiceSettings(env)).toThrow(says);
  });
});
