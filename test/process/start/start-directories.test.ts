import { describe, expect, it, vi } from 'vitest';
import { oddNames } from '../../support/local/odd-names.js';
import { startProcess } from '../../support/start/start-process.js';
import { temporaryFiles } from '../../support/start/temporary-files.js';

vi.setConfig({ testTimeout: 240_000 });

describe('npm start -- --dir', () => {
  it('lists names that some layer is known to get wrong, without faults where it is told so, and ends with report and proof', async () => {
    await using files = await temporaryFiles(oddNames);
    const started = await startProcess([
      ...['--dir', files.directory, '--page-size', '2', '--lease', '2s', '--seats', '3', '--no-faults'],
    ]);
    const { exitCode, stdout, stderr } = await started.ended;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('takeovers: 0 ');
    expect(stdout).toContain('stale writes refused: 0;');
    expect(stdout).toContain('folder with space');
    const [, slices] = / in (\d+) slices,/.exec(stdout) ?? [];
    expect(Number(slices)).toBeGreaterThan(1);
    // Counted by a walk that knows nothing of the scan.
    const all = ` complete: ${oddNames.length} objects, each in exactly one result`;
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(all);
    // No colours and no cursor movements in a pipe.
    expect(stdout).not.toContain('\u001b');
  });
});
