import { App, Duration, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import {
  DefinitionBody,
  type IChainable,
  JsonPath,
  Pass,
  StateMachine,
  StateMachineType,
} from 'aws-cdk-lib/aws-stepfunctions';
import { describe, expect, it } from 'vitest';
import { LockedSection, type LockedSectionProps, LockService } from '../../../lib/cdk/index.js';
import { definitionOf, emptyStack, statementsOf } from '../../support/cdk/synthesize.js';

type Options = Partial<LockedSectionProps> & { readonly id?: string };

/** A machine around a section; its template throws what synthesis finds wrong. */
function made(options: Options = {}, more: { readonly watched?: boolean; readonly express?: boolean } = {}) {
  const stack = emptyStack();
  const { id = 'Settle', ...props } = options;
  const service = new LockService(stack, 'Locks', { names: ['settlement/*'] });
  const section = new LockedSection(stack, id, {
    service,
    name: JsonPath.stringAt('$.batch'),
    states: new Pass(stack, 'Work'),
    ...props,
  });
  const machine = new StateMachine(stack, 'Machine', {
    definitionBody: DefinitionBody.fromChainable(section.next(new Pass(stack, 'After'))),
    ...(more.express && { stateMachineType: StateMachineType.EXPRESS }),
  });
  if (more.watched ?? true) service.watchExecutions(machine);
  return { stack, template: () => Template.fromStack(stack) };
}

const definition = (options?: Options) => definitionOf(made(options).template());
const statesOf = (options?: Options) => definition(options).States;

describe('the definition', () => {
  it('is what it was', () => {
    expect(
      JSON.stringify(definition(), null, 2).replaceAll(/(?<=[A-Za-z])[0-9A-F]{8}(?=")/g, ''),
    ).toMatchSnapshot();
  });

  it('makes the lease id once per entry, before what is retried', () => {
    const states = statesOf();
    expect(definition().StartAt).toBe('Settle: Enter');
    expect(states['Settle: Enter'].Parameters).toEqual({
      lock: { 'name.$': '$.batch', 'leaseId.$': 'States.UUID()' },
      'input.$': '$',
    });
    expect(states['Settle: Acquire'].Parameters.Payload).toEqual({
      operation: 'acquire',
      'name.$': '$.lock.name',
      'leaseId.$': '$.lock.leaseId',
      leaseMs: 86_400_000,
      'execution.$': '$$.Execution.Id',
      throw: true,
    });
  });

  it('runs the states in a branch, from whose every error it releases', () => {
    const { 'Settle: Locked': locked, ...states } = statesOf();
    expect(locked.Branches).toHaveLength(1);
    expect(Object.keys(locked.Branches[0].States)).toEqual(['Settle: Begin', 'Work']);
    expect(locked.Catch).toEqual([
      { ErrorEquals: ['States.ALL'], ResultPath: '$.input', Next: 'Settle: Release after error' },
    ]);
    expect(states['Settle: Release after error'].Next).toBe('Settle: Has a cause?');
    expect(states['Settle: Failed']).toEqual({
      Type: 'Fail',
      ErrorPath: '$.input.Error',
      CausePath: '$.input.Cause',
    });
  });

  it.each(['Acquire', 'Give back', 'Release', 'Release after error'])(
    '%s: retried with full jitter, a time-out a little longer than the function’s, over lambda:invoke',
    (name) => {
      const task = statesOf()[`Settle: ${name}`];
      const retry = task.Retry.at(-1);
      expect(retry).toMatchObject({
        IntervalSeconds: 1,
        BackoffRate: 2,
        MaxAttempts: 6,
        MaxDelaySeconds: 30,
        JitterStrategy: 'FULL',
      });
      expect(retry.ErrorEquals).toEqual(
        expect.arrayContaining([
          'StoreError',
          'Lambda.ServiceException',
          'Runtime.ExitError',
          'States.Timeout',
        ]),
      );
      expect(retry.ErrorEquals).not.toEqual(expect.arrayContaining(['LockHeldError']));
      expect(retry.ErrorEquals).not.toEqual(expect.arrayContaining(['LockLostError']));
      expect(task.TimeoutSeconds).toBe(20);
      expect(task.Resource).toBe('arn:AWS::Partition:states:::lambda:invoke');
    },
  );

  it('a release that fails after an error does not hide it', () => {
    for (const name of ['Give back', 'Release after error']) {
      expect(statesOf()[`Settle: ${name}`].Catch).toEqual([
        { ErrorEquals: ['States.ALL'], ResultPath: null, Next: 'Settle: Has a cause?' },
      ]);
    }
  });

  it('a release that fails in the end does not fail the execution', () => {
    expect(statesOf()['Settle: Release'].Catch).toEqual([
      { ErrorEquals: ['States.ALL'], ResultPath: null, Next: 'Settle: Leave' },
    ]);
  });

  it('an error without a cause is told, too', () => {
    expect(statesOf()['Settle: Has a cause?']).toMatchObject({ Default: 'Settle: Failed without a cause' });
    expect(statesOf()['Settle: Failed without a cause']).toEqual({
      Type: 'Fail',
      ErrorPath: '$.input.Error',
    });
  });

  it('lets the machine invoke the callers’ function, and nothing else of the service', () => {
    const statements = statesOfMachineRole(made().template());
    expect(Object.keys(statements)).toEqual(['lambda:InvokeFunction']);
    const resources = JSON.stringify(statements['lambda:InvokeFunction']?.Resource);
    expect(resources).toContain('LocksServiceFunction');
    expect(resources).not.toContain('LocksExecutions');
  });

  const statesOfMachineRole = (template: Template) => statementsOf(template, 'MachineRole');
});

describe('the wait', () => {
  const heldRetry = (options: Options) =>
    statesOf(options)['Settle: Acquire'].Retry.find(
      ({ ErrorEquals }: { ErrorEquals: string[] }) => ErrorEquals.join() === 'LockHeldError',
    );

  it.each([
    ['15 minutes by default', {}, 15, 123],
    ['half a minute', { waitFor: Duration.seconds(30) }, 5, 14],
    ['an hour', { waitFor: Duration.hours(1) }, 60, 125],
    ['a week', { waitFor: Duration.days(7) }, 300, 4_040],
  ])('%s: tries whose pauses take that long on average', (_, options, ceiling, attempts) => {
    const retry = heldRetry(options);
    expect(retry).toMatchObject({
      IntervalSeconds: 1,
      BackoffRate: 2,
      MaxDelaySeconds: ceiling,
      MaxAttempts: attempts,
      JitterStrategy: 'FULL',
    });
    let seconds = 0;
    for (let i = 0; i < attempts; i++) seconds += Math.min(2 ** i, ceiling) / 2;
    const { waitFor = Duration.minutes(15) }: Options = options;
    const wanted = waitFor.toSeconds();
    expect(seconds).toBeGreaterThanOrEqual(wanted);
    expect(seconds - wanted).toBeLessThan(ceiling);
  });

  it.each([
    ['zero', { waitFor: Duration.seconds(0) }],
    ['what is skipped, by default', { whenHeld: 'skip' as const }],
  ])('%s: one try', (_, options) => {
    expect(heldRetry(options)).toBeUndefined();
  });
});

describe('a lock that is held', () => {
  it('skipped: straight to what follows, with the input', () => {
    const states = statesOf({ whenHeld: 'skip' });
    expect(states['Settle: Acquire'].Catch[0]).toEqual({
      ErrorEquals: ['LockHeldError'],
      ResultPath: '$.lock',
      Next: 'Settle: Skip',
    });
    expect(states['Settle: Skip']).toEqual({ Type: 'Pass', OutputPath: '$.input', Next: 'After' });
  });

  it('states of one’s own: then to what follows', () => {
    const stack = emptyStack();
    const service = new LockService(stack, 'Locks');
    const section = new LockedSection(stack, 'Settle', {
      service,
      name: 'settlement',
      states: new Pass(stack, 'Work'),
      whenHeld: new Pass(stack, 'Tell').next(new Pass(stack, 'Told')),
      waitFor: Duration.seconds(10),
    });
    const machine = machineOf(stack, section.next(new Pass(stack, 'After')));
    service.watchExecutions(machine);
    const states = definitionOf(Template.fromStack(stack)).States;
    expect(states['Settle: Held'].Next).toBe('Tell');
    expect(states.Told.Next).toBe('After');
    expect(states['Settle: Leave'].Next).toBe('After');
  });
});

describe('options', () => {
  it('how long the lock can be held', () => {
    const acquire = statesOf({ timeout: Duration.hours(36) })['Settle: Acquire'];
    expect(acquire.Parameters.Payload.leaseMs).toBe(129_600_000);
  });

  it('how long nobody gets the lock after it was given back, and how much longer one that ran out is left', () => {
    const states = statesOf({ minHold: Duration.minutes(5), lockDelay: Duration.seconds(30) });
    expect(states['Settle: Acquire'].Parameters.Payload.lockDelayMs).toBe(30_000);
    expect(states['Settle: Release'].Parameters.Payload.minHoldMs).toBe(300_000);
    expect(states['Settle: Release after error'].Parameters.Payload.minHoldMs).toBe(300_000);
    // Nobody worked under a lock whose acquire was never answered.
    expect(states['Settle: Give back'].Parameters.Payload).not.toHaveProperty('minHoldMs');
  });

  it('a lock that was lost is passed over', () => {
    const states = statesOf({ whenLost: 'continue' });
    expect(states['Settle: Release'].Next).toBe('Settle: Leave');
    expect(states['Settle: Lost']).toBeUndefined();
  });

  it.each([
    [{ name: '' }, 'Lock name: must be 1 to 1024 bytes of well-formed UTF-8 without control characters'],
    [
      { name: 'a\u0007' },
      'Lock name: must be 1 to 1024 bytes of well-formed UTF-8 without control characters',
    ],
    [{ name: 'a#3' }, 'Lock name: must be none that ends as'],
    [{ name: '$.batch' }, `name: is the text "$.batch"; for a path write JsonPath.stringAt('$.batch')`],
    [{ name: 'report' }, 'name: the lock service allows "settlement/*", got "report"'],
    [{ lockPath: 'lock' }, 'lockPath: must be a path such as "$.lock" or "$.locks.batch", got "lock"'],
    [{ lockPath: '$' }, 'lockPath: must be a path'],
    [{ lockPath: '$.a[0]' }, 'lockPath: must be a path'],
    [{ waitFor: Duration.days(8) }, 'waitFor: must be from 0 seconds to 7 days, got 8 days'],
    [{ timeout: Duration.days(367) }, 'timeout: must be from 1 second to 366 days, got 367 days'],
    [{ minHold: Duration.days(367) }, 'minHold: must be from 0 seconds to 366 days, got 367 days'],
    [{ lockDelay: Duration.days(367) }, 'lockDelay: must be from 0 seconds to 366 days, got 367 days'],
    [{ timeout: Duration.millis(1) }, 'timeout: must be from 1 second to 366 days, got 1 milli'],
    [{ id: 'x'.repeat(57) }, 'id: must have at most 56 characters'],
  ])('%j is refused', (options, message) => {
    expect(() => made(options)).toThrow(message);
  });

  it('a name that the service allows is not', () => {
    expect(() => made({ name: 'settlement/2026' })).not.toThrow();
  });
});

describe('what only synthesis can see', () => {
  it('a service that watches nobody: an aborted execution would hold on', () => {
    expect(() => synthesized({}, { watched: false })).toThrow(
      'Test/Locks watches no executions, so an aborted one would hold the lock for 1 day; call watchExecutions(stateMachine) on it, or make timeout at most 15 minutes',
    );
    expect(() => synthesized({ timeout: Duration.minutes(15) }, { watched: false })).not.toThrow();
  });

  it('an Express machine: nobody can watch its executions', () => {
    expect(() => synthesized({}, { express: true })).toThrow(
      'timeout: must be at most 5 minutes in an Express state machine, whose executions can’t be watched, got 1 day',
    );
    expect(() =>
      synthesized({ timeout: Duration.minutes(5) }, { express: true, watched: false }),
    ).not.toThrow();
  });

  it('of a service elsewhere nothing is known', () => {
    const stack = emptyStack();
    const section = new LockedSection(stack, 'Settle', {
      service: LockService.fromFunctionName(stack, 'Locks', 'locks'),
      name: 'settlement',
      states: new Pass(stack, 'Work'),
    });
    machineOf(stack, section);
    expect(() => (App.of(stack) as App).synth()).not.toThrow();
    expect(definitionOf(Template.fromStack(stack)).States['Settle: Acquire'].TimeoutSeconds).toBe(40);
  });

  function synthesized(...arguments_: Parameters<typeof made>) {
    return (App.of(made(...arguments_).stack) as App).synth();
  }
});

it('two sections of the same id in one machine are refused by CDK', () => {
  const stack = emptyStack();
  const service = new LockService(stack, 'Locks');
  const section = (scope: Stack | Pass, name: string) =>
    new LockedSection(scope, 'Settle', { service, name, states: new Pass(scope, `Work on ${name}`) });
  const nested = new Pass(stack, 'Scope');
  const chain = section(stack, 'a').next(section(nested, 'b'));
  expect(() => machineOf(stack, chain)).toThrow(/Settle: /);
});

function machineOf(stack: Stack, chain: IChainable): StateMachine {
  return new StateMachine(stack, 'Machine', { definitionBody: DefinitionBody.fromChainable(chain) });
}
