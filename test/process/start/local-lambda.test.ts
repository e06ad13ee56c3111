import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type LocalFunction,
  type LocalLambda,
  startLocalLambda,
} from '../../../bin/start/state-machine/index.js';
import { fixture, isAlive, until } from '../../support/start/processes.js';

const running: LocalLambda[] = [];
const messages: unknown[] = [];
const exits: string[] = [];

async function start(settings: Partial<LocalFunction> = {}): Promise<LocalLambda> {
  const lambda = await startLocalLambda({
    functions: { acting: { handler: fixture('acting-handler'), ...settings } },
    onMessage: (_, message) => messages.push(message),
    onExit: (_, how) => exits.push(how),
  });
  running.push(lambda);
  return lambda;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((lambda) => lambda.stop()));
  messages.length = 0;
  exits.length = 0;
});

const pidOf = async (answer: Promise<unknown>) => ((await answer) as { pid: number }).pid;

describe('execution environments', () => {
  it('are used again when idle, and added when none is', async () => {
    const lambda = await start();
    const first = await pidOf(lambda.invoke('acting', { act: 'answer' }));
    expect(await pidOf(lambda.invoke('acting', { act: 'answer' }))).toBe(first);
    const both = await Promise.all([
      pidOf(lambda.invoke('acting', { act: 'answer', afterMs: 100 })),
      pidOf(lambda.invoke('acting', { act: 'answer', afterMs: 100 })),
    ]);
    expect(new Set(both).size).toBe(2);
    expect(both).toContain(first);
    expect(first).not.toBe(process.pid);
  });

  it('see only what they are given', async () => {
    process.env.AWS_PROFILE_OF_A_TEST = 'leaked';
    const lambda = await start({ env: { GIVEN: 'yes' } });
    const env = (await lambda.invoke('acting', { act: 'env' })) as Record<string, string>;
    delete process.env.AWS_PROFILE_OF_A_TEST;
    expect(env).toMatchObject({
      GIVEN: 'yes',
      AWS_LAMBDA_FUNCTION_NAME: 'acting',
      AWS_ACCESS_KEY_ID: 'local',
    });
    expect(env.AWS_PROFILE_OF_A_TEST).toBeUndefined();
    expect(env.HOME).toBeUndefined();
  });

  it('get a context with the time that is left', async () => {
    const lambda = await start({ timeoutMs: 5_000 });
    const { requestId, remainingMs } = (await lambda.invoke('acting', { act: 'context' })) as {
      requestId: string;
      remainingMs: number;
    };
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(remainingMs).toBeGreaterThan(3_000);
    expect(remainingMs).toBeLessThanOrEqual(5_000);
  });

  it('answer null where the handler returns nothing', async () => {
    const lambda = await start();
    expect(await lambda.invoke('acting', { act: 'undefined' })).toBeNull();
  });

  it('are limited, as concurrency is', async () => {
    const lambda = await start({ maxEnvironments: 1 });
    const first = lambda.invoke('acting', { act: 'answer', afterMs: 100 });
    await expect(lambda.invoke('acting', { act: 'answer' })).rejects.toMatchObject({
      name: 'Lambda.TooManyRequestsException',
    });
    await first;
  });
});

