import { describe, expect, it } from 'vitest';
import { definitionOf, stackTemplate, statementsOf } from '../../support/cdk/synthesize.js';

const template = stackTemplate({ bucketName: 'data', prefix: 'logs/', lockService: false });
const { States: states, ...machine } = definitionOf(template);
const work = states.Seats.ItemProcessor.States.Work;

describe('retries', () => {
  it.each([
    ['Plan', states.Plan],
    ['Work', work],
    ['Verify', states.Verify],
  ])('%s: backoff with full jitter, bounded, with an end for every attempt', (_, task) => {
    expect(task.Retry).toEqual([
      {
        ErrorEquals: expect.any(Array),
        IntervalSeconds: 1,
        BackoffRate: 2,
        MaxAttempts: 5,
        MaxDelaySeconds: 30,
        JitterStrategy: 'FULL',
      },
    ]);
    expect(task.TimeoutSeconds).toBeGreaterThan(60);
    expect(task.Resource).toBe('arn:AWS::Partition:states:::lambda:invoke');
  });

  it('cover crashes, time-outs, the service and the store', () => {
    expect(work.Retry[0].ErrorEquals).toEqual(
      expect.arrayContaining([
        'Lambda.ServiceException',
        'Lambda.AWSLambdaException',
        'Lambda.SdkClientException',
        'Lambda.TooManyRequestsException',
        'Lambda.Unknown',
        'Runtime.ExitError',
        'Sandbox.Timedout',
        'States.Timeout',
        'StoreError',
      ]),
    );
  });

  it('do not cover what a retry can not mend', () => {
    const matched: string[] = work.Retry[0].ErrorEquals;
    expect(matched).not.toContain('UsageError');
    expect(matched).not.toContain('States.ALL');
    expect(matched).not.toContain('States.TaskFailed');
  });

  it('a seat that gave up leaves the rest to the others', () => {
    expect(work.Catch).toEqual([
      { ErrorEquals: work.Retry[0].ErrorEquals, ResultPath: '$.failure', Next: 'Seat gave up' },
      { ErrorEquals: ['States.ALL'], ResultPath: '$.failure', Next: 'Seat failed' },
    ]);
    const { 'Seat gave up': gaveUp, 'Seat failed': failed } = states.Seats.ItemProcessor.States;
    // Names only: a cause has no limit, and the map's result has one.
    expect(gaveUp.Parameters).toEqual({ 'seat.$': '$.seat', 'gaveUp.$': '$.failure.Error' });
    expect(failed.Parameters).toEqual({ 'seat.$': '$.seat', 'failed.$': '$.failure.Error' });
  });
});

describe('the map', () => {
  it('is distributed, over the seats, tolerates no failure, and tells verify how each seat ended', () => {
    expect(states.Seats).toMatchObject({
      Type: 'Map',
      ItemsPath: '$.seats',
      MaxConcurrency: 8,
      ResultPath: '$.ends',
      Label: 'Seats',
      ItemProcessor: { ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' }, StartAt: 'Work' },
    });
  });

  it('has no tolerated failures, as a seat catches its own', () => {
    expect(Object.keys(states.Seats).join(' ')).not.toMatch(/Tolerated|ItemReader|ResultWriter|ItemBatcher/);
    expect(states.Verify.Parameters.Payload).toEqual({ 'run.$': '$.run', 'seats.$': '$.ends' });
  });

  it('works on while a seat answers "more"', () => {
    expect(states.Seats.ItemProcessor.States['More to do?'].Choices).toEqual([
      { Variable: '$.status', StringEquals: 'more', Next: 'Work' },
    ]);
  });

  it('may start its child executions, and go on with those that failed, by its label', () => {
    const statements = statementsOf(template, 'ScanStateMachineDistributedMapPolicy');
    expect(statements).toHaveProperty(['states:StartExecution']);
    expect(JSON.stringify(statements['states:RedriveExecution'])).toContain('/Seats:*');
  });
});

describe('the run', () => {
  it("takes its id from the execution's name", () => {
    expect(states.Plan.Parameters.Payload).toMatchObject({ 'run.$': '$$.Execution.Name', 'input.$': '$' });
  });

  it('ends in any case', () => {
    expect(machine.TimeoutSeconds).toBe(86_400);
    const rounds = states.Verdict.Choices.find((choice: { Next: string }) => choice.Next === 'Pause');
    expect(rounds.And[1]).toEqual({ Variable: '$.round', NumericLessThan: 5 });
  });

  it('tells every bad end by a name of its own', () => {
    expect(states['Completed with failures']).toMatchObject({
      Error: 'CompletedWithFailures',
      CausePath: '$.verdict.reason',
    });
    expect(states['Too many rounds']).toMatchObject({ Error: 'TooManyRounds' });
    expect(states.Failed).toMatchObject({ ErrorPath: '$.verdict.error', CausePath: '$.verdict.reason' });
  });

  it('is in JSONPath mode, which the local interpreter reads', () => {
    expect(machine.QueryLanguage ?? 'JSONPath').toBe('JSONPath');
  });
});
