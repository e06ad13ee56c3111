import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundleLambda } from '../../../bin/build/lambda-bundles.js';
import {
  type LocalFunction,
  type LocalLambda,
  startLocalLambda,
} from '../../../bin/start/state-machine/index.js';
import { above } from '../../support/above.js';
import type { LockedEvent } from '../../support/lambda/locked-function.js';
import { lambdaFixture } from '../../support/lambda/scan-bench.js';
import { until } from '../../support/until.js';
import { useStage } from '../../support/use-stage.js';

interface Told {
  readonly told: string;
  readonly pid: number;
  readonly token?: number;
}

interface Answer {
  readonly token: number;
  readonly owner: string;
  readonly pid: number;
}

const shortLease = { leaseMs: 4_000, renewEveryMs: 500, safetyMarginMs: 200 };
const shortRequests = { requestTimeoutMs: 1_500, maxAttempts: 2, skewMs: 100 };

/** The wrapper in a bundled function, whose execution environments are processes of their own. */
describe('a function under a lock', () => {
  const stage = useStage();
  const running: LocalLambda[] = [];
  let told: Told[] = [];
  let home: string;
  let handler: string;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'leasehold-locked-function-'));
    handler = (await bundleLambda(lambdaFixture('locked-function'), home)).path;
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  const start = async (
    options: object = {},
    settings: Partial<LocalFunction> & { readonly supersede?: boolean } = {},
  ) => {
    const { supersede, ...own } = settings;
    const { endpoint } = stage.it.dynamo;
    const locks = { table: stage.it.table, endpoint, ...shortRequests };
    const lambda = await startLocalLambda({
      functions: {
        locked: {
          handler,
          env: {
            OPTIONS: JSON.stringify({ locks, ...shortLease, ...options }),
            ...(supersede && { SUPERSEDE: 'yes' }),
          },
          ...own,
        },
      },
      onMessage: (_, message) => told.push(message as Told),
    });
    running.push(lambda);
    return {
      lambda,
      invoke: (event: LockedEvent) => lambda.invoke('locked', event) as Promise<Answer>,
    };
  };

  afterEach(async () => {
    await Promise.all(running.splice(0).map((lambda) => lambda.stop()));
    told = [];
  });

  const tells = (what: string, times = 1) =>
    until(what, () => told.filter((one) => one.told === what).length >= times);
  const holder = async (name: string) => (await stage.it.item(name))?.leaseId;

  it('holds nothing when it has answered, and keeps its client over invocations', async () => {
    const name = stage.name();
    const { invoke } = await start();
    const first = await invoke({ name, act: 'answer' });
    expect(await holder(name)).toBeUndefined();
    const second = await invoke({ name, act: 'answer' });
    expect(second).toEqual({ ...first, token: above(first.token) });
    expect(await holder(name)).toBeUndefined();
  });

  it('C26 holds nothing when it has thrown: the error is its own', async () => {
    const name = stage.name();
    const { invoke } = await start();
    await expect(invoke({ name, act: 'throw' })).rejects.toMatchObject({ name: 'WorkFailed' });
    expect(await holder(name)).toBeUndefined();
  });

  it('C35 does not run into the time-out: told before, its lock given back, and the next one waits for nothing', async () => {
    const name = stage.name();
    const { invoke } = await start({ marginMs: 2_500 }, { timeoutMs: 6_000 });
    await expect(invoke({ name, act: 'deaf' })).rejects.toMatchObject({
      name: 'LockLostError',
      message: expect.stringContaining('max-hold'),
    });
    expect(told.map((one) => one.told)).toEqual(['granted', 'aborted']);
    expect(await holder(name)).toBeUndefined();
    const next = await invoke({ name, act: 'answer' });
    // The environment was not killed. What the handler left running in it has the older token.
    expect(next).toMatchObject({ pid: told[0]?.pid, token: above(told[0]!.token!) });
  });

  it('C35 stops in time when it listens to its signal, with an error of its own', async () => {
    const name = stage.name();
    const { invoke } = await start({ marginMs: 2_500 }, { timeoutMs: 6_000 });
    await expect(invoke({ name, act: 'obedient' })).rejects.toMatchObject({ name: 'WorkStopped' });
    expect(await holder(name)).toBeUndefined();
  });

  it('C36 holds nothing while its environment is frozen, and goes on when that is thawed', async () => {
    const name = stage.name();
    const { lambda, invoke } = await start();
    const first = await invoke({ name, act: 'answer' });
    lambda.freeze(first.pid);
    expect(await holder(name)).toBeUndefined();
    const elsewhere = await invoke({ name, act: 'answer' });
    expect(elsewhere).toMatchObject({ token: above(first.token) });
    expect(elsewhere.pid).not.toBe(first.pid);
    lambda.freeze(elsewhere.pid);
    lambda.thaw(first.pid);
    expect(await invoke({ name, act: 'answer' })).toMatchObject({
      pid: first.pid,
      token: above(first.token),
    });
  });

  it('C36 frozen in mid-handler past its lease: somebody else has it, and it is told so before it writes', async () => {
    const name = stage.name();
    const { lambda, invoke } = await start({ waitMs: 20_000 });
    const frozen = invoke({ name, act: 'look-later', afterMs: 300 });
    const lost = expect(frozen).rejects.toMatchObject({ name: 'LockLostError' });
    await tells('granted');
    lambda.freeze(told[0]!.pid);
    const other = await invoke({ name, act: 'answer' });
    expect(other.token).toBeGreaterThan(told[0]!.token!);
    lambda.thaw(told[0]!.pid);
    await lost;
    expect(told.map((one) => one.told)).not.toContain('wrote');
  });

  it('crashed in mid-handler: others wait for the lease, its own retry does not', async () => {
    const name = stage.name();
    const { invoke } = await start({ leaseMs: 60_000 }, { supersede: true });
    const crash = invoke({ name, act: 'die', worker: 'request-1' });
    await expect(crash).rejects.toMatchObject({ name: 'Runtime.ExitError' });
    const other = invoke({ name, act: 'answer', worker: 'request-2' });
    await expect(other).rejects.toMatchObject({ name: 'LockHeldError' });
    const retry = await invoke({ name, act: 'answer', worker: 'request-1' });
    expect(retry).toMatchObject({ token: above(told[0]!.token!), owner: 'request-1' });
  });

  it('finds the lock held: fails, or answers what it was told to, or waits', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const lease = await locks.acquire(name);
    const { invoke } = await start();
    await expect(invoke({ name, act: 'answer' })).rejects.toMatchObject({ name: 'LockHeldError' });
    const answering = await start({ answers: true });
    expect(await answering.invoke({ name, act: 'answer' })).toEqual({ heldBy: lease.token });
    const waiting = await start({ waitMs: 20_000 });
    const answer = waiting.invoke({ name, act: 'answer' });
    await sleep(300);
    await lease.release();
    expect(await answer).toMatchObject({ token: above(lease.token) });
  });

  it('C35 waits no longer than leaves time for the work, however long it was told to', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    await using _held = await locks.acquire(name);
    const { invoke } = await start({ waitMs: 600_000, marginMs: 2_500 }, { timeoutMs: 8_000 });
    await expect(invoke({ name, act: 'answer' })).rejects.toMatchObject({ name: 'LockHeldError' });
  });

  it('finds the work finished: fails, or answers what it was told to', async () => {
    const name = stage.name();
    const { invoke } = await start();
    const { pid } = await invoke({ name, act: 'complete' });
    await expect(invoke({ name, act: 'answer' })).rejects.toMatchObject({ name: 'AlreadyCompletedError' });
    const answering = await start({ answers: true });
    expect(await answering.invoke({ name, act: 'answer' })).toEqual({ completedWith: { by: pid } });
  });

  it('in several environments at once: one after the other', async () => {
    const name = stage.name();
    const directory = await mkdtemp(join(tmpdir(), 'leasehold-count-'));
    try {
      const file = join(directory, 'count');
      await writeFile(file, '0');
      const { invoke } = await start({ waitMs: 20_000 });
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => invoke({ name, act: 'count', file })),
      );
      expect(new Set(answers.map(({ pid }) => pid)).size).toBeGreaterThan(1);
      expect(new Set(answers.map(({ token }) => token)).size).toBe(6);
      expect(await readFile(file, 'utf8')).toBe('6');
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
