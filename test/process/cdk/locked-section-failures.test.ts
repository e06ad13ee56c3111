import { Fail } from 'aws-cdk-lib/aws-stepfunctions';
import { describe, expect, it } from 'vitest';
import type { ExecutionOutcome } from '../../../bin/start/state-machine/index.js';
import { LockedSection } from '../../../lib/cdk/index.js';
import { lockIn, named, useSectionBench } from '../../support/cdk/use-section-bench.js';

const stage = useSectionBench();
const { asked, expectFree, newName, oneSection, other } = stage;

describe('a failure', () => {
  const failed = (error: string, cause: unknown): Partial<ExecutionOutcome> =>
    ({ status: 'FAILED', error, cause }) as never;

  it('of the acquire after its write: the lease is found again, not granted twice', async () => {
    const name = newName();
    stage.it.answers.onApplied = () => {
      stage.it.answers.onApplied = undefined;
      stage.it.lambda.killAll();
    };
    let token: number | undefined;
    const outcome = await stage.it.run(
      oneSection(),
      { lockName: name },
      {
        onTask(input) {
          token = lockIn(input).token;
        },
      },
    );
    expect(outcome.status).toBe('SUCCEEDED');
    expect(asked(name)).toEqual(['acquire', 'acquire', 'release']);
    expect((await stage.it.stage.item(name))?.version).toBe(token);
    await expectFree(name);
  });

  it('of every acquire after its write: the lock is given back, and the error is the crash', async () => {
    const name = newName();
    let ran = false;
    const outcome = await stage.it.run(
      oneSection(),
      { lockName: name },
      {
        afterLock({ operation }) {
          if (operation === 'acquire') throw named('Runtime.ExitError', 'Runtime exited');
        },
        onTask() {
          ran = true;
        },
      },
    );
    expect({ outcome, ran }).toEqual({ outcome: failed('Runtime.ExitError', 'Runtime exited'), ran: false });
    expect(asked(name)).toEqual([...Array(7).fill('acquire'), 'release']);
    await expectFree(name);
  });

  it('of the acquire that no retry mends is not retried', async () => {
    const outcome = await stage.it.run(oneSection(), { lockName: 'a\u0000b' });
    expect(outcome).toMatchObject(failed('UsageError', expect.stringMatching(/^name: must be/)));
    expect(asked('a\u0000b')).toEqual(['acquire', 'release']);
  });

  it.each([
    ['an error of its own', { act: 'throw:PaymentRefused' }, 'PaymentRefused', 'the card was refused'],
    ['a crash', { act: 'die' }, 'Runtime.ExitError', expect.stringContaining('SIGKILL')],
    ['a time-out', { act: 'hang', timeoutS: 1 }, 'States.Timeout', expect.anything()],
    ['an error named as ours', { act: 'throw:LockHeldError' }, 'LockHeldError', 'the card was refused'],
  ])('of a state, %s: released, error and cause kept', async (_, options, error, cause) => {
    const name = newName();
    expect(await stage.it.run(oneSection(options), { lockName: name })).toMatchObject(failed(error, cause));
    expect(asked(name)).toEqual(['acquire', 'release']);
    await expectFree(name);
  });

  it('of a Fail state: released, error and cause kept', async () => {
    const name = newName();
    const definition = stage.it.machine(
      ({ stack, service }) =>
        new LockedSection(stack, 'Section', {
          service,
          name,
          states: new Fail(stack, 'Stop', { error: 'Stopped', cause: 'by design' }),
        }),
    );
    expect(await stage.it.run(definition, {})).toEqual(failed('Stopped', 'by design'));
    await expectFree(name);
  });

  it('of the release after its write: it is tried again, and knows its own mark', async () => {
    const name = newName();
    let times = 0;
    const outcome = await stage.it.run(
      oneSection(),
      { lockName: name },
      {
        afterLock({ operation }) {
          if (operation === 'release' && ++times === 1) throw named('Sandbox.Timedout', 'too late');
        },
      },
    );
    expect(outcome.status).toBe('SUCCEEDED');
    expect(asked(name)).toEqual(['acquire', 'release', 'release']);
    await expectFree(name);
  });

  it('D01 of the release after its write, others having had the lock since: unknown, and no loss', async () => {
    const name = newName();
    const actor = other();
    let times = 0;
    const outcome = await stage.it.run(
      oneSection(),
      { lockName: name },
      {
        async afterLock({ operation }) {
          if (operation !== 'release' || ++times > 1) return;
          await (await actor.locks.acquire(name)).release();
          await (await actor.locks.acquire(name)).release();
          throw named('Sandbox.Timedout', 'too late');
        },
      },
    );
    expect(outcome).toMatchObject({ status: 'SUCCEEDED', output: { input: { lockName: name } } });
    const releases = stage.it.sent.filter((one) => one.name === name && one.operation === 'release');
    expect(releases.map(({ retries }) => retries)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('of every release: the execution goes on, and its end frees the lock', async () => {
    const name = newName();
    const outcome = await stage.it.run(
      oneSection(),
      { lockName: name },
      { name: 'never-released', beforeLock: noRelease },
    );
    expect(outcome).toMatchObject({ status: 'SUCCEEDED', output: { input: { lockName: name } } });
    expect(asked(name)).toEqual(['acquire', ...Array(7).fill('release')]);
    expect((await stage.it.stage.item(name))?.leaseId).toBeDefined();
    expect(await stage.it.tellEnd('never-released', 'SUCCEEDED')).toEqual({ ok: true, released: [name] });
    await expectFree(name);
  });

  it('of a state and of every release: the state’s error, and the next taker need not wait', async () => {
    const name = newName();
    const outcome = await stage.it.run(
      oneSection({ act: 'throw:PaymentRefused' }),
      { lockName: name },
      { beforeLock: noRelease },
    );
    expect(outcome).toEqual(failed('PaymentRefused', 'the card was refused'));
    expect((await stage.it.stage.item(name))?.leaseId).toBeDefined();
    expect(await stage.it.run(oneSection({ whenHeld: 'skip' }), { lockName: name })).toMatchObject({
      output: { input: { lock: { name } } },
    });
    await expectFree(name);
  });

  it.each([
    ['fails the execution', undefined, 'FAILED'],
    ['is passed over where that was asked for', 'continue' as const, 'SUCCEEDED'],
  ])('to keep the lock to the end %s', async (_, whenLost, status) => {
    const name = newName();
    const actor = other();
    const outcome = await stage.it.run(
      oneSection(whenLost && { whenLost }),
      { lockName: name },
      {
        async onTask() {
          await stage.it.stage.expire(name);
          await (await actor.locks.acquire(name)).release();
        },
      },
    );
    expect(outcome).toMatchObject({ status });
    if (status === 'FAILED') {
      expect(outcome).toEqual(
        failed(
          'LockLostError',
          'The lock of "Section" was taken over, or broken, before its states had ended',
        ),
      );
    }
  });

  it('to keep the lock, since an operator broke it: found out at the end, though nobody has had it since', async () => {
    const name = newName();
    const outcome = await stage.it.run(
      oneSection(),
      { lockName: name },
      {
        async onTask() {
          const { locks } = other();
          const { leaseId } = (await locks.inspect(name))!;
          expect(await locks.break(name, leaseId!)).toBe(true);
        },
      },
    );
    expect(outcome).toEqual(failed('LockLostError', expect.stringContaining('"Section"')));
  });

  const noRelease = ({ operation }: { readonly operation: string }) => {
    if (operation === 'release') throw named('StoreError', 'no table');
  };
});
