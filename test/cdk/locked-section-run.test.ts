import { Duration } from 'aws-cdk-lib';
import { Choice, Condition, Fail, JsonPath, Map as MapState, Pass } from 'aws-cdk-lib/aws-stepfunctions';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LockedSection, type LockedSectionProps } from '../../lib/cdk/index.js';
import type { ExecutionOutcome, Json } from '../../lib/local-run/index.js';
import { until } from '../support/until.js';
import { executionArn, type Parts, type SectionBench, sectionBench } from './support/section-bench.js';

let bench: SectionBench;
let names = 0;
const newName = () => `lock-${++names}`;

beforeAll(async () => {
  bench = await sectionBench();
});

afterEach(() => {
  bench.answers.onApplied = undefined;
});

afterAll(() => bench?.[Symbol.asyncDispose]());

type Options = Partial<LockedSectionProps> & { readonly act?: string; readonly timeoutS?: number };

/** A machine that is one section with one task. */
const oneSection = (options: Options = {}) =>
  bench.machine(({ stack, service, task }) => {
    const { act, timeoutS, ...props } = options;
    const states = task('Work', { ...(act && { act }), ...(timeoutS && { timeoutS }) });
    return new LockedSection(stack, 'Section', {
      service,
      name: JsonPath.stringAt('$.lockName'),
      states,
      ...props,
    });
  });

/** The lock that a task was given. */
interface GivenLock {
  readonly name: string;
  readonly token: number;
  readonly leaseId: string;
}
const lockIn = (input: Json) => (input as unknown as { input: { lock: GivenLock } }).input.lock;

/** Requests about a lock, as `operation` or `operation operation …`. */
const asked = (name: string) =>
  bench.sent.filter((one) => one.name === name).map(({ operation }) => operation);

async function expectFree(name: string): Promise<void> {
  expect(await bench.stage.item(name)).toMatchObject({ name, version: expect.any(Number) });
  expect((await bench.stage.item(name))?.leaseId).toBeUndefined();
}

/** Somebody else, with a table of their own. */
const other = () => bench.stage.actor({ leaseMs: 60_000, renewEveryMs: 20_000 });

/** An execution that holds a lock and was stopped from outside. */
async function abortedHolder(name: string, executionName: string): Promise<GivenLock> {
  const stop = new AbortController();
  let held: GivenLock | undefined;
  const aborted = bench.run(
    oneSection({ act: 'hang' }),
    { lockName: name },
    {
      name: executionName,
      signal: stop.signal,
      onTask(input) {
        held = lockIn(input);
      },
    },
  );
  const stopped = expect(aborted).rejects.toThrow('stopped');
  await until('the task runs', () => held !== undefined, 20_000);
  stop.abort(new Error('stopped'));
  await stopped;
  expect(await bench.stage.item(name)).toMatchObject({ leaseId: held!.leaseId });
  return held!;
}

describe('a section that goes well', () => {
  it('holds the lock while its states run, for as long as it says, and gives it up', async () => {
    const name = newName();
    let held: Record<string, unknown> | undefined;
    let given: GivenLock | undefined;
    const outcome = await bench.run(
      oneSection({ timeout: Duration.hours(30) }),
      { lockName: name, amount: 7 },
      {
        name: 'well',
        async onTask(input) {
          given = lockIn(input);
          held = await bench.stage.item(name);
        },
      },
    );
    expect(held).toMatchObject({
      owner: executionArn('well'),
      version: given!.token,
      leaseId: given!.leaseId,
      leaseMs: 30 * 3_600_000,
    });
    expect(outcome).toMatchObject({
      status: 'SUCCEEDED',
      output: { input: { lockName: name, amount: 7, lock: { name, token: given!.token } } },
    });
    await expectFree(name);
    expect(asked(name)).toEqual(['acquire', 'release']);
  });

  it('the lock is where it was asked for, beside what the input has', async () => {
    const name = newName();
    const { output } = (await bench.run(oneSection({ lockPath: '$.locks.batch' }), {
      lockName: name,
      lock: 'mine',
      locks: { other: 1 },
    })) as { output: Json };
    expect(output).toMatchObject({
      input: { lock: 'mine', locks: { other: 1, batch: { name, token: expect.any(Number) } } },
    });
  });

  it.each([[null], [false], [0], [''], [[]], [[1, 2]], [{}], ['text']])(
    'the output may be %j',
    async (value) => {
      const definition = bench.machine(({ stack, service }) => {
        const states = new Pass(stack, 'Work', { outputPath: '$.value' });
        return new LockedSection(stack, 'Section', {
          service,
          name: JsonPath.stringAt('$.lockName'),
          states,
        });
      });
      expect(await bench.run(definition, { lockName: newName(), value })).toEqual({
        status: 'SUCCEEDED',
        output: value,
      });
    },
  );

  it('a checkpoint of the lock reaches the states', async () => {
    const name = newName();
    const actor = other();
    const lease = await actor.locks.acquire(name);
    await lease.save({ page: 12 });
    await lease.release();
    expect(await bench.run(oneSection(), { lockName: name })).toMatchObject({
      output: { input: { lock: { checkpoint: { page: 12 } } } },
    });
  });
});

