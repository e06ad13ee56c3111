import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sameWishMs } from '../../../bin/terminal/interruption.js';
import { walkDirectory } from '../../../lib/local/index.js';
import { readRun } from '../../../lib/scan/index.js';
import { type RunningCommand, runCommand, startCommand } from '../../support/cli/command-line.js';
import { twiceWithinAMillisecond } from '../../support/cli/double-signal.js';
import { type LeaseTerminal, openLeaseTerminal } from '../../support/cli/lease-terminal.js';
import { stallingProxy } from '../../support/cli/stalling-proxy.js';
import { until } from '../../support/local/child-processes.js';
import { type TemporaryBucket, temporaryBucket } from '../../support/local/temporary-bucket.js';

describe('a scan that is interrupted', () => {
  let desk: LeaseTerminal;
  let bucket: TemporaryBucket;
  /** Pages that S3 still answers; later ones hang until the scan is interrupted. */
  let pagesLeft = Number.POSITIVE_INFINITY;

  beforeAll(async () => {
    desk = await openLeaseTerminal();
    bucket = await temporaryBucket({
      faults: ({ query }) => {
        // Planning asks without a continuation; what counts here are the pages behind a cursor.
        if (query.get('start-after') === null || query.get('max-keys') !== '5') return 'ok';
        pagesLeft -= 1;
        return pagesLeft < 0 ? 'hang' : 'ok';
      },
    });
    await bucket.write(...Array.from({ length: 120 }, (_, index) => `data/${100 + index}`));
  });
  afterAll(async () => {
    await bucket?.[Symbol.asyncDispose]();
    await desk?.[Symbol.asyncDispose]();
  });

  const args = (run: string, endpoint = desk.dynamo.endpoint) => [
    ...['scan', 's3://box/data/', '--run', run, '--seats', '3', '--page-size', '5'],
    ...['--table', 'leases', '--endpoint', endpoint, '--s3-endpoint', bucket.s3.endpoint],
  ];
  const states = async (run: string) => {
    const { slices } = await readRun({ locks: desk.locks, run });
    return {
      held: slices.filter(({ leaseId }) => leaseId !== undefined).length,
      begun: slices.filter(({ cursor }) => cursor !== undefined).length,
      finished: slices.every(({ completedAt }) => completedAt !== undefined),
    };
  };

  /** Starts a scan and returns once it holds slices and waits for pages that do not come. */
  async function stuck(run: string, endpoint?: string): Promise<RunningCommand> {
    pagesLeft = 6;
    const command = startCommand(args(run, endpoint));
    await until(async () => command.stderr().includes('planned: '));
    await until(async () => pagesLeft < 0 && (await states(run)).held > 0);
    return command;
  }

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'gives its slices back at %s, ends with %i, and goes on under the same name',
    async (signal, code) => {
      const run = `stopped-by-${signal}`;
      const command = await stuck(run);
      command.child.kill(signal);
      const { exitCode, stdout, stderr } = await command.ended;
      expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' });
      expect(stderr).toContain(`stopped by ${signal}; the slices are given back; go on with`);
      expect(stderr).toContain(`--run ${run}`);
      expect(await states(run)).toMatchObject({ held: 0, finished: false });

      pagesLeft = Number.POSITIVE_INFINITY;
      let walked = 0;
      for await (const { key } of walkDirectory(bucket.directory)) walked += key.startsWith('data/') ? 1 : 0;
      const resumed = await runCommand([...args(run), '--json']);
      expect(resumed.exitCode).toBe(0);
      expect(JSON.parse(resumed.stdout)).toMatchObject({ run, complete: true, objects: walked });
      expect(await states(run)).toMatchObject({ held: 0, finished: true });
    },
  );

  it('D22 takes two signals a millisecond apart, of a terminal and of npm, for one wish', async () => {
    const command = await stuck('stopped-by-npm');
    twiceWithinAMillisecond(command.child);
    const { exitCode, stderr } = await command.ended;
    expect(exitCode).toBe(130);
    expect(stderr).toContain('stopped by SIGINT; the slices are given back');
    expect(await states('stopped-by-npm')).toMatchObject({ held: 0, finished: false });
  });

  it('ends at once at the second signal, even when the store does not answer', async () => {
    await using proxy = await stallingProxy(desk.dynamo.endpoint);
    const command = await stuck('stopped-twice', proxy.endpoint);
    proxy.stall();
    command.child.kill('SIGINT');
    await until(async () => command.stderr().includes('giving the slices back'));
    await sleep(sameWishMs);
    command.child.kill('SIGINT');
    const { exitCode, stderr } = await command.ended;
    expect(exitCode).toBe(130);
    expect(stderr).not.toContain('are given back');
  });

  it('ends by itself after one signal when the store does not answer', async () => {
    await using proxy = await stallingProxy(desk.dynamo.endpoint);
    const command = await stuck('stopped-in-vain', proxy.endpoint);
    proxy.stall();
    command.child.kill('SIGINT');
    const { exitCode, stderr } = await command.ended;
    expect(exitCode).toBe(130);
    expect(stderr).toContain(
      'the store does not answer, slices that may still be held come free by themselves',
    );
    expect(stderr).not.toMatch(/^ +at .+:\d+:\d+/m);
  });
});
