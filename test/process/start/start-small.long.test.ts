import { describe, expect, it, vi } from 'vitest';
import { startJson } from '../../support/start/start-process.js';
import { temporaryFiles } from '../../support/start/temporary-files.js';

vi.setConfig({ testTimeout: 240_000 });

describe('npm start -- --dir with next to nothing in it', () => {
  it('an empty directory: complete, nobody is struck, and it says why', async () => {
    await using files = await temporaryFiles();
    const { exitCode, json, stderr } = await startJson(['--dir', files.directory]);
    expect(exitCode).toBe(0);
    expect(json).toMatchObject({ complete: true, objects: 0, independentCount: 0, slices: 1, takeovers: 0 });
    expect(json.faults).toMatchObject({ ordered: [], strikes: [] });
    expect(stderr).toContain('nobody is struck: there is no object to work on');
  });

  it('one file: its one worker is stopped, succeeded and refused', async () => {
    await using files = await temporaryFiles(['only']);
    const { exitCode, json } = await startJson(['--dir', files.directory, '--lease', '2s', '--seats', '2']);
    expect(exitCode).toBe(0);
    expect(json).toMatchObject({ complete: true, objects: 1, independentCount: 1 });
    expect(json.faults.strikes).toMatchObject([{ kind: 'stop', slice: '000000', page: 1 }]);
    expect(json.staleWritesRejected).toBe(1);
    expect(json.faults.notes).toHaveLength(1);
  });
});
