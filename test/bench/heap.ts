import { type Row, rowOf } from './row.js';
import { ownLocks, startStore } from './store.js';

const leases = 1_000;

/** Bytes of the heap, after what can be collected is gone. */
export async function heapAfter(): Promise<number> {
  if (!globalThis.gc) throw new Error('the bench needs node --expose-gc');
  // What ends with the requests is let go of in later turns of the loop.
  for (let turn = 0; turn < 8; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    globalThis.gc();
  }
  return process.memoryUsage().heapUsed;
}

/** What a held lease keeps of the heap. */
export async function heapRows(rounds: number): Promise<readonly Row[]> {
  await using dynamo = await startStore();
  // A collection may take as long as a connection.
  const locks = ownLocks(dynamo.endpoint, { requestTimeoutMs: 5_000 });
  const samples: number[] = [];
  for (let round = -1; round < Math.min(rounds, 3); round++) {
    const before = await heapAfter();
    const held = [];
    for (let index = 0; index < leases; index++) held.push(await locks.acquire(`heap/${round}/${index}`));
    const after = await heapAfter();
    if (round >= 0) samples.push(Math.round((after - before) / leases));
    for (const lease of held) await lease.release();
  }
  await locks.close();
  return [rowOf('bytes of heap for a held lease', '≤ 2,200', samples)];
}
