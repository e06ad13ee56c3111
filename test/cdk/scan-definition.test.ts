import { describe, expect, it } from 'vitest';
import { definitionOf, stackTemplate, statementsOf } from './synthesize.js';

const template = stackTemplate({ bucketName: 'data', prefix: 'logs/' });
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
      { ErrorEquals: work.Retry[0].ErrorEquals, ResultPath: null, Next: 'Seat gave up' },
    ]);
  });
});

describe('the map', () => {
  it('is distributed, over the seats, and its results are not kept', () => {
    expect(states.Seats).toMatchObject({
      Type: 'Map',
      ItemsPath: '$.seats',
      MaxConcurrency: 16,
      ResultPath: null,
      ItemProcessor: { ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' }, StartAt: 'Work' },
    });
  });

  it('works on while a seat answers "more"', () => {
    expect(states.Seats.ItemProcessor.States['More to do?'].Choices).toEqual([
      { Variable: '$.status', StringEquals: 'more', Next: 'Work' },
    ]);
  });

  it('may start its child executions', () => {
    expect(statementsOf(template, 'ScanStateMachineDistributedMapPolicy')).toHaveProperty([
      'states:StartExecution',
    ]);
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
