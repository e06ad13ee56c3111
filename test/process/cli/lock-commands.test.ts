import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaseFormat } from '../../../lib/lease/index.js';
import { cannedServer, errorAnswer } from '../../support/canned-server.js';
import { commandHere } from '../../support/cli/command-here.js';
import { runCommand } from '../../support/cli/command-line.js';
import { type LeaseTerminal, openLeaseTerminal } from '../../support/cli/lease-terminal.js';

describe('the commands for locks', () => {
  let desk: LeaseTerminal;

  beforeAll(async () => {
    desk = await openLeaseTerminal();
  });
  afterAll(() => desk?.[Symbol.asyncDispose]());

  describe('ls', () => {
    beforeAll(async () => {
      await desk.locks.acquire('ls/held', { group: 'ls', owner: 'alice' });
      await (await desk.locks.acquire('ls/free', { group: 'ls' })).release();
      await (await desk.locks.acquire('ls/done', { group: 'ls' })).complete(1);
    });

    it('shows what is held, by whom and for how long, as plain aligned lines in a pipe', async () => {
      const { exitCode, stdout, stderr } = await desk.run('ls', '--group', 'ls');
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      const [head, row, ...more] = stdout.trimEnd().split('\n');
      expect(more).toEqual([]);
      expect(head).toMatch(/^NAME +STATE +OWNER +HELD +LEFT +TOKEN +ALSO$/);
      expect(row).toMatch(/^ls\/held +held +alice +\d+\.\ds +\d+s +\d+ +-$/);
      expect(row!.indexOf('alice')).toBe(head!.indexOf('OWNER'));
    });

    it('adds free and completed ones with --all, and answers an array with --json', async () => {
      const { exitCode, stdout } = await desk.run('ls', '--group', 'ls', '--all', '--json');
      expect(exitCode).toBe(0);
      const [done, free, held, ...more] = JSON.parse(stdout);
      expect(more).toEqual([]);
      expect(done).toMatchObject({ name: 'ls/done', state: 'completed', result: 1 });
      expect(free).toMatchObject({ name: 'ls/free', state: 'free', remainingMs: 0 });
      expect(held).toMatchObject({
        name: 'ls/held',
        state: 'held',
        owner: 'alice',
        leaseId: expect.any(String),
        heldMs: expect.any(Number),
      });
    });

    it('is in the order of names, whatever that of the table', async () => {
      const names = ['z', 'b', 'y', 'c', 'a', 'x'];
      const numbers = { version: { N: '7' }, expiresAt: { N: String(Date.now() + 60_000) } };
      const Items = names.map((name) => ({
        ...{ name: { S: name }, format: { S: leaseFormat }, leaseId: { S: `of ${name}` }, ...numbers },
      }));
      await using server = await cannedServer(() => ({ status: 200, body: { Items } }));
      const { hostname, port } = await server.client.config.endpoint!();
      const told = await commandHere(['ls', '--json', '--endpoint', `http://${hostname}:${port}`]);
      const listed: readonly { readonly name: string }[] = JSON.parse(told.stdout);
      expect(listed.map(({ name }) => name)).toEqual([...names].sort());
    });

    it('says on stderr that nothing is held, and answers an empty array with --json', async () => {
      const told = await desk.run('ls', '--group', 'nobody');
      expect(told).toMatchObject({ exitCode: 0, stdout: '', stderr: 'There are no locks.\n' });
      expect(JSON.parse((await desk.run('ls', '--group', 'nobody', '--json')).stdout)).toEqual([]);
    });

    it('does not let an owner steer the terminal', async () => {
      await desk.locks.acquire('odd', { group: 'odd', owner: 'eve\u001b[2J\u202e' });
      const { stdout } = await desk.run('ls', '--group', 'odd');
      expect(stdout).toContain('eve\\u001b[2J\\u202e');
    });
  });

  describe('the lock kit', () => {
    const run = (...args: string[]) => {
      const [name, ...options] = args;
      return runCommand(['run', name!, ...options, ...desk.where, '--', process.execPath, '-e', '0']);
    };

    it('run takes a permit of a semaphore, and one that is held by others is not had', async () => {
      const permit = await desk.locks.semaphore('cli/api', { permits: 1 }).acquire();
      const held = await run('cli/api', '--semaphore', '--permits', '1');
      expect(held.exitCode).toBe(75);
      const { stdout } = await desk.run('inspect', 'cli/api#0');
      expect(stdout).toMatch(/^permit of +cli\/api$/m);
      await permit.release();
      expect((await run('cli/api', '--semaphore', '--permits', '1')).exitCode).toBe(0);
    });

    it('run --fair waits in line, and options that do not go together are refused', async () => {
      expect((await run('cli/turn', '--fair')).exitCode).toBe(0);
      for (const wrong of [['--semaphore'], ['--permits', '2'], ['--semaphore', '--permits', '2', '--fair']])
        expect((await run('cli/turn', ...wrong)).exitCode).toBe(2);
      expect((await run('cli/turn', '--semaphore', '--permits', '101')).exitCode).toBe(2);
      // The name of a permit is no plain lock's.
      for (const reserved of ['cli/api#0', 'cli/api#w']) expect((await run(reserved)).exitCode).toBe(2);
    });

    it('ls shows permits, readers and writers, and lines as what they are, of a group and of all', async () => {
      const group = 'cli-kit';
      const held = [
        await desk.locks.semaphore('cli/kit', { permits: 1 }).acquire({ group }),
        await desk.locks.readWriteLock('cli/kit', { readers: 1 }).acquireRead({ group }),
        await desk.locks.acquire('cli/queue', { group }),
      ];
      const end = new AbortController();
      const { signal } = end;
      const waits = [1, 2].map(() =>
        desk.locks.acquire('cli/queue', { fair: true, waitMs: 60_000, signal }).catch(() => {}),
      );
      await expect.poll(async () => (await desk.locks.context.store.readLine('cli/queue')).length).toBe(2);
      for (const args of [['--group', group], []]) {
        const { stdout } = await desk.run('ls', ...args);
        expect(stdout).toMatch(/^cli\/kit#0 .* permit of cli\/kit$/m);
        expect(stdout).toMatch(/^cli\/kit#r#0 .* reader of cli\/kit$/m);
        expect(stdout).toMatch(/^cli\/queue .* 2 in line$/m);
      }
      expect(JSON.parse((await desk.run('inspect', 'cli/kit#0', '--json')).stdout)).toMatchObject({
        ...{ name: 'cli/kit#0', inLine: 0, part: { role: 'permit', of: 'cli/kit' } },
      });
      const { stdout } = await desk.run('ls', '--group', group, '--json');
      expect(JSON.parse(stdout)).toMatchObject([
        { inLine: 0, part: { role: 'permit', of: 'cli/kit' } },
        { inLine: 0, part: { role: 'reader', of: 'cli/kit' } },
        { name: 'cli/queue', inLine: 2 },
      ]);
      end.abort('enough');
      await Promise.all(waits);
      for (const lease of held) await lease.release();
    });

    it('ask asks the holder to let go, and ls and inspect show it', async () => {
      const lease = await desk.locks.acquire('cli/asked', { group: 'cli-asked', owner: 'carol' });
      const asked = await desk.run('ask', 'cli/asked', '--reason', 'deployment');
      expect(asked).toMatchObject({ exitCode: 0, stderr: '"cli/asked": carol is asked to let go\n' });
      expect((await desk.run('ls', '--group', 'cli-asked')).stdout).toContain('held, asked');
      expect((await desk.run('inspect', 'cli/asked')).stdout).toMatch(/^asked to let go +deployment$/m);
      await lease.renew();
      expect(lease.releaseRequested.reason).toBe('deployment');
      await lease.release();
      const late = await desk.run('ask', 'cli/asked', '--json');
      expect({ code: late.exitCode, ...JSON.parse(late.stdout) }).toMatchObject({ code: 1, asked: false });
    });
  });

  it('run --lock-delay leaves a lease that ran out alone for so much longer', async () => {
    const atMs = Date.now() - 60_000;
    const numbers = { version: 7, leaseMs: 3_000, acquiredAt: atMs - 3_000, expiresAt: atMs, renewals: 0 };
    const Item = {
      ...{
        name: { S: 'ran-out' },
        format: { S: leaseFormat },
        leaseId: { S: 'gone' },
        owner: { S: 'frank' },
      },
      ...Object.fromEntries(Object.entries(numbers).map(([key, value]) => [key, { N: String(value) }])),
    };
    await desk.client.send(new PutItemCommand({ TableName: 'leases', Item }));
    const run = (...times: string[]) =>
      runCommand(['run', 'ran-out', ...times, ...desk.where, '--', 'echo', 'ran']);
    expect(await run('--lock-delay', '1h')).toMatchObject({ exitCode: 75, stdout: '' });
    expect(await run('--lock-delay', '1s')).toMatchObject({ exitCode: 0, stdout: 'ran\n' });
  });

  describe('inspect', () => {
    it('shows a lock that is free, but not yet', async () => {
      const run = (...options: string[]) =>
        runCommand(['run', 'not-yet', ...options, ...desk.where, '--', process.execPath, '-e', '0']);
      const first = await run('--min-hold', '5m');
      expect(first).toMatchObject({ exitCode: 0, stderr: '' });
      const { stdout } = await desk.run('inspect', 'not-yet');
      expect(stdout).toMatch(/^state +free, but not for [45]m/m);
      expect(stdout).toMatch(/^free from +20\d\d-/m);
      const held = await run('--lock-delay', '1s');
      expect(held.exitCode).toBe(75);
      expect(held.stderr).toContain('is free, but not before');
      const shown = JSON.parse((await desk.run('inspect', 'not-yet', '--json')).stdout);
      const broken = await desk.run('break', 'not-yet', shown.leaseId);
      expect(broken).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining('now anybody may take it'),
      });
      expect(await run()).toMatchObject({ exitCode: 0 });
    });

    it('shows all about a lock, with the lease id', async () => {
      const lease = await desk.locks.acquire('inspected', { owner: 'bob' });
      const { exitCode, stdout } = await desk.run('inspect', 'inspected');
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^state +held, /m);
      expect(stdout).toMatch(new RegExp(`^lease id +${lease.leaseId}$`, 'm'));
      expect(stdout).toMatch(new RegExp(`^token +${lease.token}$`, 'm'));
      const json = JSON.parse((await desk.run('inspect', 'inspected', '--json')).stdout);
      expect(json).toMatchObject({ name: 'inspected', leaseId: lease.leaseId, owner: 'bob', state: 'held' });
    });

    it('ends with 1 and says so when there is no such lock', async () => {
      const { exitCode, stdout, stderr } = await desk.run('inspect', 'nothing');
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(stderr).toBe('leasehold: There is no lock "nothing" in table "leases"\n');
    });

    it('tells an error as one JSON line on stderr with --json', async () => {
      const { exitCode, stdout, stderr } = await desk.run('inspect', 'nothing', '--json');
      expect({ exitCode, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({
        exitCode: 1,
        stdout: '',
        lines: 1,
      });
      const { error } = JSON.parse(stderr);
      expect(error).toMatchObject({ name: 'CommandFailure', code: 'NO_SUCH_LOCK', lockName: 'nothing' });
    });
  });

  describe('break', () => {
    it('ends the lease that it names, and says whose it was', async () => {
      const lease = await desk.locks.acquire('broken', { owner: 'carol' });
      const { exitCode, stdout } = await desk.run('break', 'broken', '--lease-id', lease.leaseId);
      expect(exitCode).toBe(0);
      expect(stdout).toContain(`the lease of carol (token ${lease.token}) is over`);
      expect(await desk.locks.inspect('broken')).toMatchObject({ state: 'free', token: lease.token });
    });

    it('takes the lease id as an argument, too, and says when that lease was over already', async () => {
      const lease = await desk.locks.acquire('broken twice');
      const first = await desk.run('break', 'broken twice', lease.leaseId, '--json');
      expect(JSON.parse(first.stdout)).toMatchObject({ name: 'broken twice', broken: true });
      const second = await desk.run('break', 'broken twice', lease.leaseId, '--json');
      expect(second.exitCode).toBe(0);
      expect(JSON.parse(second.stdout)).toMatchObject({ broken: false });
      // Nor is it said of whoever has the lock by then.
      expect(await lease.release()).toBe('lost');
      const next = await desk.locks.acquire('broken twice', { owner: 'erin' });
      const third = await desk.run('break', 'broken twice', lease.leaseId);
      expect(third.stdout).toBe(
        `Lease ${lease.leaseId} of "broken twice" was over already; nothing was changed.\n`,
      );
      expect(next.isHeld && (await desk.locks.inspect('broken twice'))?.leaseId).toBe(next.leaseId);
    });

    it('leaves another lease alone, ends with 1, and names the current one', async () => {
      const lease = await desk.locks.acquire('kept', { owner: 'dave' });
      const { exitCode, stdout, stderr } = await desk.run('break', 'kept', '--lease-id', 'some-other');
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(stderr).toContain(`the current one is ${lease.leaseId}, held by dave`);
      expect(await desk.locks.inspect('kept')).toMatchObject({ state: 'held', leaseId: lease.leaseId });
      const json = await desk.run('break', 'kept', 'some-other', '--json');
      expect(JSON.parse(json.stderr).error).toMatchObject({
        code: 'NOT_THE_CURRENT_LEASE',
        current: { leaseId: lease.leaseId, owner: 'dave' },
      });
    });

    it('asks for the lease id when it was not given', async () => {
      const { exitCode, stderr } = await desk.run('break', 'kept');
      expect(exitCode).toBe(2);
      expect(stderr).toContain('--lease-id');
    });
  });

  describe('reopen', () => {
    it('takes a completion back, once', async () => {
      await (await desk.locks.acquire('invoice')).complete({ paid: true });
      const { exitCode, stdout } = await desk.run('reopen', 'invoice');
      expect({ exitCode, stdout }).toEqual({
        exitCode: 0,
        stdout: 'Reopened "invoice": its completion and result are gone.\n',
      });
      expect(await desk.locks.inspect('invoice')).toMatchObject({ state: 'free', result: undefined });
      const again = await desk.run('reopen', 'invoice', '--json');
      expect(again.exitCode).toBe(0);
      expect(JSON.parse(again.stdout)).toMatchObject({ name: 'invoice', reopened: false, state: 'free' });
    });

    it('ends with 1 when it was completed anew meanwhile, and changes nothing', async () => {
      const item = (completedAt: number) => ({
        ...{ name: { S: 'moving' }, format: { S: leaseFormat }, version: { N: '7' } },
        completedAt: { N: String(completedAt) },
      });
      const refusal = errorAnswer('ConditionalCheckFailedException', 'the condition does not hold');
      await using server = await cannedServer((operation) =>
        operation === 'UpdateItem'
          ? { ...refusal, body: { ...refusal.body, Item: item(1_700_000_000_001) } }
          : { status: 200, body: { Item: item(1_700_000_000_000) } },
      );
      const { hostname, port } = await server.client.config.endpoint!();
      const told = await commandHere([
        'reopen',
        'moving',
        '--json',
        '--endpoint',
        `http://${hostname}:${port}`,
      ]);
      expect(told).toMatchObject({ exitCode: 1, stdout: '' });
      expect(JSON.parse(told.stderr).error).toMatchObject({ code: 'NOT_REOPENED', lockName: 'moving' });
    });

    it('ends with 1 when there is no such lock', async () => {
      expect(await desk.run('reopen', 'nothing')).toMatchObject({ exitCode: 1, stdout: '' });
    });
  });
});
