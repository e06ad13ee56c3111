import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { findFaketime, WallClock } from '../../chaos/clocks/faketime.js';

const library = findFaketime();
const why = library ? '' : ': not run, libfaketime is not installed';

/** Answers each line with both clocks, in milliseconds. */
const teller = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', () => {
    console.log(JSON.stringify({ wall: Date.now(), machine: Number(process.hrtime.bigint()) / 1e6 }));
  });`;

const hourMs = 3_600_000;

describe(`the wall clock of a worker${why}`, () => {
  it.skipIf(!library)('steps and runs at another rate while a process looks at it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'chaos-clock-'));
    const clock = new WallClock(library!, join(directory, 'clock'));
    const env = { PATH: process.env.PATH, ...clock.environment };
    const child = spawn(process.execPath, ['-e', teller], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ask = async () => {
      child.stdin.write('\n');
      return JSON.parse((await lines.next()).value) as { wall: number; machine: number };
    };
    try {
      const before = await ask();
      expect(Math.abs(before.wall - Date.now())).toBeLessThan(hourMs / 2);
      clock.step(400 * 24 * hourMs);
      const ahead = await ask();
      clock.step(-401 * 24 * hourMs);
      const behind = await ask();
      clock.step(24 * hourMs);
      clock.run(2);
      const [from, to] = [await ask(), await askLater(ask)];

      const aheadMs = ahead.wall - before.wall - (ahead.machine - before.machine);
      expect(Math.abs(aheadMs - 400 * 24 * hourMs)).toBeLessThan(1_000);
      expect(Math.abs(behind.wall - before.wall + 24 * hourMs)).toBeLessThan(hourMs);
      // The machine's clock is not touched: the wall clock runs ahead of it.
      expect((to.wall - from.wall) / (to.machine - from.machine)).toBeGreaterThan(1.5);
    } finally {
      child.stdin.end();
      await once(child, 'exit');
      await rm(directory, { recursive: true });
    }
  });
});

async function askLater<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  await new Promise((resolve) => setTimeout(resolve, 300));
  return ask();
}
