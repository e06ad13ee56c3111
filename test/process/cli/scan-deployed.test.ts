import { describe, expect, it } from 'vitest';
import { runCommand, startCommand } from '../../support/cli/command-line.js';
import { type Script, scriptedStepFunctions } from '../../support/cli/scripted-step-functions.js';
import { until } from '../../support/local/child-processes.js';

const stateMachine = 'arn:aws:states:us-east-1:111122223333:stateMachine:Scan';
const executionArn = 'arn:aws:states:us-east-1:111122223333:execution:Scan:one';
const report = {
  ...{ slices: 2, unfinished: 0, objects: 3, bytes: 30, pages: 2, takeovers: 1, listRequests: 4 },
  ...{ failureCount: 0, failures: [], quarantined: [], tiles: true, result: null },
};
const verdict = { status: 'complete', error: '', reason: 'every slice is done', report };
const started = { StartExecution: () => ({ executionArn, startDate: 1 }) };

describe('scan --state-machine', () => {
  it('starts an execution with what was said, follows it, and prints its report', async () => {
    await using functions = await scriptedStepFunctions({
      ...started,
      DescribeExecution: (_input, time) =>
        time < 3 ? execution('RUNNING') : execution('SUCCEEDED', { output: JSON.stringify(verdict) }),
    });
    const args = [
      'scan',
      's3://b/logs/',
      '--seats',
      '4',
      '--run',
      'nightly',
      '--requester-pays',
      '--state-machine',
      stateMachine,
    ];
    const { exitCode, stdout, stderr } = await runCommand([...args, '--json'], functions.env);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      run: 'nightly',
      complete: true,
      location: 's3://b/logs/',
      executionArn,
      executionStatus: 'SUCCEEDED',
      objects: 3,
      takeovers: 1,
      inventory: null,
    });
    const [start] = functions.calls;
    expect(start).toMatchObject({ operation: 'StartExecution', input: { stateMachineArn: stateMachine } });
    expect(JSON.parse(start!.input.input)).toEqual({
      bucket: 'b',
      prefix: 'logs/',
      seats: 4,
      run: 'nightly',
      requesterPays: true,
    });
    expect(functions.calls.filter(({ operation }) => operation === 'DescribeExecution')).toHaveLength(3);
  });

  it('leaves everything to the deployed defaults when nothing was said', async () => {
    await using functions = await scriptedStepFunctions({
      ...started,
      DescribeExecution: () => execution('SUCCEEDED', { output: JSON.stringify(verdict) }),
    });
    const { exitCode, stdout } = await runCommand(['scan', '--state-machine', stateMachine], functions.env);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^scan +complete/);
    const { name, input } = functions.calls[0]!.input;
    expect(input).toBe('{}');
    expect(stdout).toMatch(new RegExp(`^run +${name}$`, 'm'));
  });

  const failed = {
    ...started,
    DescribeExecution: () =>
      execution('FAILED', { error: 'CompletedWithFailures', cause: '1 objects failed; the first: k: why' }),
  } satisfies Script;

  it('prints the report of a failed execution from its history, and ends with 1', async () => {
    const failures = [{ key: 'k', error: 'why' }];
    const found = {
      ...verdict,
      status: 'completed-with-failures',
      report: { ...report, failureCount: 1, failures },
    };
    await using functions = await scriptedStepFunctions({
      ...failed,
      GetExecutionHistory: () => ({
        events: [
          { id: 9, timestamp: 1, type: 'ExecutionFailed' },
          {
            id: 8,
            timestamp: 1,
            type: 'TaskStateExited',
            stateExitedEventDetails: { name: 'Verify', output: JSON.stringify({ verdict: found }) },
          },
        ],
      }),
    });
    const { exitCode, stdout } = await runCommand(['scan', '--state-machine', stateMachine], functions.env);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^scan +completed with failures/);
    expect(stdout).toMatch(/^k +why$/m);
  });

  it('tells error and cause in one line when the history may not be read', async () => {
    await using functions = await scriptedStepFunctions({
      ...failed,
      GetExecutionHistory: () => ({ __type: 'AccessDeniedException' }),
    });
    const { exitCode, stdout, stderr } = await runCommand(
      ['scan', '--state-machine', stateMachine],
      functions.env,
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain('The execution ended FAILED: CompletedWithFailures: 1 objects failed');
  });

  it('ends with 78 and one line when the state machine does not exist', async () => {
    await using functions = await scriptedStepFunctions({
      StartExecution: () => ({ __type: 'StateMachineDoesNotExist', message: 'State Machine Does Not Exist' }),
    });
    const { exitCode, stderr } = await runCommand(['scan', '--state-machine', stateMachine], functions.env);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 78,
      stderr: 'leasehold: State Machine Does Not Exist\n',
    });
  });

  it('stops following at Ctrl-C, and says that the execution goes on and how to stop it', async () => {
    await using functions = await scriptedStepFunctions({
      ...started,
      DescribeExecution: () => execution('RUNNING'),
    });
    const command = startCommand(['scan', '--state-machine', stateMachine], functions.env);
    await until(async () => functions.calls.length > 1);
    command.child.kill('SIGINT');
    const { exitCode, stderr } = await command.ended;
    expect(exitCode).toBe(130);
    expect(stderr).toContain('the execution goes on; stop it with: aws stepfunctions stop-execution');
    expect(stderr).toContain(executionArn);
    expect(functions.calls.map(({ operation }) => operation)).not.toContain('StopExecution');
  });
});

function execution(status: string, end: Record<string, string> = {}) {
  return { executionArn, stateMachineArn: stateMachine, status, startDate: 1, ...end };
}
