import { type ChildProcess, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { above } from '../../support/above.js';
import { compiled } from '../../support/compiled.js';
import { until } from '../../support/until.js';
import { useStage } from '../../support/use-stage.js';

const fixture = compiled(join(import.meta.dirname, '..', '..', 'support', 'client', 'hold-until-told.ts'));

/** What the process tells, in the order in which it tells it. */
// biome-ignore lint/suspicious/noExplicitAny: messages of the fixture
type Told = any;

describe.skipIf(process.platform === 'win32')('a process that holds a lease and gets a signal', () => {
  const stage = useStage();
  let children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL');
    children = [];
  });

  /** A process that holds the lock; `next` is the next thing that it tells. */
  async function holder(name: string, how: 'aborts' | 'saves-when-woken') {
    const args = ['--no-warnings', fixture, stage.it.dynamo.endpoint, name, how];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    children.push(child);
    const messages = on(child, 'message');
    const next = async () => (await messages.next()).value[0] as Told;
    const { held: token } = await next();
    return { child, next, token, exited: once(child, 'exit') };
  }

  it.each(['SIGINT', 'SIGTERM'] as const)('C34 %s that aborts the work releases the lock', async (signal) => {
    const name = stage.name();
    const { child, next, token, exited } = await holder(name, 'aborts');
    expect(await stage.it.item(name)).toMatchObject({ version: token, leaseId: expect.any(String) });
    child.kill(signal);
    expect(await next()).toEqual({ outcome: `stopped by ${signal}` });
    const item = await stage.it.item(name);
    expect(item).toMatchObject({ version: token });
    expect(item).not.toHaveProperty('leaseId');
    await exited;
  });

  it('C34 I6 a process that is killed can’t release: its lease ends by itself, there is none without an end', async () => {
    const name = stage.name();
    const { child, token } = await holder(name, 'aborts');
    const { locks } = await stage.it.readyActor();
    child.kill('SIGKILL');
    const lease = await locks.acquire(name, { waitMs: 60_000 });
    expect(lease).toMatchObject({ token: above(token), takenOverFrom: { token } });
    await lease.release();
  });

  it('C36 stopped past its lease and woken: told that it is lost, before any write', async () => {
    const name = stage.name();
    const { child, next, token } = await holder(name, 'saves-when-woken');
    child.kill('SIGSTOP');
    const { locks } = await stage.it.readyActor();
    const newer = await locks.acquire(name, { waitMs: 60_000 });
    expect(newer.token).toBeGreaterThan(token);
    const before = await stage.it.item(name);
    child.send('go on');
    child.kill('SIGCONT');
    // One write is that of its grant.
    const told = await next();
    expect(told).toEqual({ isHeld: false, saving: 'LockLostError', reason: 'expired', writes: 1 });
    expect(await next()).toEqual({ outcome: expect.stringContaining('Lost lock') });
    await until('ended', () => child.exitCode !== null);
    const after = (await stage.it.item(name))!;
    expect(after).toMatchObject({ version: newer.token, leaseId: newer.leaseId });
    expect(after).not.toHaveProperty('checkpoint');
    expect(after.expiresAt).toBeGreaterThanOrEqual(before!.expiresAt!);
    await newer.release();
  });
});
