import { describe, expect, it } from 'vitest';
import { stepFunctions } from '../../../lib/service/index.js';
import { above } from '../../support/above.js';
import {
  type ScriptedStepFunctions,
  scriptedStepFunctions,
} from '../../support/cli/scripted-step-functions.js';
import { type AnyAnswer, handlerOver, rightRequests } from '../../support/service/in-process.js';
import { useStage } from '../../support/use-stage.js';

const arn = (id: string) => `arn:aws:states:eu-central-1:123456789012:execution:settle:${id}`;

/** A long hold, as a section of a state machine asks for it. */
const dayMs = 86_400_000;

describe('a lock that an execution holds', () => {
  const stage = useStage();

  /** While a long lease is granted its execution runs. What is asked then does not count. */
  let isGranting = false;
  let asked: unknown[] = [];

  /** A service that asks a Step Functions which answers so, once the lease is granted. */
  async function served(answer: Record<string, unknown> | 'never') {
    const sfn = await scriptedStepFunctions({
      DescribeExecution: () => (isGranting ? { status: 'RUNNING' } : answer === 'never' ? {} : answer),
    });
    asked = sfn.calls as unknown[];
    const actor = stage.it.actor();
    const handle = handlerOver(actor, { executions: asking(sfn) });
    return { handle, sfn, faults: actor.faults, [Symbol.asyncDispose]: () => sfn[Symbol.asyncDispose]() };
  }

  function asking(sfn: ScriptedStepFunctions) {
    process.env.AWS_ACCESS_KEY_ID = 'local';
    process.env.AWS_SECRET_ACCESS_KEY = 'local';
    return stepFunctions({
      region: 'eu-central-1',
      account: '123456789012',
      endpoint: sfn.env.AWS_ENDPOINT_URL_SFN,
    });
  }

  async function held(handle: (event: unknown) => Promise<AnyAnswer>, name: string, id: string, more = {}) {
    isGranting = true;
    const request = {
      operation: 'acquire',
      name,
      leaseId: `lease-of-${id}`,
      leaseMs: dayMs,
      execution: arn(id),
    };
    try {
      return await handle({ ...request, ...more });
    } finally {
      isGranting = false;
      asked.length = 0;
    }
  }

  const next = (name: string) => rightRequests(name, 'lease-of-next').acquire;

  it('has the execution as its owner and its group, may be longer than others, and says no length: nobody watches it', async () => {
    await using service = await served({ status: 'RUNNING' });
    const name = stage.name();
    const answer = await held(service.handle, name, 'a');
    expect(answer).toMatchObject({ ok: true, granted: { owner: arn('a') } });
    const { expiresAt, acquiredAt } = answer.granted as Record<string, number>;
    expect(expiresAt! - acquiredAt!).toBeGreaterThan(dayMs - 10_000);
    expect(await stage.it.item(name)).toMatchObject({
      owner: arn('a'),
      execution: arn('a'),
      group: `execution/${arn('a')}`,
      leaseMs: 0,
    });
    const shown = await service.handle({ operation: 'inspect', name });
    expect(shown.lock).toMatchObject({ state: 'held', execution: arn('a') });
  });

  it('is held while the execution runs: asked once for each refusal', async () => {
    await using service = await served({ status: 'RUNNING' });
    const name = stage.name();
    await held(service.handle, name, 'b');
    for (let asked = 1; asked <= 2; asked++) {
      const refusal = { name: 'LockHeldError', holder: { owner: arn('b'), execution: arn('b') } };
      expect(await service.handle(next(name))).toMatchObject({ ok: false, error: refusal });
      expect(service.sfn.calls).toHaveLength(asked);
    }
    expect(service.sfn.calls[0]?.input).toEqual({ executionArn: arn('b') });
  });

  it.each(['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED'])(
    'is taken at once when the execution has %s',
    async (status) => {
      await using service = await served({ status });
      const name = stage.name();
      const first = await held(service.handle, name, 'c');
      expect(await service.handle(next(name))).toMatchObject({
        ok: true,
        granted: {
          token: above(first.granted.token),
          takenOverFrom: { owner: arn('c'), token: first.granted.token },
        },
      });
    },
  );

  it.each([
    ['redriven', { status: 'PENDING_REDRIVE' }],
    ['of a status that is not known here', { status: 'RESTING' }],
    ['not to be seen: denied', { __type: 'AccessDeniedException', message: 'not authorized' }],
    ['not to be asked for: throttled', { __type: 'ThrottlingException', message: 'slow down' }],
    ['answered without a status', {}],
    ['not known there yet: it has only begun', { __type: 'ExecutionDoesNotExist', message: 'none' }],
  ])('is held while the execution is %s', async (_what, answer) => {
    await using service = await served(answer);
    const name = stage.name();
    await held(service.handle, name, 'd');
    expect(await service.handle(next(name))).toMatchObject({ ok: false, error: { name: 'LockHeldError' } });
    expect(service.sfn.calls).toHaveLength(1);
  });

  it('is held while Step Functions can’t be reached', async () => {
    const service = await served('never');
    const { handle } = service;
    const name = stage.name();
    await held(handle, name, 'e');
    await service[Symbol.asyncDispose]();
    expect(await handle(next(name))).toMatchObject({ ok: false, error: { name: 'LockHeldError' } });
  });

  it('is taken when Step Functions has forgotten the execution long since', async () => {
    await using service = await served({ __type: 'ExecutionDoesNotExist', message: 'none' });
    const name = stage.name();
    await held(service.handle, name, 'f');
    const item = (await stage.it.item(name))!;
    await stage.it.put({ ...item, acquiredAt: item.acquiredAt! - 600_000 });
    expect(await service.handle(next(name))).toMatchObject({ ok: true });
  });

  it('is not asked for where Step Functions could not tell: express, another Region', async () => {
    await using service = await served({ status: 'FAILED' });
    const others = [
      'arn:aws:states:eu-central-1:123456789012:express:settle:g:1',
      'arn:aws:states:us-east-1:123456789012:execution:settle:g',
    ];
    for (const execution of others) {
      const name = stage.name();
      await service.handle({ operation: 'acquire', name, leaseId: 'lease-of-g', leaseMs: 60_000, execution });
      expect(await service.handle(next(name))).toMatchObject({ ok: false, error: { name: 'LockHeldError' } });
    }
    expect(service.sfn.calls).toEqual([]);
  });

  it('is nobody’s mark once the lease is another’s: that one is held, and no execution is asked for', async () => {
    await using service = await served({ status: 'FAILED' });
    const name = stage.name();
    await held(service.handle, name, 'h');
    await stage.it.expire(name);
    const client = stage.it.actor().locks;
    await using _lease = await client.acquire(name);
    expect(await stage.it.item(name)).toMatchObject({ execution: arn('h') });
    expect(await service.handle(next(name))).toMatchObject({ ok: false, error: { name: 'LockHeldError' } });
    const shown = await service.handle({ operation: 'inspect', name });
    expect(shown.lock).not.toHaveProperty('execution');
    expect(service.sfn.calls).toEqual([]);
  });

  it('can be renewed to beyond what others may have, and others can’t', async () => {
    await using service = await served({ status: 'RUNNING' });
    const [name, other] = [stage.name(), stage.name()];
    const { granted } = await held(service.handle, name, 'i');
    const renewal = { operation: 'renew', checkpoint: { page: 2 } };
    const longer = { ...renewal, name, leaseId: granted.leaseId, token: granted.token };
    expect(await service.handle({ ...longer, expiresAt: granted.expiresAt + 1 })).toMatchObject({ ok: true });
    expect(await stage.it.item(name)).toMatchObject({ checkpoint: { page: 2 } });

    const short = (await service.handle(next(other))).granted;
    const before = await stage.it.item(other);
    const tooLong = { ...renewal, name: other, leaseId: short.leaseId, token: short.token };
    expect(await service.handle({ ...tooLong, expiresAt: short.expiresAt + dayMs })).toMatchObject({
      ok: false,
      error: { name: 'UsageError', message: expect.stringMatching(/^expiresAt: must be at most/) },
    });
    expect(await stage.it.item(other)).toEqual(before);
  });

  const statusChange = (id: string, status = 'FAILED') => ({
    version: '0',
    source: 'aws.states',
    'detail-type': 'Step Functions Execution Status Change',
    detail: { executionArn: arn(id), status, startDate: 1, stopDate: 2 },
  });

  it('is free when EventBridge tells of the execution’s end: all that it held, and nobody else’s', async () => {
    await using service = await served({ status: 'ABORTED' });
    const [one, two, other] = [stage.name(), stage.name(), stage.name()];
    await held(service.handle, one, 'j');
    await held(service.handle, two, 'j');
    await held(service.handle, other, 'k');
    const answer = await service.handle(statusChange('j'));
    expect({ ...answer, released: [...answer.released].sort() }).toEqual({
      ok: true,
      released: [one, two].sort(),
    });
    expect(await stage.it.item(one)).not.toHaveProperty('leaseId');
    expect(await stage.it.item(one)).not.toHaveProperty('execution');
    expect(await stage.it.item(other)).toHaveProperty('leaseId');
    expect(await service.handle(statusChange('j'))).toEqual({ ok: true, released: [] });
  });

  it('C07 is told as freed although the answer to that was lost and the SDK sent it again', async () => {
    await using service = await served({ status: 'ABORTED' });
    const name = stage.name();
    await held(service.handle, name, 'n');
    service.faults.on('UpdateItem').once().dropAnswer();
    expect(await service.handle(statusChange('n'))).toEqual({ ok: true, released: [name] });
  });

  it('was freed by its end, and no release of its own: states that go on after a redrive are told so', async () => {
    await using service = await served({ status: 'ABORTED' });
    const name = stage.name();
    const { leaseId, token } = (await held(service.handle, name, 'm')).granted;
    await service.handle(statusChange('m'));
    const release = { operation: 'release', name, leaseId, token };
    expect(await service.handle(release)).toMatchObject({ ok: true, released: false, reason: 'broken' });
  });

  it.each([
    ['anybody could make the event up', { status: 'RUNNING' }],
    ['Step Functions could not be asked', { __type: 'ThrottlingException', message: 'slow down' }],
  ])(
    'stays held when only the event says that the execution has ended, which is told again: %s',
    async (_why, answer) => {
      await using service = await served(answer);
      const name = stage.name();
      await held(service.handle, name, 'l');
      await expect(service.handle(statusChange('l'))).rejects.toMatchObject({
        name: 'StoreError',
        message: expect.stringMatching(/does not say that .*settle:l has ended/),
      });
      expect(await stage.it.item(name)).toHaveProperty('leaseId');
    },
  );

  it.each([
    ['has ended', { status: 'SUCCEEDED' }, 'UsageError', /has ended/],
    ['can’t be asked for', { __type: 'AccessDeniedException', message: 'no' }, 'UsageError', /can't ask/],
    ['is answered without a status', {}, 'UsageError', /can't ask/],
    ['is not known', { __type: 'ExecutionDoesNotExist', message: 'none' }, 'StoreError', /does not know it/],
    [
      'could not be asked for',
      { __type: 'ThrottlingException', message: 'x' },
      'StoreError',
      /could not be asked/,
    ],
  ])(
    'D40 is not held past the longest lease by an execution that %s',
    async (_what, answer, error, message) => {
      await using service = await served(answer);
      const name = stage.name();
      const request = { operation: 'acquire', name, leaseId: 'lease-of-x', execution: arn('x') };
      expect(await service.handle({ ...request, leaseMs: dayMs })).toMatchObject({
        ok: false,
        error: { name: error, message: expect.stringMatching(message) },
      });
      expect(await stage.it.item(name)).toBeUndefined();
      // Nor by a short lease that is then renewed.
      const { granted } = await service.handle({ ...request, leaseMs: 60_000 });
      const renewal = { operation: 'renew', name, leaseId: granted.leaseId, token: granted.token };
      expect(await service.handle({ ...renewal, expiresAt: granted.expiresAt + dayMs })).toMatchObject({
        ok: false,
        error: { name: error },
      });
      expect(await stage.it.item(name)).toMatchObject({ expiresAt: granted.expiresAt });
    },
  );

  it.each([
    ['another account', 'arn:aws:states:eu-central-1:999999999999:execution:settle:x'],
    ['another Region', 'arn:aws:states:us-east-1:123456789012:execution:settle:x'],
    ['an express workflow', 'arn:aws:states:eu-central-1:123456789012:express:settle:x:1'],
  ])('D40 an execution of %s gets the ordinary limit, and nobody is asked', async (_what, execution) => {
    await using service = await served({ status: 'RUNNING' });
    const request = { operation: 'acquire', name: stage.name(), leaseId: 'lease-of-x', execution };
    const refused = {
      ok: false,
      error: { name: 'UsageError', message: expect.stringMatching(/^leaseMs: /) },
    };
    expect(await service.handle({ ...request, leaseMs: dayMs })).toMatchObject(refused);
    expect(await service.handle({ ...request, leaseMs: 900_000 })).toMatchObject({ ok: true });
    expect(service.sfn.calls).toEqual([]);
  });

  it('D06 D40 nor is a lease renewed past what a date can hold, although its execution runs', async () => {
    await using service = await served({ status: 'RUNNING' });
    const name = stage.name();
    const { granted } = await held(service.handle, name, 'far');
    const renewal = { operation: 'renew', name, leaseId: granted.leaseId, token: granted.token };
    expect(await service.handle({ ...renewal, expiresAt: 8.9e15 })).toMatchObject({
      ok: false,
      error: { name: 'UsageError', message: expect.stringContaining('expiresAt') },
    });
    expect(await service.handle({ operation: 'inspect', name })).toMatchObject({ ok: true });
  });

  it('D40 without anybody to ask an execution gets the ordinary limit', async () => {
    const handle = handlerOver(stage.it.actor());
    expect(await held(handle, stage.name(), 'x')).toMatchObject({ ok: false, error: { name: 'UsageError' } });
  });

  it('D46 all that an execution held is free at its end, also what stands in groups of its own', async () => {
    await using service = await served({ status: 'ABORTED' });
    const [one, two, three, other] = [stage.name(), stage.name(), stage.name(), stage.name()];
    await held(service.handle, one, 'q', { group: 'invoices' });
    await held(service.handle, two, 'q', { group: 'orders' });
    await held(service.handle, three, 'q');
    await held(service.handle, other, 'r', { group: 'invoices' });
    const listed = await service.handle({ operation: 'list', group: 'invoices' });
    expect(listed.locks.map((lock: { name: string }) => lock.name).sort()).toEqual([one, other].sort());
    const answer = await service.handle(statusChange('q'));
    expect([...answer.released].sort()).toEqual([one, two, three].sort());
    expect(await stage.it.item(other)).toHaveProperty('leaseId');
    expect(await service.handle(statusChange('q'))).toEqual({ ok: true, released: [] });
    // What the service notes for itself is no lock: it is neither listed nor to be locked.
    const all = await service.handle({ operation: 'list', limit: 1_000 });
    expect(all.locks.map((lock: { name: string }) => lock.name)).not.toContain(`execution/${arn('q')}`);
    const own = rightRequests(`execution/${arn('q')}`, 'lease-of-z').acquire;
    expect(await service.handle(own)).toMatchObject({ ok: false, error: { code: 'NOT_ALLOWED' } });
  });

  it('D46 a lock of the execution’s that has another holder by then stays held', async () => {
    await using service = await served({ status: 'ABORTED' });
    const name = stage.name();
    await held(service.handle, name, 's', { group: 'invoices' });
    await service.handle(next(name));
    expect(await service.handle(statusChange('s'))).toEqual({ ok: true, released: [] });
    expect(await stage.it.item(name)).toMatchObject({ leaseId: 'lease-of-next' });
  });

  it('I2 a lock that gets another holder while its execution is asked about stays held', async () => {
    const name = stage.name();
    await using sfn = await scriptedStepFunctions({
      DescribeExecution: async () => {
        if (isGranting) return { status: 'RUNNING' };
        await stage.it.expire(name);
        await stage.it.put({ ...(await stage.it.item(name))!, leaseId: 'lease-of-another' });
        return { status: 'ABORTED' };
      },
    });
    const handle = handlerOver(stage.it.actor(), { executions: asking(sfn) });
    await held(handle, name, 't');
    expect(await handle(statusChange('t'))).toEqual({ ok: true, released: [] });
    expect(await stage.it.item(name)).toMatchObject({ leaseId: 'lease-of-another' });
  });

  it('an event is delivered again when the table could not be used', async () => {
    await using service = await served({ status: 'FAILED' });
    const actor = await stage.it.readyActor({ maxAttempts: 1 });
    const handle = handlerOver(actor, { executions: asking(service.sfn) });
    const name = stage.name();
    await held(handle, name, 'm');
    actor.faults.on('UpdateItem').once().throttle();
    await expect(handle(statusChange('m'))).rejects.toMatchObject({ name: 'StoreError' });
    expect(await handle(statusChange('m'))).toEqual({ ok: true, released: [name] });
  });
});
