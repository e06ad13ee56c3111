import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaseFormat } from '../../../lib/lease/index.js';
import { type LeaseTerminal, openLeaseTerminal } from '../../support/cli/lease-terminal.js';

describe('items of a restored table, and those that hold what is never written', () => {
  let desk: LeaseTerminal;
  beforeAll(async () => {
    desk = await openLeaseTerminal();
  });
  afterAll(() => desk?.[Symbol.asyncDispose]());

  const put = (name: string, attributes: Record<string, unknown>) =>
    desk.client.send(
      new PutItemCommand({
        TableName: 'leases',
        Item: marshall({ name, format: leaseFormat, ...attributes }),
      }),
    );

  it('D06 a version that is a fraction, times that no date can hold: plain words, and a way out', async () => {
    await put('fraction', { version: 1.5 });
    await put('distant', { version: 5, leaseId: 'x', owner: 'o', expiresAt: 8.7e15, acquiredAt: -8.7e15 });
    await put('done', { version: 5, completedAt: 8.7e15 });
    const ls = await desk.run('ls', '--all');
    expect(ls.exitCode).toBe(0);
    for (const name of ['fraction', 'distant', 'done']) {
      const { exitCode, stderr } = await desk.run('inspect', name);
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/not a whole number|out of range/);
      expect(stderr).not.toContain('RangeError');
    }
    const broken = await desk.run('break', 'distant', 'x');
    expect(broken).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await desk.locks.inspect('distant')).toMatchObject({ state: 'free' });
    expect(await desk.run('reopen', 'done')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await desk.locks.inspect('done')).toMatchObject({ state: 'free' });
    const fraction = await desk.run('break', 'fraction', 'x');
    expect(fraction.exitCode).toBe(2);
    expect(fraction.stderr).toContain('not a whole number');
    await (await desk.locks.acquire('fraction')).release();
  });

  it('D04 doctor tells that tokens need to be raised, and raise-tokens lifts them, and goes on after a name', async () => {
    await put('old/1', { version: 7, lastLeaseId: 'x' });
    await put('old/2', { version: 8, lastLeaseId: 'y' });
    const before = JSON.parse((await desk.run('doctor', '--json')).stdout);
    const found = before.findings.find(({ check }: { check: string }) => check === 'tokens');
    expect(found).toMatchObject({ status: 'wrong', message: expect.stringContaining('table raise-tokens') });

    const told = await desk.run('table', 'raise-tokens');
    expect(told).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/items read, \d+ raised, 0 held/),
    });
    expect(told.stderr).toMatch(/^\d+ items read, .*; last: \S+/m);
    expect((await desk.locks.inspect('old/1'))?.token).toBeGreaterThan(Date.now() - 60_000);

    const after = JSON.parse((await desk.run('doctor', '--json')).stdout);
    expect(after.findings).toContainEqual(expect.objectContaining({ check: 'tokens', status: 'ok' }));
    const last = /last: (\S+)/.exec(told.stderr)![1]!;
    const again = await desk.run('table', 'raise-tokens', '--after', last, '--json');
    expect(JSON.parse(again.stdout)).toEqual({
      table: 'leases',
      scanned: 0,
      raised: 0,
      held: 0,
      passedOver: 0,
    });
    expect(again.stderr).toBe('');
  });
});
