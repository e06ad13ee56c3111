import { planScan, verifyScan, workSeat } from '../../../lib/scan/index.js';
import type { Cluster } from '../world/cluster.js';
import { type ScanHabits, ScanMachine } from './scan-machine.js';
import { type Keys, simProcessor } from './sim-processor.js';
import type { SimS3 } from './sim-s3.js';

/** In peace a run comes to its end within this, whatever state it was left in. */
const withinMs = 10 * 60_000;

/** Rounds that it may take: one, and one more for what others were still at when the proof looked first. That one stays. */
const maxRounds = 2;

/** Finishes the run with fresh seats where nothing goes wrong any more, and records what its proof says. */
export async function judge(
  cluster: Cluster,
  habits: ScanHabits,
  s3: SimS3,
  { run, seats, isPlanned }: { readonly run: string; readonly seats: number; readonly isPlanned: boolean },
): Promise<void> {
  const clocks = { monotonicRate: 1, wallRate: 1, wallAheadMs: 0 };
  const machine = new ScanMachine(cluster, 'judge', habits, clocks, s3);
  const { locks } = machine;
  const processor = simProcessor(machine, habits);
  const shared = { locks, s3: machine.s3, run, processor };
  const rounds = async () => {
    // What was begun before is taken as it is.
    if (!isPlanned || cluster.random.chance(0.3))
      await planScan({ locks, s3: machine.s3, run, bucket: 'data', seats, pageSize: 3 });
    for (let round = 0; ; round++) {
      // The proof may come before any more work: what it sees then is as the seats left it.
      if (round > 0 || cluster.random.chance(0.5)) await workSeat({ ...shared, seat: 1000 });
      const verdict = await verifyScan({ ...shared, maxRounds });
      if (verdict.status !== 'more') return verdict;
    }
  };
  let isOver = false;
  rounds().then(
    ({ status, reason, report }) => {
      isOver = true;
      const keys = (report.result as Keys | undefined)?.keys ?? [];
      cluster.note('judge', `says ${status}: ${reason ?? ''}`);
      cluster.history.records.push({ kind: 'verdict', atMs: cluster.nowMs, status, reason, keys });
    },
    (error) => {
      isOver = true;
      cluster.fail(error);
    },
  );
  await cluster.loop.run(cluster.nowMs + withinMs, () => isOver);
  if (isOver) return;
  const { nowMs: atMs, history } = cluster;
  history.records.push({
    kind: 'stuck',
    atMs,
    what: 'the scan does not come to its end',
    name: run,
    withinMs,
  });
}