describe('a lock that is held', () => {
  it('is waited for', async () => {
    const name = newName();
    const lease = await other().locks.acquire(name);
    let tries = 0;
    const outcome = await bench.run(
      oneSection(),
      { lockName: name },
      {
        async beforeLock({ operation }) {
          if (operation === 'acquire' && ++tries === 4) await lease.release();
        },
      },
    );
    expect(outcome.status).toBe('SUCCEEDED');
    expect(asked(name)).toEqual(['acquire', 'acquire', 'acquire', 'acquire', 'release']);
    // One acquire, tried four times.
    expect(new Set(bench.sent.filter((one) => one.name === name).map(({ leaseId }) => leaseId)).size).toBe(1);
    await expectFree(name);
  });

  it('fails the execution when the wait is over, and stays with its holder', async () => {
    const name = newName();
    const lease = await other().locks.acquire(name);
    const outcome = await bench.run(oneSection({ waitFor: Duration.seconds(3) }), { lockName: name });
    expect(outcome).toMatchObject({
      status: 'FAILED',
      error: 'LockHeldError',
      cause: expect.stringContaining(`Lock "${name}" is held by ${lease.owner}`),
    });
    expect(asked(name).filter((operation) => operation === 'acquire').length).toBeGreaterThan(2);
    expect(await bench.stage.item(name)).toMatchObject({ leaseId: expect.any(String), version: lease.token });
    await lease.release();
  });

  it('is skipped after one try: the output is the input', async () => {
    const name = newName();
    const lease = await other().locks.acquire(name);
    const input = { lockName: name, lock: 'mine' };
    let ran = false;
    const outcome = await bench.run(oneSection({ whenHeld: 'skip' }), input, {
      onTask() {
        ran = true;
      },
    });
    expect({ outcome, ran }).toEqual({ outcome: { status: 'SUCCEEDED', output: input }, ran: false });
    expect(asked(name)).toEqual(['acquire']);
    await lease.release();
  });

  it('is skipped with states of one’s own, which are told why', async () => {
    const name = newName();
    const lease = await other().locks.acquire(name);
    const definition = bench.machine(({ stack, service, task }) =>
      new LockedSection(stack, 'Section', {
        service,
        name: JsonPath.stringAt('$.lockName'),
        states: task('Work'),
        whenHeld: new Pass(stack, 'Told'),
      }).next(new Pass(stack, 'After')),
    );
    expect(await bench.run(definition, { lockName: name })).toMatchObject({
      status: 'SUCCEEDED',
      output: { lockName: name, lock: { Error: 'LockHeldError', Cause: expect.stringContaining(name) } },
    });
    await lease.release();
  });

  it('by an execution that was aborted is taken over at once, not after a day', async () => {
    const name = newName();
    const before = await abortedHolder(name, 'aborted');
    let taken: GivenLock | undefined;
    const outcome = await bench.run(
      oneSection({ whenHeld: 'skip' }),
      { lockName: name },
      {
        onTask(input) {
          taken = lockIn(input);
        },
      },
    );
    expect(outcome.status).toBe('SUCCEEDED');
    expect(taken!.token).toBeGreaterThan(before.token);
    await expectFree(name);
  });

  it.each(['RUNNING', 'PENDING_REDRIVE'])('by an execution that is %s is not', async (status) => {
    const name = newName();
    await abortedHolder(name, `still-${status}`);
    bench.statuses.set(`still-${status}`, status);
    expect(await bench.run(oneSection({ waitFor: Duration.seconds(0) }), { lockName: name })).toMatchObject({
      status: 'FAILED',
      error: 'LockHeldError',
    });
  });

  it('by an execution is freed by the event of its end, and by no other', async () => {
    const name = newName();
    await abortedHolder(name, 'told');
    expect(await bench.tellEnd('somebody-else', 'ABORTED')).toEqual({ ok: true, released: [] });
    expect((await bench.stage.item(name))?.leaseId).toBeDefined();
    expect(await bench.tellEnd('told', 'ABORTED')).toEqual({ ok: true, released: [name] });
    await expectFree(name);
    // Events may come twice.
    expect(await bench.tellEnd('told', 'ABORTED')).toEqual({ ok: true, released: [] });
  });
});

