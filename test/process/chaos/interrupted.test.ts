import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { ChaosReport } from '../../chaos/report/report.js';
import { ChaosProcess } from '../../support/chaos/chaos-process.js';
import { descendants, isAlive } from '../../support/local/child-processes.js';
import { until } from '../../support/until.js';

const workers = 2;

/** All processes of a run whose workers are up; one of them is stopped, and will not notice anything by itself. */
async function processesOf(run: ChaosProcess): Promise<number[]> {
  let pids: number[] = [];
  let ofWorkers: number[] = [];
  await until('all workers are up', async () => {
    pids = await descendants(run.child.pid);
    const commands = await Promise.all(
      pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
    );
    ofWorkers = pids.filter((_, index) => commands[index]?.includes('worker.mjs'));
    return ofWorkers.length === workers;
  });
  process.kill(ofWorkers[0]!, 'SIGSTOP');
  return pids;
}

const hasProc = process.platform === 'linux';

describe('chaos that ends before its time', () => {
  it.skipIf(!hasProc)(
    'prints what it has and leaves nothing after SIGINT (needs /proc)',
    { timeout: 120_000 },
    async () => {
      await using run = await ChaosProcess.start('--minutes', '5', '--workers', String(workers), '--json');
      const pids = await processesOf(run);
      run.child.kill('SIGINT');
      const { code, stdout, stderr } = await run.ended;

      expect(stderr).toBe('');
      expect(JSON.parse(stdout) as ChaosReport).toMatchObject({ interrupted: true, violations: [] });
      expect(code).toBe(130);
      expect(await living(pids)).toEqual([]);
      expect(await run.leftovers()).toEqual([]);
    },
  );

  it.skipIf(!hasProc)('leaves nothing even after SIGKILL (needs /proc)', { timeout: 120_000 }, async () => {
    await using run = await ChaosProcess.start('--minutes', '5', '--workers', String(workers));
    const pids = await processesOf(run);
    run.child.kill('SIGKILL');
    await run.ended;

    await until('all processes are gone', async () => (await living(pids)).length === 0);
    await until('the directory is gone', async () => (await run.leftovers()).length === 0);
  });
});

async function living(pids: readonly number[]): Promise<number[]> {
  const alive = await Promise.all(pids.map((pid) => isAlive(pid)));
  return pids.filter((_, index) => alive[index]);
}
