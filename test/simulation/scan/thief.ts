import { parseSlice, type SliceItem, sliceGroup } from '../../../lib/scan/slices/slice.js';
import { materialiseChild, splitSlice } from '../../../lib/scan/slices/slice-creation.js';

import { orderOfText } from '../store/attribute-values.js';
import type { ScanMachine } from './scan-machine.js';

/**
 * Splits running slices at random with the one conditional write of the scan page, on what it read a moment ago, and
 * leaves the child pending more often than not: somebody else must make it.
 */
export async function steal(
  machine: ScanMachine,
  run: string,
  keys: readonly string[],
  maxTries: number,
): Promise<void> {
  const { locks, cluster, process } = machine;
  const { random } = cluster;
  const { table } = locks.context;
  for (let tries = 0; tries < maxTries; tries++) {
    await process.sleep(random.spread(50, 2_000));
    try {
      const names: string[] = [];
      for await (const page of table.namesInGroup(sliceGroup(run))) names.push(...page);
      const slices = (await table.getMany(names))
        .map(parseSlice)
        .filter((slice) => !slice.completedAt && (!slice.child || random.chance(0.2)));
      if (slices.length === 0) continue;
      // One that nobody holds may be about to be acquired, by somebody who has read it without a child.
      const free = slices.filter(({ leaseId }) => !leaseId);
      const slice = random.pick(free.length > 0 && random.chance(0.5) ? free : slices);
      const from = slice.claimed ?? slice.lo;
      // Cuts at keys, and at strings that are none.
      const inside = keys
        .flatMap((key) => [key, `${key}0`])
        .filter(
          (key) =>
            (from === undefined || orderOfText(key, from) > 0) &&
            (slice.hi === undefined || orderOfText(key, slice.hi) < 0),
        );
      if (inside.length === 0) continue;
      await process.sleep(random.spread(1, 500));
      // The lowest is left when the holder has claimed all, and is about to complete.
      const lowest = inside.reduce((least, key) => (orderOfText(key, least) < 0 ? key : least));
      await split(machine, run, slice, random.chance(0.3) ? lowest : random.pick(inside));
    } catch (error) {
      if ((error as Error).name !== 'StoreError') throw error;
    }
  }
}

async function split(machine: ScanMachine, run: string, slice: SliceItem, cut: string): Promise<void> {
  const { context } = machine.locks;
  const child = await splitSlice(context, slice, cut);
  if (!child || machine.cluster.random.chance(0.7)) return;
  await materialiseChild(context, run, { ...slice, child });
}