describe('a failure', () => {
  const failed = (error: string, cause: unknown): Partial<ExecutionOutcome> =>
    ({ status: 'FAILED', error, cause }) as never;

  it('of the acquire after its write: the lease is found again, not granted twice', async () => {
    const name = newName();
    bench.answers.onApplied = () => {
      bench.answers.onApplied = undefined;
      bench.lambda.killAll();
    };
    let token: number | undefined;
    const outcome = await bench.run(
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
    expect((await bench.stage.item(name))?.version).toBe(token);
    await expectFree(name);
  });

  it('of every acquire after its write: the lock is given back, and the error is the crash', async () => {
    const name = newName();
    let ran = false;
    const outcome = await bench.run(
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
    const outcome = await bench.run(oneSection(), { lockName: 'a\u0000b' });
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
    expect(await bench.run(oneSection(options), { lockName: name })).toMatchObject(failed(error, cause));
    expect(asked(name)).toEqual(['acquire', 'release']);
    await expectFree(name);
  });

  it('of a Fail state: released, error and cause kept', async () => {
    const name = newName();
    const definition = bench.machine(
      ({ stack, service }) =>
        new LockedSection(stack, 'Section', {
          service,
          name,
          states: new Fail(stack, 'Stop', { error: 'Stopped', cause: 'by design' }),
        }),
    );
    expect(await bench.run(definition, {})).toEqual(failed('Stopped', 'by design'));
    await expectFree(name);
  });

  it('of the release after its write: it is tried again, and knows its own mark', async () => {
    const name = newName();
    let times = 0;
    const outcome = await bench.run(
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

  it('of every release: the execution goes on, and its end frees the lock', async () => {
    const name = newName();
    const outcome = await bench.run(
      oneSection(),
      { lockName: name },
      { name: 'never-released', beforeLock: noRelease },
    );
    expect(outcome).toMatchObject({ status: 'SUCCEEDED', output: { input: { lockName: name } } });
    expect(asked(name)).toEqual(['acquire', ...Array(7).fill('release')]);
    expect((await bench.stage.item(name))?.leaseId).toBeDefined();
    expect(await bench.tellEnd('never-released', 'SUCCEEDED')).toEqual({ ok: true, released: [name] });
    await expectFree(name);
  });

  it('of a state and of every release: the state’s error, and the next taker need not wait', async () => {
    const name = newName();
    const outcome = await bench.run(
      oneSection({ act: 'throw:PaymentRefused' }),
      { lockName: name },
      { beforeLock: noRelease },
    );
    expect(outcome).toEqual(failed('PaymentRefused', 'the card was refused'));
    expect((await bench.stage.item(name))?.leaseId).toBeDefined();
    expect(await bench.run(oneSection({ whenHeld: 'skip' }), { lockName: name })).toMatchObject({
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
    const outcome = await bench.run(
      oneSection(whenLost && { whenLost }),
      { lockName: name },
      {
        async onTask() {
          await bench.stage.expire(name);
          await (await actor.locks.acquire(name)).release();
        },
      },
    );
    expect(outcome).toMatchObject({ status });
    if (status === 'FAILED') {
      expect(outcome).toEqual(
        failed('LockLostError', 'The lock of "Section" was taken over before its states had ended'),
      );
    }
  });

  const noRelease = ({ operation }: { readonly operation: string }) => {
    if (operation === 'release') throw named('StoreError', 'no table');
  };
});

describe('more than one', () => {
  it('executions: one at a time, none left out', async () => {
    const name = newName();
    const definition = oneSection();
    const inside = new Set<number>();
    const tokens: number[] = [];
    let most = 0;
    const outcomes = await Promise.all(
      Array.from({ length: 4 }, () =>
        bench.run(
          definition,
          { lockName: name },
          {
            async onTask(input) {
              const { token } = lockIn(input);
              inside.add(token);
              tokens.push(token);
              most = Math.max(most, inside.size);
            },
            beforeLock({ operation, token }) {
              if (operation === 'release') inside.delete(token!);
            },
          },
        ),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(Array(4).fill('SUCCEEDED'));
    expect(most).toBe(1);
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
    await expectFree(name);
  });

  const pathOf = (name: string) => JsonPath.stringAt(`$.${name}`);
  const section = (
    { stack, service }: Parts,
    id: string,
    props: Pick<LockedSectionProps, 'name' | 'states'>,
  ) => new LockedSection(stack, id, { service, lockPath: `$.${id.toLowerCase()}`, ...props });

  it('sections in sequence', async () => {
    const definition = bench.machine((parts) =>
      section(parts, 'First', { name: pathOf('a'), states: new Pass(parts.stack, 'One') }).next(
        section(parts, 'Second', { name: pathOf('a'), states: new Pass(parts.stack, 'Two') }),
      ),
    );
    const a = newName();
    const { output } = (await bench.run(definition, { a })) as unknown as {
      output: { first: GivenLock; second: GivenLock };
    };
    expect(output.second.token).toBe(output.first.token + 1);
    await expectFree(a);
  });

  it('sections inside each other: both released when the inner states fail', async () => {
    const definition = bench.machine((parts) =>
      section(parts, 'Outer', {
        name: pathOf('a'),
        states: section(parts, 'Inner', {
          name: pathOf('b'),
          states: parts.task('Work', { act: 'throw:Odd' }),
        }),
      }),
    );
    const [a, b] = [newName(), newName()];
    let seen: Json | undefined;
    const outcome = await bench.run(
      definition,
      { a, b },
      {
        onTask(input) {
          seen = input;
        },
      },
    );
    expect(seen).toMatchObject({ input: { outer: { name: a }, inner: { name: b } } });
    expect(outcome).toEqual({ status: 'FAILED', error: 'Odd', cause: 'the card was refused' });
    await expectFree(a);
    await expectFree(b);
  });

  it('sections of one execution in a map: each item its own lock, the same one in turn', async () => {
    const definition = bench.machine((parts) =>
      new MapState(parts.stack, 'Each', { itemsPath: '$.items', maxConcurrency: 3 }).itemProcessor(
        section(parts, 'Batch', { name: pathOf('a'), states: parts.task('Work') }),
      ),
    );
    const [a, b] = [newName(), newName()];
    const outcome = await bench.run(definition, { items: [{ a }, { a: b }, { a }] });
    expect(outcome.status).toBe('SUCCEEDED');
    const leases = (name: string) =>
      new Set(bench.sent.filter((one) => one.name === name).map(({ leaseId }) => leaseId)).size;
    expect([leases(a), leases(b)]).toEqual([2, 1]);
    await expectFree(a);
    await expectFree(b);
  });

  it('a Catch around a section sees the error of its states, and the lock is free by then', async () => {
    const a = newName();
    const definition = bench.machine((parts) => {
      const held = section(parts, 'Section', { name: a, states: parts.task('Work', { act: 'throw:Odd' }) });
      const caught = parts.task('Repair');
      const single = held.toSingleState({ outputPath: '$[0]' });
      return single.addCatch(caught, { errors: ['Odd'], resultPath: '$.error' });
    });
    let freeInRepair: boolean | undefined;
    const outcome = await bench.run(
      definition,
      {},
      {
        async onTask(input) {
          if (JSON.stringify(input).includes('"error"')) {
            freeInRepair = (await bench.stage.item(a))?.leaseId === undefined;
          }
        },
      },
    );
    expect({ status: outcome.status, freeInRepair }).toEqual({ status: 'SUCCEEDED', freeInRepair: true });
    expect(Object.keys(definition.States)).toEqual(['Section', 'Repair']);
  });

  it('rounds of a loop: a new lease each time', async () => {
    const definition = bench.machine(({ stack, service }) => {
      const round = new Pass(stack, 'Round', {
        parameters: {
          a: JsonPath.stringAt('$.a'),
          left: JsonPath.mathAdd(JsonPath.numberAt('$.left'), -1),
          token: JsonPath.numberAt('$.lock.token'),
        },
      });
      const again = new LockedSection(stack, 'Section', { service, name: pathOf('a'), states: round });
      return again.next(
        new Choice(stack, 'More?')
          .when(Condition.numberGreaterThan('$.left', 0), again)
          .otherwise(new Pass(stack, 'Done')),
      );
    });
    const a = newName();
    expect(await bench.run(definition, { a, left: 3 })).toMatchObject({
      status: 'SUCCEEDED',
      output: { left: 0 },
    });
    expect(asked(a)).toEqual(['acquire', 'release', 'acquire', 'release', 'acquire', 'release']);
    expect(new Set(bench.sent.filter((one) => one.name === a).map(({ leaseId }) => leaseId)).size).toBe(3);
    await expectFree(a);
  });
});

describe('what the local interpreter does not do, so that it is not tested here', () => {
  it.skip('Distributed Map: child executions with ARNs of their own (they run inline)', () => {});
  it.skip('HeartbeatSeconds, and tasks that wait for a token (.waitForTaskToken)', () => {});
  it.skip('Assign, and states in JSONata inside a section', () => {});
  it.skip('States.DataLimitExceeded over 256 KB of state, and States.Runtime: no Catch sees them', () => {});
  it.skip('Redrive, and Express executions', () => {});
  it.skip('A Fail state without a Cause, caught (the interpreter makes one up)', () => {});
  it.skip('A section whose input is no object, which fails in its first state (the interpreter makes it one)', () => {});
  it.skip('Retry: the pauses (a test shortens them all)', () => {});
});

function named(name: string, message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}
