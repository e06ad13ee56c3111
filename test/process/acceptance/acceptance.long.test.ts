import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { ListStateMachinesCommand, SFNClient } from '@aws-sdk/client-sfn';
import { afterAll, describe, expect, it } from 'vitest';
import { type Emulator, NoEmulator, startEmulator } from '../../../bin/acceptance/emulator.js';

const started = await startEmulator().catch((error: unknown) => {
  if (error instanceof NoEmulator) return error.message;
  throw error;
});
const why = typeof started === 'string' ? started : undefined;
const emulator = typeof started === 'string' ? undefined : (started as Emulator);

/** `npm run acceptance` over an emulator of AWS. */
describe.skipIf(why)(`the acceptance on an emulator${why ? ` (skipped: ${why})` : ''}`, () => {
  afterAll(() => emulator?.[Symbol.asyncDispose]());

  /** @param stopAt the line at which it gets a SIGINT */
  async function accept(options: readonly string[], stopAt?: RegExp) {
    const args = ['--import', 'tsx', 'bin/acceptance.ts', '--yes', '--objects', '20', ...options];
    const child = spawn(process.execPath, [...args, '--endpoint', emulator!.endpoint], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, AWS_REGION: 'us-east-1' },
    });
    let output = '';
    let isStopped = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (isStopped || !stopAt?.test(output)) return;
        isStopped = true;
        child.kill('SIGINT');
      });
    }
    const [exitCode] = (await once(child, 'close')) as [number | null];
    return { exitCode, output, isStopped };
  }

  /** All that the emulator has by now, but for what `cdk bootstrap` made. */
  async function left(): Promise<readonly string[]> {
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    const config = { endpoint: emulator!.endpoint, region: 'us-east-1', credentials };
    const tables = await new DynamoDBClient(config).send(new ListTablesCommand({}));
    const functions = await new LambdaClient(config).send(new ListFunctionsCommand({}));
    const machines = await new SFNClient(config).send(new ListStateMachinesCommand({}));
    const buckets = await new S3Client({ ...config, forcePathStyle: true }).send(new ListBucketsCommand({}));
    return [
      ...(tables.TableNames ?? []),
      ...(functions.Functions ?? []).map(({ FunctionName }) => FunctionName!),
      ...(machines.stateMachines ?? []).map(({ name }) => name!),
      ...(buckets.Buckets ?? []).map(({ Name }) => Name!).filter((name) => !name.startsWith('cdk-')),
    ];
  }

  it.each([
    ['before anything is there', /Bootstrapping/],
    ['amid the deployment', /deploying\.\.\./],
    ['amid the contract', /as expected: contract: granted once/],
    ['amid the scan', /StopExecution frees the lock/],
    ['amid the update', /as expected: redeployment/],
  ])('that is interrupted %s leaves nothing behind', async (_, stopAt) => {
    const { exitCode, output, isStopped } = await accept([], stopAt);
    expect({ isStopped, exitCode, output, left: await left() }).toEqual({
      isStopped: true,
      exitCode: 130,
      output: expect.any(String),
      left: [],
    });
    expect(output).not.toContain('NOT as expected');
  });

  it('finds all as expected, and leaves nothing behind', async () => {
    const { exitCode, output } = await accept([]);
    expect({ exitCode, output, left: await left() }).toEqual({
      exitCode: 0,
      output: expect.stringContaining('All was as expected.'),
      left: [],
    });
  });

  it('with --keep says what stays, and how to remove it', async () => {
    const { exitCode, output } = await accept(['--keep']);
    const stack = /LeaseholdAcceptance-[0-9a-f]+/.exec(output)![0];
    expect({ exitCode, output }).toEqual({
      exitCode: 0,
      output: expect.stringMatching(/Kept\. To remove it: empty the bucket \S+, then delete the stack \S+/),
    });
    expect((await left()).some((name) => name.toLowerCase().startsWith(stack.toLowerCase()))).toBe(true);
  });
});
