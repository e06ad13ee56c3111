import { expect, it } from 'vitest';
import { startJson } from '../../support/start/start-process.js';
import { temporaryFiles } from '../../support/start/temporary-files.js';

it('npm start scans 100,000 files in one flat directory', async () => {
  const count = 100_000;
  const flat = Array.from({ length: count }, (_, index) => `object-${String(index).padStart(6, '0')}.dat`);
  await using files = await temporaryFiles(flat);
  const { exitCode, json } = await startJson(['--dir', files.directory]);
  expect(exitCode).toBe(0);
  expect(json).toMatchObject({ complete: true, objects: count, independentCount: count });
  expect(json.takeovers).toBeGreaterThanOrEqual(1);
});
