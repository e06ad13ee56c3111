import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandHere } from '../../support/cli/command-here.js';
import { type RunInTerminal, runInTerminal } from '../../support/cli/run-in-terminal.js';
import { until } from '../../support/until.js';

describe('run', () => {
  let desk: RunInTerminal;
  beforeAll(async () => {
    desk = await runInTerminal();
  });
  afterAll(() => desk?.[Symbol.asyncDispose]());

  it('runs the command under the lock, on its own streams, with name and token in its environment', async () => {
    const script = 'console.log(JSON.stringify([process.env.LEASEHOLD_NAME, process.env.LEASEHOLD_TOKEN]))';
    const { exitCode, stdout, stderr } = await desk.node('a name', script, 'with', '--json').ended;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const lock = await desk.locks.inspect('a name');
    expect(lock).toMatchObject({ state: 'free' });
    expect(JSON.parse(stdout)).toEqual(['a name', String(lock!.token)]);
  });

  it('holds the lock while the command runs, and for longer than its lease', async () => {
    const script = 'process.stdin.resume(); setInterval(() => {}, 1000); console.log("up")';
    const running = desk.run('long', ['--lease', '5s'], process.execPath, '-e', script);
    await running.said('up');
    const { leaseId } = (await desk.locks.inspect('long'))!;
    await until(
      'renewed past its lease',
      async () => ((await desk.locks.inspect('long'))?.renewals ?? 0) > 4,
    );
    expect(await desk.locks.inspect('long')).toMatchObject({ state: 'held', leaseId });
    running.child.kill('SIGTERM');
    expect((await running.ended).exitCode).toBe(143);
  });

  it.each([
    ['an exit code', 'process.exit(7)', 7],
    ['a signal', 'process.kill(process.pid, "SIGKILL")', 137],
  ])('C44 ends as the command does: %s', async (_what, script, code) => {
    const { exitCode } = await desk.node('ends', script).ended;
    expect(exitCode).toBe(code);
    expect(await desk.locks.inspect('ends')).toMatchObject({ state: 'free' });
  });

  it('tells how it went in one JSON line on stderr with --json: stdout is the command’s', async () => {
    const { stdout, stderr } = await desk.run('report', ['--json'], 'node', '-e', 'console.log("mine")')
      .ended;
    expect(stdout).toBe('mine\n');
    const { token } = (await desk.locks.inspect('report'))!;
    expect(JSON.parse(stderr)).toEqual({
      ...{ name: 'report', token, exitCode: 0, commandExitCode: 0, signal: null, lost: null },
    });
  });

  it('ends with 75 when the lock is held, says by whom, and does not run the command', async () => {
    await using lease = await desk.locks.acquire('taken', { owner: 'alice' });
    const { exitCode, stdout, stderr } = await desk.node('taken', 'console.log("ran")').ended;
    expect({ exitCode, stdout }).toEqual({ exitCode: 75, stdout: '' });
    expect(stderr).toMatch(/^leasehold: Lock "taken" is held by alice \(token \d+, \d+ ms left\)/);
    const json = await desk.run('taken', ['--json', '--wait', '100ms'], 'node', '-e', 'console.log("ran")')
      .ended;
    expect(json).toMatchObject({ exitCode: 75, stdout: '' });
    expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'LOCK_HELD', lockName: 'taken' });
    expect(lease.isHeld).toBe(true);
  });

  it('waits for as long as it is told to, says whom for, and then runs', async () => {
    const lease = await desk.locks.acquire('awaited', { owner: 'bob' });
    const running = desk.run('awaited', ['--wait', '1m'], 'node', '-e', 'console.log("ran")');
    await running.saidOnStderr('waiting for "awaited", held by bob');
    await lease.release();
    expect(await running.ended).toMatchObject({ exitCode: 0, stdout: 'ran\n' });
  });

  it('ends with 127 for a command that is not there, and gives the lock back', async () => {
    const { exitCode, stderr } = await desk.run('absent', [], 'no-such-command-here').ended;
    expect(exitCode).toBe(127);
    expect(stderr).toBe('leasehold: there is no command "no-such-command-here"; the lock is given back\n');
    expect(await desk.locks.inspect('absent')).toMatchObject({ state: 'free' });
  });

  it('ends with 126 for a file that can’t be executed, and gives the lock back', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'leasehold-run-'));
    const file = join(folder, 'plain');
    await writeFile(file, 'no program');
    await chmod(file, 0o644);
    const { exitCode, stderr } = await desk.run('plain', [], file).ended;
    await rm(folder, { recursive: true });
    expect(exitCode).toBe(126);
    expect(stderr).toMatch(/^leasehold: ".*plain" can't be executed: .*; the lock is given back\n$/);
    expect(await desk.locks.inspect('plain')).toMatchObject({ state: 'free' });
  });

  it('shows an example and its exit codes in its help', async () => {
    const { exitCode, stdout } = await commandHere(['run', '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('75 held by somebody else, 76 lost');
    expect(stdout).toContain('Example:\n  $ leasehold run ');
  });

  it.each([
    ['no command', ['x'], 'missing required argument'],
    [
      'a lease that no request fits into',
      ['x', '--lease', '10ms', '--', 'true'],
      '--lease: must be at least 900ms',
    ],
    ['a name that can’t be one', ['', '--', 'true'], 'Lock name: must be 1 to 1024 bytes'],
    [
      'a grace that no lease has room for',
      ['x', '--lease', '3s', '--grace', '3s', '--', 'true'],
      'a grace of at most 2400ms, or a lease of at least 3600ms',
    ],
  ])('ends with 2 for %s', async (_what, args, words) => {
    const { exitCode, stderr } = await commandHere(['run', ...desk.where, ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(words);
  });
});
