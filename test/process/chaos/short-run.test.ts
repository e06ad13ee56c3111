import { describe, expect, it } from 'vitest';
import { planFaults } from '../../chaos/faults/plan-faults.js';
import type { ChaosReport } from '../../chaos/report/report.js';
import { allLockNames, semaphores } from '../../chaos/terms.js';
import { ChaosProcess } from '../../support/chaos/chaos-process.js';
import { bySize } from '../../support/size.js';

const seed = 1;
const workers = bySize({ short: 3, long: 6 });
const minutes = bySize({ short: 0.08, long: 0.5 });
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

describe('a short run of chaos', () => {
  it('I1 I2 I3 I6 violates nothing, strikes as planned, says what it could not do, and leaves nothing', {
    timeout: 180_000,
  }, async () => {
    await using run = await ChaosProcess.start(
      ...['--minutes', String(minutes), '--seed', String(seed), '--workers', String(workers), '--json'],
    );
    const { code, stdout, stderr } = await run.ended;

    expect(stderr).toBe('');
    const report = JSON.parse(stdout) as ChaosReport;
    expect(report.violations).toEqual([]);
    expect(code).toBe(0);
    for (const [kind, why] of Object.entries(report.faults.skipped)) console.info(`${kind}: skipped, ${why}`);
    const planned: Record<string, number> = {};
    for (const { kind } of planFaults({ seed, workers, durationMs: minutes * 60_000 })) {
      if (!(kind in report.faults.skipped)) planned[kind] = (planned[kind] ?? 0) + 1;
    }
    expect(report.faults.struck).toMatchObject(planned);
    expect(report.workers.processesStarted).toBeGreaterThan(workers);
    expect(report.locks.granted).toBeGreaterThan(0);
    expect(report.workloads.hold.stays).toBeGreaterThan(0);
    expect(report.workloads.fenced).toMatchObject({ lostUpdates: 0 });
    expect(report.workloads.fenced.acknowledged).toBeGreaterThan(0);
    expect(report.workloads.permit.stays).toBeGreaterThan(0);
    expect(report.workloads.line.turns).toBeGreaterThan(0);
    expect(report.workloads.line.compared).toBeGreaterThan(0);
    expect(report.workloads.scan.complete).toBe(report.workloads.scan.scans);
    expect(report.workloads.scan.scans).toBeGreaterThan(0);
    expect(report.liveness).toMatchObject({
      locks: allLockNames.length + sum(semaphores.map(({ permits }) => permits)),
    });
    expect(await run.leftovers()).toEqual([]);
  });
});
