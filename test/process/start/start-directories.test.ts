import { describe, expect, it, vi } from 'vitest';
import { oddNames } from '../../support/local/odd-names.js';
import { startJson } from '../../support/start/start-process.js';
import { temporaryFiles } from '../../support/start/temporary-files.js';

vi.setConfig({ testTimeout: 240_000 });

describe('npm start -- --dir', () => {
  it('names that some layer is known to get wrong, on small pages', async () => {
    await using files = await temporaryFiles(oddNames);
    const { exitCode, json } = await startJson([
      ...['--dir', files.directory, '--page-size', '2', '--lease', '2s', '--seats', '3'],
    ]);
    expect(exitCode).toBe(0);
    expect(json).toMatchObject({
      complete: true,
      objects: oddNames.length,
      independentCount: oddNames.length,
    });
    expect(json.slices).toBeGreaterThan(1);
  });
});
