import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { guardOrphans } from '../../../bin/cli/run/run.js';
import { exitCodeOfSignal, sameWishMs } from '../../../bin/terminal/interruption.js';
import { LockClient } from '../../../lib/index.js';
import { twiceWithinAMillisecond } from '../../support/cli/double-signal.js';
import { type RunInTerminal, type Running, runInTerminal } from '../../support/cli/run-in-terminal.js';
import { stallingProxy } from '../../support/cli/stalling-proxy.js';
import { descendants, isAlive } from '../../support/local/child-processes.js';
import { until } from '../../support/until.js';

/** Says that it runs, with its pid, and goes on until it is ended. */
const runsOn = 'setInterval(() => {}, 1000); console.log("pid", process.pid);';
const ignores = (signal: string) => `process.on("${signal}", () => console.log("got ${signal}"));`;
/** Starts a second process of the same kind in its group. */
const withChild = (script: string, own = script) =>
  `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(script)}], { stdio: "inherit" }); ${own}`;

describe.skipIf(process.platform === 'win32')('C44 run and its signals', () => {
  let desk: RunInTerminal;
  /** Waits so much longer before it takes a lease over that a busy machine has killed what it was to kill by then. */
  let patient: LockClient;
  const started: number[] = [];
  async function open(): Promise<void> {
    desk = await runInTerminal();
    patient = new LockClient({ table: 'leases', client: desk.client, skewMs: 3_000 });
  }
  async function close(): Promise<void> {
    await patient?.close();
    await desk?.[Symbol.asyncDispose]();
  }
  beforeAll(open);
  afterAll(close);
  // What a test that failed left running holds its lock: a second try of it needs a table where the lock is free.
  afterEach(async () => {
    let left = 0;
    for (const pid of started.splice(0))
      if (await isAlive(pid)) {
        process.kill(pid, 'SIGKILL');
        left++;
      }
    if (left === 0) return;
    await close();
    await open();
  });

  /** The pids that have been said, as soon as there are so many, or the run has ended. */
  async function pids(running: Running, count = 1): Promise<number[]> {
    const found = () => [...running.stdout().matchAll(/^pid (\d+)$/gm)].map(([, pid]) => Number(pid));
    const hasEnded = () => running.child.exitCode !== null;
    await until(`${count} processes run`, () => found().length >= count || hasEnded());
    started.push(...found(), running.child.pid!);
    return found();
  }
  const allGone = async (list: readonly number[]) =>
    (await Promise.all(list.map(isAlive))).every((alive) => !alive);
  const state = async (name: string) => (await desk.locks.inspect(name))?.state;

  it('C44 passes signals on, to all that the command has started, and lets the command decide', async () => {
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'];
    const script = `${signals.map(ignores).join('')} ${runsOn}`;
    const running = desk.node('passed-on', withChild(script));
    const [leader] = await pids(running, 2);
    for (const signal of signals) {
      running.child.kill(signal as NodeJS.Signals);
      const told = () => running.stdout().match(new RegExp(`^got ${signal}$`, 'gm'))?.length;
      await until(`both got ${signal}`, () => told() === 2);
    }
    expect(await state('passed-on')).toBe('held');
    process.kill(-leader!, 'SIGKILL');
    expect((await running.ended).exitCode).toBe(137);
    expect(await state('passed-on')).toBe('free');
  });

  it('D22 a command that npm runs gets Ctrl-C once, and the next one a moment later', async () => {
    const running = desk.node('once', `${ignores('SIGINT')} ${runsOn}`);
    await pids(running);
    const told = () => running.stdout().match(/^got SIGINT$/gm)?.length ?? 0;
    twiceWithinAMillisecond(running.child);
    await until('it was told', () => told() > 0);
    await sleep(sameWishMs);
    running.child.kill('SIGINT');
    await until('it was told again', () => told() > 1);
    running.child.kill('SIGTERM');
    expect((await running.ended).exitCode).toBe(143);
    expect(told()).toBe(2);
  });

  it('D22 a wait that npm’s two signals end is ended in order', async () => {
    await using _lease = await desk.locks.acquire('waited-once');
    const running = desk.run('waited-once', ['--wait', '1h'], process.execPath, '-e', '');
    await running.saidOnStderr('waiting for');
    twiceWithinAMillisecond(running.child);
    const { exitCode, stderr } = await running.ended;
    // The second may come while Node takes itself down, when no listener can stand any more: a shell sees 130 as well.
    expect(exitCode ?? exitCodeOfSignal(running.child.signalCode!)).toBe(130);
    expect(stderr).toContain('stopped by SIGINT; "waited-once" is not held');
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('C34 C44 %s ends the command and releases the lock: exit code %i', async (signal, code) => {
    const name = `released-at-${signal}`;
    const running = desk.node(name, runsOn);
    const list = await pids(running);
    running.child.kill(signal);
    expect((await running.ended).exitCode).toBe(code);
    expect(await state(name)).toBe('free');
    expect(await allGone(list)).toBe(true);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('C44 a wait is interrupted by %s: nothing is left, exit code %i', async (signal, code) => {
    const name = `waited-for-at-${signal}`;
    const lease = await desk.locks.acquire(name);
    const running = desk.run(name, ['--wait', '1h'], process.execPath, '-e', 'console.log("ran")');
    await running.saidOnStderr('waiting for');
    running.child.kill(signal);
    const { exitCode, stdout, stderr } = await running.ended;
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' });
    expect(stderr).toContain(`stopped by ${signal}; "${name}" is not held, and the command was not run`);
    await lease.release();
    expect(await state(name)).toBe('free');
  });

  it('C44 on loss the whole group gets SIGTERM, and SIGKILL after the grace: exit code 76', async () => {
    const running = desk.node('broken', withChild(`${ignores('SIGTERM')} ${runsOn}`));
    const list = await pids(running, 2);
    await desk.locks.break('broken', (await desk.locks.inspect('broken'))!.leaseId!);
    const { exitCode, stdout, stderr } = await running.ended;
    expect(exitCode).toBe(76);
    expect(stdout.match(/^got SIGTERM$/gm)).toHaveLength(2);
    expect(stderr).toMatch(/^leasehold: Lost lock "broken" \(token \d+\): broken; .* is told to end$/m);
    expect(await allGone(list)).toBe(true);
  });

  it('C44 a command whose lock somebody has taken over already has no grace', async () => {
    const running = desk.node('taken-over', `${ignores('SIGTERM')} ${runsOn}`);
    const list = await pids(running);
    const { owner } = (await desk.locks.inspect('taken-over'))!;
    await using next = await desk.locks.acquire('taken-over', { owner: owner!, supersede: true });
    const { exitCode, stdout, stderr } = await running.ended;
    expect({ exitCode, isHeld: next.isHeld }).toEqual({ exitCode: 76, isHeld: true });
    expect(stderr).toContain('taken-over');
    expect(stdout).not.toContain('got SIGTERM');
    expect(await allGone(list)).toBe(true);
  });

  it('C44 on loss a group that somebody has stopped goes on, to end in order', async () => {
    const ends = 'process.on("SIGTERM", () => { console.log("in order"); process.exit(0) });';
    const running = desk.node('stopped-group', `${ends} ${runsOn}`);
    const [leader] = await pids(running);
    process.kill(-leader!, 'SIGSTOP');
    await desk.locks.break('stopped-group', (await desk.locks.inspect('stopped-group'))!.leaseId!);
    expect(await running.ended).toMatchObject({ exitCode: 76, stdout: expect.stringContaining('in order') });
  });

  it('C44 a command that ends well under a lock that it lost on the way is 76, whatever it says', async () => {
    const running = desk.node('lost-at-the-end', `process.on("SIGTERM", () => process.exit(0)); ${runsOn}`);
    await pids(running);
    await desk.locks.break('lost-at-the-end', (await desk.locks.inspect('lost-at-the-end'))!.leaseId!);
    expect((await running.ended).exitCode).toBe(76);
  });

  it('C44 a command that ends before anybody noticed the loss is 76, too: the release finds it', async () => {
    const running = desk.node('lost-unnoticed', `process.on("SIGUSR1", () => process.exit(0)); ${runsOn}`);
    await pids(running);
    await desk.locks.break('lost-unnoticed', (await desk.locks.inspect('lost-unnoticed'))!.leaseId!);
    running.child.kill('SIGUSR1');
    expect((await running.ended).exitCode).toBe(76);
  });

  it('C44 C31 cut off from the store, the command gets SIGTERM before its lease ends', async () => {
    await using proxy = await stallingProxy(desk.dynamo.endpoint);
    const script = `process.on("SIGTERM", () => { console.log("told at", Date.now()); process.exit(0) }); ${runsOn}`;
    // Long enough that a renewal is seen to fail before the lease is in danger, on a busy machine, too.
    const options = ['--lease', '10s', '--endpoint', proxy.endpoint];
    const running = desk.run('cut-off', options, process.execPath, '-e', script);
    const list = await pids(running);
    proxy.stall();
    const { exitCode, stdout, stderr } = await running.ended;
    expect(exitCode).toBe(76);
    expect(stderr).toContain('store-unavailable');
    // The engine runs on this machine's clock.
    const toldAt = Number(/told at (\d+)/.exec(stdout)![1]);
    expect(toldAt).toBeLessThan((await desk.locks.inspect('cut-off'))!.expiresAt!);
    expect(await allGone(list)).toBe(true);
  });

  it.each([
    ['D23 with little more lease than its grace needs', ['--lease', '8s', '--grace', '6s']],
    ['D51 with a lease alone, shorter than three times the default grace', ['--lease', '15s']],
  ])(
    '%s: cut off, a command that ignores SIGTERM is dead when another holder has the lock',
    async (what, times) => {
      for (let isCutOff = false; !isCutOff; ) {
        await using proxy = await stallingProxy(desk.dynamo.endpoint);
        const script = withChild(`${ignores('SIGTERM')} ${runsOn}`);
        const args = ['run', what, ...times, '--table', 'leases', '--endpoint', proxy.endpoint];
        const running = desk.bare(...args, '--', process.execPath, '-e', script);
        const list = await pids(running, 2);
        proxy.stall();
        await using next = await patient.acquire(what, { waitMs: 60_000 });
        expect(await allGone(list)).toBe(true);
        const { exitCode, stdout } = await running.ended;
        // Where the machine stood still for longer than a request may take, there was no lock, or it was lost, and given back.
        isCutOff = next.takenOverFrom !== undefined;
        expect(isCutOff ? [76] : [76, 69]).toContain(exitCode);
        if (isCutOff) expect(stdout.match(/^got SIGTERM$/gm)).toHaveLength(2);
      }
    },
    180_000,
  );

  it('D23 killed outright, it leaves no command behind that ignores SIGTERM when another holder has the lock', async () => {
    const running = desk.node('orphaned', withChild(`${ignores('SIGTERM')} ${runsOn}`));
    const list = await pids(running, 2);
    running.child.kill('SIGKILL');
    await using _next = await patient.acquire('orphaned', { waitMs: 60_000 });
    expect(await allGone(list)).toBe(true);
    await running.ended;
  });

  it('D23 what ends a command that is left behind is gone with the run, and has told nobody to end', async () => {
    const script = `process.on("SIGTERM", () => process.exit(7)); ${runsOn}`;
    const left = spawn(process.execPath, ['-e', script], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    started.push(left.pid!);
    await once(left.stdout!, 'data');
    const before = await descendants();
    guardOrphans(left.pid!, 0)[Symbol.dispose]();
    await until('nothing is left of it', async () => {
      const now = await descendants();
      return now.every((pid) => before.includes(pid));
    });
    expect(await isAlive(left.pid!)).toBe(true);
  });

  it('C44 C36 stopped past its lease and woken, it ends the command, and only then gives the lock back', async () => {
    // The command itself ends at once; what it has started does not.
    const running = desk.node('frozen', withChild(`${ignores('SIGTERM')} ${runsOn}`, runsOn));
    const list = await pids(running, 2);
    running.child.kill('SIGSTOP');
    await until('the lease has run out', async () => (await state('frozen')) === 'expired');
    running.child.kill('SIGCONT');
    await until('given back', async () => (await state('frozen')) === 'free');
    expect(await allGone(list)).toBe(true);
    expect(await running.ended).toMatchObject({ exitCode: 76 });
  });

  it('C44 C36 stopped and woken in danger, it gives the lock back when all that it started has had its grace', async () => {
    const script = withChild(`${ignores('SIGTERM')} ${runsOn}`, runsOn);
    const running = desk.run('in-danger', ['--lease', '6s', '--grace', '4s'], process.execPath, '-e', script);
    const list = await pids(running, 2);
    running.child.kill('SIGSTOP');
    const leftMs = async () => (await desk.locks.inspect('in-danger'))?.remainingMs ?? 0;
    await until('it is in danger', async () => (await leftMs()) < 3_500);
    running.child.kill('SIGCONT');
    await until('given back', async () => (await state('in-danger')) === 'free');
    expect(await allGone(list)).toBe(true);
    expect(await running.ended).toMatchObject({ exitCode: 76 });
  });

  it.skipIf(process.platform !== 'linux')(
    'C44 Ctrl-Z stops the command, too; continued within its lease it goes on',
    async () => {
      const running = desk.run('stopped', ['--lease', '30s'], process.execPath, '-e', runsOn);
      const list = [...(await pids(running)), running.child.pid!];
      running.child.kill('SIGTSTP');
      await until('both are stopped', async () => (await Promise.all(list.map(isStopped))).every(Boolean));
      running.child.kill('SIGCONT');
      await until('both go on', async () => !(await Promise.all(list.map(isStopped))).some(Boolean));
      running.child.kill('SIGTERM');
      expect((await running.ended).exitCode).toBe(143);
    },
  );

  it.skipIf(process.platform !== 'linux')(
    'C44 Ctrl-Z while the command is being started stops both, too',
    async () => {
      // The first thing that the command does.
      const script = 'kill -s TSTP "$PPID"; echo "pid $$"; exec sleep 60';
      const running = desk.run('stopped-at-once', ['--lease', '30s'], '/bin/sh', '-c', script);
      const list = [...(await pids(running)), running.child.pid!];
      await until('both are stopped', async () => (await Promise.all(list.map(isStopped))).every(Boolean));
      running.child.kill('SIGCONT');
      await until('both go on', async () => !(await Promise.all(list.map(isStopped))).some(Boolean));
      running.child.kill('SIGTERM');
      expect((await running.ended).exitCode).toBe(143);
    },
  );

  it.skipIf(process.platform !== 'linux')(
    'C44 C36 Ctrl-Z past the lease: the command never goes on but to be ended',
    async () => {
      // So often that it would be heard between going on and being ended.
      const beats = 'setInterval(() => console.log("beat"), 1); console.log("pid", process.pid);';
      const running = desk.node('stopped-for-long', beats);
      const list = await pids(running);
      running.child.kill('SIGTSTP');
      await until(
        'stopped',
        async () => (await isStopped(list[0]!)) && (await isStopped(running.child.pid!)),
      );
      await until('the lease has run out', async () => (await state('stopped-for-long')) === 'expired');
      const before = running.stdout();
      running.child.kill('SIGCONT');
      const { exitCode, stdout } = await running.ended;
      expect(exitCode).toBe(76);
      expect(stdout).toBe(before);
    },
  );
});

async function isStopped(pid: number): Promise<boolean> {
  return /\) T /.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''));
}
