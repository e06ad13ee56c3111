import { expect, it, vi } from 'vitest';
import { bySize } from '../../support/size.js';
import { startJson } from '../../support/start/start-process.js';
import { temporaryFiles } from '../../support/start/temporary-files.js';

vi.setConfig({ testTimeout: 300_000 });

it('npm start scans thousands of files in one flat directory, in the long form 100,000', async () => {
  const count = bySize({ short: 5_000, long: 100_000 });
  const flat = Array.from({ length: count }, (_, index) => `object-${String(index).padStart(6, '0')}.dat`);
  await using files = await temporaryFiles(flat);
  const { exitCode, json } = await startJson(['--dir', files.directory]);
  expect(exitCode).toBe(0);
  expect(json).toMatchObject({ complete: true, objects: count, independentCount: count });
  expect(json.takeovers).toBeGreaterThanOrEqual(1);
});
