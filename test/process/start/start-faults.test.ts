import { describe, expect, it, vi } from 'vitest';
import { bySize, size } from '../../support/size.js';
import { startJson } from '../../support/start/start-process.js';
import { names, temporaryFiles } from '../../support/start/temporary-files.js';

vi.setConfig({ testTimeout: 240_000 });

const count = bySize({ short: 3_000, long: 6_000 });

describe('npm start with faults', () => {
  it('sees a takeover of the killed and of the stopped worker, and the refusal; the same seed strikes the same slices', async () => {
    await using files = await temporaryFiles(names(count, 7));
    const args = ['--dir', files.directory, '--seats', '4', '--page-size', '100', '--seed', '3'];
    const first = await startJson(args);
    expect(first.exitCode).toBe(0);
    expect(first.leftFiles).toEqual([]);
    const { json } = first;
    expect(json).toMatchObject({ complete: true, objects: count, independentCount: count, bytes: 0 });
    expect(json.checks.filter(({ holds }) => !holds)).toEqual([]);
    expect(json.slices).toBe(json.sliceResults.length);
    expect(json.takeovers).toBeGreaterThanOrEqual(2);
    expect(json.staleWritesRejected).toBeGreaterThanOrEqual(1);
    expect(json.listRequests).toBeGreaterThanOrEqual(count / 100);
    expect(json.durationMs).toBeGreaterThan(0);

    const { strikes, takeovers, refusedWrites } = json.faults;
    expect(strikes.map(({ kind }) => kind).sort()).toEqual(['kill', 'stop']);
    for (const { slice, token } of strikes) {
      const takeover = takeovers.find((one) => one.slice === slice && one.previousToken === token);
      expect(takeover?.token).toBeGreaterThan(token);
    }
    const stopped = strikes.find(({ kind }) => kind === 'stop')!;
    expect(refusedWrites).toContainEqual(
      expect.objectContaining({ slice: stopped.slice, token: stopped.token, pid: stopped.pid }),
    );

    // Which slices a seed strikes is told in memory; that a second run of the same strikes the same is for the long form.
    if (size === 'short') return;
    const again = await startJson(args);
    expect(again.exitCode).toBe(0);
    expect(again.json.faults.ordered).toEqual(json.faults.ordered);
    expect(again.json.faults.strikes.map(({ slice }) => slice).sort()).toEqual(
      strikes.map(({ slice }) => slice).sort(),
    );
  });
});
