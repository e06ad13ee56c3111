import type { Cluster } from '../world/cluster.js';
import type { ClientHabits } from './hold-options.js';
import { Machine } from './machine.js';
import type { Workers } from './workers.js';

/**
 * All processes sleep for hours, as laptops and frozen Lambdas do. Right after they wake up, before any timer, their
 * leases are asked: drift has had time to add up.
 */
export async function sleepDeeply(
  cluster: Cluster,
  workers: Workers,
  names: readonly string[],
): Promise<void> {
  const { loop, random } = cluster;
  const forMs = random.spread(20 * 60_000, 12 * 3_600_000);
  for (const process of workers.processes) process.pause(forMs);
  cluster.countTrouble('all sleep for hours');
  cluster.note('all', `sleep for ${(forMs / 60_000).toFixed(0)} minutes`);
  await loop.run(loop.nowMs + forMs - 0.001);
  for (const name of names) cluster.survey(name, 'woken');
}

/**
 * Both clocks of a machine stand still for a while: beyond the assumptions. Its next response contradicts what it
 * knows, and it starts again from there (section 3).
 */
export async function recoverFromJump(cluster: Cluster, habits: ClientHabits): Promise<void> {
  const { loop, random, history } = cluster;
  const clocks = { monotonicRate: 1, wallRate: 1, wallAheadMs: 0 };
  const machine = new Machine(cluster, 'jumped', 'jumped', habits, clocks);
  const { process, locks } = machine;
  const look = () => machine.call('inspect', 'lock/a', () => locks.inspect('lock/a'));
  const jump = async () => {
    await look();
    const forMs = random.between(5_000, 20_000);
    process.freeze(forMs);
    process.clocks.step(-forMs);
    cluster.countTrouble('both clocks of a machine jump');
    await process.sleep(1);
    await look();
    const { earliest, latest } = locks.context.clock.now();
    history.records.push({ kind: 'clock', atMs: cluster.nowMs, process: process.id, earliest, latest });
  };
  let isOver = false;
  jump().then(
    () => {
      isOver = true;
    },
    (error) => cluster.fail(error),
  );
  await loop.run(loop.nowMs + 60_000, () => isOver);
  process.crash();
}
