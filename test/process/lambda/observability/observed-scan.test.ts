import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  runStateMachine,
  type StateMachineDefinition,
  synthesizedStateMachine,
} from '../../../../bin/start/state-machine/index.js';
import type { VerdictAnswer } from '../../../../lib/scan/index.js';
import { ObservedOutput } from '../../../support/lambda/observed-output.js';
import { lambdaFixture, type ScanBench, scanBench } from '../../../support/lambda/scan-bench.js';
import { until } from '../../../support/until.js';

const keys = Array.from({ length: 120 }, (_, i) => `${'abcd'[i % 4]}/${i.toString(36)}/object-${i}.txt`);

let bench: ScanBench;
let definition: StateMachineDefinition;

beforeAll(async () => {
  [bench, definition] = await Promise.all([scanBench(keys), synthesizedStateMachine({ seats: 3 })]);
});
afterAll(() => bench?.[Symbol.asyncDispose]());

async function report(outcome: Awaited<ReturnType<typeof runStateMachine>>) {
  expect(outcome).toMatchObject({ status: 'SUCCEEDED' });
  return ((outcome as { output: unknown }).output as VerdictAnswer).report;
}

describe('the deployed functions of a scan tell what they did', () => {
  it('slices planned and done are those of the report, and each was one lease', async () => {
    const output = new ObservedOutput();
    await using lambda = await bench.start({ hooks: { onOutput: output.take } });
    const input = { bucket: 'data', seats: 3, slices: 6, pageSize: 20 };
    const options = { invoke: lambda.invoke, executionName: 'told' };
    const { slices } = await report(await runStateMachine(definition, input, options));
    await until('all slices', () => (output.counts.SlicesDone ?? 0) >= slices);
    // A worker that split a slice made another one: what was planned is fewer than what was done then.
    expect(output.counts).toMatchObject({ SlicesDone: slices, Granted: slices });
    expect(output.counts.SlicesPlanned).toBeLessThanOrEqual(slices);
    expect(output.counts.SlicesPlanned).toBeGreaterThan(1);
    expect(output.metrics.HoldTime?.values).toHaveLength(slices);
    for (const { run, function_name } of output.logs) {
      expect({ run, function_name }).toEqual({
        run: 'told',
        function_name: expect.stringMatching(/plan|work/),
      });
    }
  });

  it('a slice taken over from a worker that was killed, by the one that took it', async () => {
    const output = new ObservedOutput();
    let killed = 0;
    await using lambda = await bench.start({
      env: { LEASEHOLD_LEASE_MS: '3000' },
      work: { preload: [lambdaFixture('forward-scan-events')] },
      hooks: {
        onOutput: output.take,
        onMessage({ pid }, message) {
          const { event, pages = 0 } = message as { event: string; pages?: number };
          if (event !== 'scan-page-claimed' || killed > 0 || pages < 1) return;
          killed = pid;
          process.kill(pid, 'SIGKILL');
        },
      },
    });
    const input = { bucket: 'data', seats: 3, slices: 4, pageSize: 5 };
    const options = { invoke: lambda.invoke, executionName: 'killed' };
    await report(await runStateMachine(definition, input, options));
    await until('the takeover', () => (output.counts.SlicesTakenOver ?? 0) >= 1);
    const lines = output.logs.filter(({ message }) => message === 'slice taken over');
    expect(lines[0]).toMatchObject({ level: 'WARN', run: 'killed', takenOverFrom: expect.anything() });
    expect(output.counts).toMatchObject({ SlicesTakenOver: lines.length, Takeover: lines.length });
  });

  it('a slice lost over a freeze is told by the process that wakes, once', async () => {
    const output = new ObservedOutput();
    let frozen = 0;
    await using lambda = await bench.start({
      env: { LEASEHOLD_LEASE_MS: '3000' },
      work: { preload: [lambdaFixture('forward-scan-events')] },
      hooks: {
        onOutput: output.take,
        onMessage({ pid }, message) {
          const {
            event,
            pages = 0,
            takenOver,
          } = message as {
            event: string;
            pages?: number;
            takenOver?: boolean;
          };
          if (event === 'scan-page-claimed' && frozen === 0 && pages >= 1) {
            frozen = pid;
            process.kill(pid, 'SIGSTOP');
          }
          // Somebody else has it by now: the sleeper finds out.
          if (event === 'scan-slice-acquired' && takenOver) process.kill(frozen, 'SIGCONT');
        },
      },
    });
    const input = { bucket: 'data', seats: 3, slices: 4, pageSize: 5 };
    const options = { invoke: lambda.invoke, executionName: 'frozen' };
    await report(await runStateMachine(definition, input, options));
    await until('the loss', () => (output.counts.SlicesLost ?? 0) >= 1);
    const lines = (message: string) => output.logs.filter((line) => line.message === message).length;
    expect(output.counts).toMatchObject({
      SlicesLost: lines('slice lost'),
      Lost: lines('lease lost'),
      SlicesTakenOver: lines('slice taken over'),
    });
    expect(lines('lease lost')).toBe(lines('slice lost'));
  });
});
