import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { walkDirectory } from '../../../lib/local/index.js';
import { inventory, keyDigest, type Processor, planScan, workSeat } from '../../../lib/scan/index.js';
import { commandHere } from '../../support/cli/command-here.js';
import { type LeaseTerminal, openLeaseTerminal } from '../../support/cli/lease-terminal.js';
import { type TemporaryBucket, temporaryBucket } from '../../support/local/temporary-bucket.js';

describe('scan', () => {
  let desk: LeaseTerminal;
  let bucket: TemporaryBucket;
  let refusing = false;

  beforeAll(async () => {
    desk = await openLeaseTerminal();
    bucket = await temporaryBucket({ faults: () => (refusing ? 'deny' : 'ok') });
    const numbers = Array.from({ length: 90 }, (_, index) => index);
    await bucket.write(...numbers.map((index) => `logs/${index % 7}/${index}.txt`), 'a b+c.md', 'ü/日本.TXT');
  });
  afterAll(async () => {
    await bucket?.[Symbol.asyncDispose]();
    await desk?.[Symbol.asyncDispose]();
  });

  const scan = (...args: string[]) => desk.run('scan', ...args, '--s3-endpoint', bucket.s3.endpoint);

  /** Plans and works a run in this process, with another processor around the inventory. */
  async function workHere(run: string, process: Processor['process']): Promise<void> {
    const { locks } = desk;
    const s3 = bucket.client;
    await planScan({ locks, s3, run, bucket: 'box', prefix: 'logs/', seats: 1, slices: 1 });
    await workSeat({ locks, s3, run, seat: 0, processor: { ...inventory(), process } });
  }

  it('finds what an independent walk finds', async () => {
    const digest = keyDigest();
    const walked = { objects: 0, bytes: 0 };
    for await (const { key, size } of walkDirectory(bucket.directory)) {
      digest.add(key);
      walked.objects += 1;
      walked.bytes += size;
    }
    const { exitCode, stdout, stderr } = await scan(
      's3://box',
      '--seats',
      '3',
      '--page-size',
      '10',
      '--json',
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({
      ...walked,
      status: 'complete',
      complete: true,
      tiles: true,
      location: 's3://box/',
      failureCount: 0,
      quarantined: [],
      inventory: { ...walked, digest: digest.hex() },
    });
    expect(report.slices).toBeGreaterThan(1);
  });

  it('as a process of its own prints a report on stdout, and how it went on stderr, without warnings', async () => {
    const args = ['s3://box/logs/', '--seats', '30', '--page-size', '5', '--s3-endpoint', bucket.s3.endpoint];
    const { exitCode, stdout, stderr } = await desk.start('scan', ...args).ended;
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^scan +complete/);
    expect(stdout).toMatch(/^objects +90$/m);
    expect(stdout).toMatch(/^seats +30, busy \d+ % of the time; \d+ splits?; [\d,]+ objects\/s$/m);
    expect(stdout).toContain('By first path segment\nNAME  OBJECTS  BYTES\n');
    expect(stdout).toContain('By extension\n');
    expect(stdout).toContain('Largest\n');
    expect(stderr).toMatch(/^run \S+ of s3:\/\/box\/logs\/\nplanned: \d+ slices, with \d+ requests?\n/);
    expect(stderr).not.toMatch(/warning/i);
  });

  it('lists nothing again when it is run again under the same name', async () => {
    const first = JSON.parse((await scan('s3://box', '--run', 'again', '--json')).stdout);
    bucket.s3.requests.reset();
    const second = await scan('s3://box', '--run', 'again', '--json');
    expect(second.exitCode).toBe(0);
    expect(bucket.s3.requests.total).toBe(0);
    const { durationMs: _first, here, ...once } = first;
    const { durationMs: _second, here: idle, ...twice } = JSON.parse(second.stdout);
    expect(twice).toEqual(once);
    expect(here).toMatchObject({ seats: 8, objects: once.objects, busyShare: expect.any(Number) });
    expect(idle).toEqual({ seats: 8, busyShare: null, splits: 0, objects: 0, objectsPerSecond: 0 });
  });

  it('cuts as an earlier run of the same prefix was cut', async () => {
    const options = ['s3://box/logs/', '--seats', '4', '--page-size', '5', '--json'];
    const first = JSON.parse((await scan(...options, '--run', 'cut-1')).stdout);
    const second = JSON.parse((await scan(...options, '--run', 'cut-2', '--cuts-from', 'cut-1')).stdout);
    expect(second).toMatchObject({ complete: true, objects: first.objects });
    expect(second.slices).toBeGreaterThanOrEqual(first.slices);
  });

  it('ends with 1 and names the object when one could not be worked on', async () => {
    await workHere('with-failure', (page, context) => {
      context.failed(page.lastKey, new Error('unreadable'));
      return inventory().process(page, context);
    });
    const { exitCode, stdout } = await scan('s3://box/logs/', '--run', 'with-failure');
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^scan +completed with failures: 1 objects? /);
    expect(stdout).toMatch(/^logs\/6\/\d+\.txt +.*unreadable$/m);
    const json = await scan('s3://box/logs/', '--run', 'with-failure', '--json');
    expect(json.exitCode).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      status: 'completed-with-failures',
      complete: false,
      failureCount: 1,
      failures: [{ key: expect.stringMatching(/^logs\/6\//), error: expect.stringContaining('unreadable') }],
    });
  });

  it('ends with 1 and names the range when a slice is quarantined', async () => {
    await workHere('with-quarantine', () => {
      throw new Error('cannot');
    });
    const { exitCode, stdout } = await scan('s3://box/logs/', '--run', 'with-quarantine');
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^scan +failed: slice 000000 /);
    expect(stdout).toMatch(/^000000 +\(first key\) +\(last key\) +4 +.*cannot$/m);
  });

  it.each([
    ['a bucket that is missing', ['s3://absent'], 'There is no bucket "absent"'],
    ['a run of another prefix', ['s3://box/other', '--run', 'again'], 'was planned for s3://box/'],
    ['an earlier run that is not there', ['s3://box', '--cuts-from', 'never'], 'was never planned'],
    ['a name that no run can have', ['s3://box', '--run', 'a/b'], 'run: must be'],
    ['an output inside what is scanned', ['s3://box', '--output', 's3://box/out'], 'inside the scanned'],
    ['a lease too short for its requests', ['s3://box', '--lease', '1ms'], '--lease: must be at least 1s'],
  ])('ends with 2 and one line for %s', async (_what, args, words) => {
    const { exitCode, stdout, stderr } = await scan(...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/^leasehold: /);
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(/^ +at .+:\d+:\d+/m);
  });

  it('ends with 2 and says how to make a table that is missing', async () => {
    const where = [
      '--table',
      'absent',
      '--endpoint',
      desk.dynamo.endpoint,
      '--s3-endpoint',
      bucket.s3.endpoint,
    ];
    const { exitCode, stdout, stderr } = await commandHere(['scan', 's3://box', '--json', ...where]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(JSON.parse(stderr).error.message).toMatch(/"absent" does not exist .*leasehold table create/);
  });

  it('ends with 78, a broken set-up, and one line when S3 refuses', async () => {
    refusing = true;
    try {
      const { exitCode, stdout, stderr } = await scan('s3://box', '--json');
      expect({ exitCode, stdout }).toEqual({ exitCode: 78, stdout: '' });
      expect(JSON.parse(stderr).error).toMatchObject({
        name: 'StoreError',
        message: expect.stringContaining('Bucket "box" may not be used by this identity'),
        cause: { name: 'AccessDenied' },
      });
    } finally {
      refusing = false;
    }
  });
});