describe('what goes wrong has the name that Lambda gives it', () => {
  it("a handler's own error keeps its name", async () => {
    const lambda = await start();
    await expect(lambda.invoke('acting', { act: 'throw', name: 'UsageError' })).rejects.toMatchObject({
      name: 'UsageError',
      message: 'as told',
    });
  });

  it.each([
    ['die', 'signal: SIGKILL'],
    ['exit', 'exit status 3'],
  ])('a process that ends in mid-invocation (%s) is Runtime.ExitError', async (act, how) => {
    const lambda = await start();
    await expect(lambda.invoke('acting', { act })).rejects.toMatchObject({
      name: 'Runtime.ExitError',
      message: expect.stringContaining(how),
    });
    expect(exits).toEqual([how]);
    expect(await pidOf(lambda.invoke('acting', { act: 'answer' }))).toBeGreaterThan(0);
  });

  it('a kill from outside is one, too', async () => {
    const lambda = await start();
    const hanging = lambda.invoke('acting', { act: 'hang' });
    const refused = expect(hanging).rejects.toMatchObject({ name: 'Runtime.ExitError' });
    const [environment] = lambda.environments();
    expect(lambda.kill(environment?.pid ?? 0)).toBe(true);
    await refused;
    expect(lambda.kill(environment?.pid ?? 0)).toBe(false);
  });

  it('a time-out is Sandbox.Timedout, and the process is gone', async () => {
    const lambda = await start({ timeoutMs: 300 });
    const pid = await pidOf(lambda.invoke('acting', { act: 'answer' }));
    await expect(lambda.invoke('acting', { act: 'hang' })).rejects.toMatchObject({
      name: 'Sandbox.Timedout',
      message: expect.stringContaining('Task timed out after 0.30 seconds'),
    });
    await until(() => !isAlive(pid), 'the process is gone');
  });

  it('a module without a handler is Runtime.HandlerNotFound', async () => {
    const lambda = await start({ handler: fixture('no-handler') });
    await expect(lambda.invoke('acting', {})).rejects.toMatchObject({ name: 'Runtime.HandlerNotFound' });
    // Lambda throws such an environment away; the next invocation starts another one and fails the same way.
    await expect(lambda.invoke('acting', {})).rejects.toMatchObject({ name: 'Runtime.HandlerNotFound' });
    await until(() => lambda.environments().length === 0, 'no environment is left');
  });

  it('an unknown function is refused', async () => {
    const lambda = await start();
    await expect(lambda.invoke('other', {})).rejects.toMatchObject({
      name: 'Lambda.ResourceNotFoundException',
    });
  });
});

describe('pauses and ends', () => {
  it('a frozen idle process is given nothing new', async () => {
    const lambda = await start();
    const pid = await pidOf(lambda.invoke('acting', { act: 'answer' }));
    expect(lambda.freeze(pid)).toBe(true);
    expect(await pidOf(lambda.invoke('acting', { act: 'answer' }))).not.toBe(pid);
    expect(lambda.thaw(pid)).toBe(true);
  });

  it('a process frozen in mid-invocation answers after the thaw', async () => {
    const lambda = await start();
    const pid = await pidOf(lambda.invoke('acting', { act: 'answer' }));
    const slow = lambda.invoke('acting', { act: 'answer', afterMs: 50 });
    lambda.freeze(pid);
    const first = await Promise.race([
      slow.then(() => 'answered'),
      new Promise((r) => setTimeout(r, 400, 'silent')),
    ]);
    expect(first).toBe('silent');
    lambda.thaw(pid);
    expect(await pidOf(slow)).toBe(pid);
  });

  it('abort rejects at once and kills the process', async () => {
    const lambda = await start();
    const pid = await pidOf(lambda.invoke('acting', { act: 'answer' }));
    const controller = new AbortController();
    const hanging = lambda.invoke('acting', { act: 'hang' }, controller.signal);
    controller.abort();
    await expect(hanging).rejects.toMatchObject({ name: 'LocalLambdaStopped' });
    await until(() => !isAlive(pid), 'the process is gone');
  });

  it('nothing is left after stop: no process, not even a frozen one, no file, no listener', async () => {
    const before = { temporary: temporary(), listeners: process.listenerCount('SIGINT') };
    const lambda = await start();
    const hanging = lambda.invoke('acting', { act: 'hang' });
    const refused = expect(hanging).rejects.toMatchObject({ name: 'Runtime.ExitError' });
    const idle = await pidOf(lambda.invoke('acting', { act: 'answer' }));
    lambda.freeze(idle);
    const pids = lambda.environments().map((environment) => environment.pid);
    expect(pids).toHaveLength(2);
    await Promise.all([lambda.stop(), lambda.stop()]);
    await refused;
    expect(pids.filter(isAlive)).toEqual([]);
    expect({ temporary: temporary(), listeners: process.listenerCount('SIGINT') }).toEqual(before);
    await expect(lambda.invoke('acting', { act: 'answer' })).rejects.toMatchObject({
      name: 'LocalLambdaStopped',
    });
  });
});

it('a preload module forwards what happens inside', async () => {
  const lambda = await start({
    handler: fixture('publishing-handler'),
    preload: [fixture('forward-events')],
  });
  await lambda.invoke('acting', { hello: 'world' });
  await until(() => messages.length > 0, 'a message');
  expect(messages).toEqual([{ forwarded: { event: { hello: 'world' } } }]);
});

/** Compiled modules of this process's runtimes; other test files may have theirs. */
function temporary(): number {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(`leasehold-run-${process.pid}-`)).length;
}
