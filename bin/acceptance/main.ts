import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { type Interrupted, listenForInterruption } from '../terminal/interruption.js';
import { type Cdk, cdkOf, leaseholdCommand } from './cdk.js';

import { emulatorContext, emulatorGaps, emulatorRemarks, NoEmulator, startEmulator } from './emulator.js';

import { emptyBucket, listPlainly, objectKeys, objectPrefix, putObjects } from './objects.js';
import { type AcceptanceOptions, acceptanceOptions, usage } from './options.js';
import { AcceptanceRecord, countRequests, expect, expectedDollars, recordCost } from './record.js';

import {
  findLeftovers,
  lookAtContention,
  lookAtContract,
  lookAtSection,
  type Means,
  measure,
  type Outputs,
  throughService,
} from './steps.js';

const tell = (line: string) => void process.stderr.write(`${line}\n`);

/** Runs the acceptance. @returns the exit code: 0 if all was as expected and nothing is left */
export async function main(args: readonly string[]): Promise<number> {
  const options = acceptanceOptions(args);
  if (options === 'help') {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  if (!options.emulator) return accept(options);
  try {
    await using emulator = await startEmulator();
    return await accept({ ...options, endpoint: emulator.endpoint });
  } catch (error) {
    if (!(error instanceof NoEmulator)) throw error;
    process.stdout.write(`SKIPPED: acceptance on an emulator: ${error.message}\n`);
    return 0;
  }
}

async function accept(options: AcceptanceOptions): Promise<number> {
  if (options.endpoint !== undefined) useEmulator(options.endpoint);
  if (options.region !== undefined) process.env.AWS_REGION = options.region;
  const stack = `LeaseholdAcceptance-${randomBytes(4).toString('hex')}`;
  if (!options.yes && !(await isWanted(stack, options))) return 1;
  using stop = listenForInterruption({
    alsoCrashes: true,
    onFirst: (name) =>
      tell(`${name}: the stack ${stack} is removed first; once more ends at once and leaves it there`),
  });
  const directory = await mkdtemp(join(tmpdir(), 'leasehold-acceptance-'));
  const record = new AcceptanceRecord(options.endpoint === undefined ? new Map() : emulatorGaps, tell);
  try {
    const isGone = await run({ options, stack, directory, record, signal: stop.signal });
    report(options, record, isGone);
    if (stop.signal.aborted) return (stop.signal.reason as Interrupted).exitCode;
    return record.failed.length === 0 && (isGone || options.keep) ? 0 : 1;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Emulators take any credentials; the user's own must not go there. */
function useEmulator(endpoint: string): void {
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: process.env.AWS_REGION ?? 'us-east-1',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  });
  delete process.env.AWS_PROFILE;
  delete process.env.AWS_SESSION_TOKEN;
}

async function isWanted(stack: string, { endpoint, objects }: AcceptanceOptions): Promise<boolean> {
  const where =
    endpoint ?? `the account that the AWS SDK finds (${process.env.AWS_PROFILE ?? 'default credentials'})`;
  tell(
    `This deploys the stack ${stack} into ${where}, puts ${objects} objects into a bucket of its own, runs for some ten minutes, and removes all of it. In AWS that costs about $${expectedDollars}. The account must be bootstrapped (npx cdk bootstrap).`,
  );
  if (!process.stdin.isTTY) {
    tell('Nobody is there to ask: give --yes.');
    return false;
  }
  const asked = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await asked.question('Go on? [y/N] ');
  asked.close();
  return /^y(es)?$/i.test(answer.trim());
}

interface Run {
  readonly options: AcceptanceOptions;
  readonly stack: string;
  readonly directory: string;
  readonly record: AcceptanceRecord;
  readonly signal: AbortSignal;
}

/** @returns whether nothing is left */
async function run({ options, stack, directory, record, signal }: Run): Promise<boolean> {
  const isEmulated = options.endpoint !== undefined;
  const context = isEmulated ? emulatorContext : {};
  const cdk = cdkOf(stack, directory, context, (line) => tell(`  ${line}`));
  const path = isEmulated ? { forcePathStyle: true } : {};
  const dynamo = new DynamoDBClient({});
  const lambda = new LambdaClient({});
  const s3 = new S3Client(path);
  const sfn = new SFNClient({});
  const counts = new Map<string, number>();
  countRequests([dynamo, lambda, s3, sfn], counts);
  let outputs: Outputs | undefined;
  let isDeploying = false;
  try {
    if (isEmulated) await done(cdk, ['bootstrap'], signal);
    isDeploying = true;
    outputs = await deploy(cdk, directory, stack, signal);
    await lookAround({ outputs, dynamo, lambda, s3, sfn, signal }, { options, record, cdk, directory });
  } catch (error) {
    if (!signal.aborted) await record.look('deployment', () => Promise.reject(error), signal);
  }
  recordCost(counts, record);
  if (options.keep) {
    tell(`Kept. To remove it: empty the bucket ${outputs?.Bucket}, then delete the stack ${stack}.`);
    return false;
  }
  return isDeploying ? remove({ cdk, outputs, dynamo, lambda, s3 }, record) : true;
}

async function done(cdk: Cdk, args: readonly string[], signal?: AbortSignal): Promise<string> {
  signal?.throwIfAborted();
  const { exitCode, output } = await cdk(args, signal);
  signal?.throwIfAborted();
  if (exitCode !== 0)
    throw new Error(`cdk ${args.join(' ')} ended with ${exitCode}: ${output.slice(-2_000)}`);
  return output;
}

async function deploy(
  cdk: Cdk,
  directory: string,
  stack: string,
  signal: AbortSignal,
  ...settings: string[]
): Promise<Outputs> {
  const file = join(directory, 'outputs.json');
  await done(cdk, ['deploy', '--require-approval', 'never', '--outputs-file', file, ...settings], signal);
  const outputs: Readonly<Record<string, string>> = JSON.parse(await readFile(file, 'utf8'))[stack];
  const named = Object.entries(outputs).map(([name, value]) => [name.replace(/Output$/, ''), value]);
  return Object.fromEntries(named) as Outputs;
}

interface Around extends Pick<Run, 'options' | 'record' | 'directory'> {
  readonly cdk: Cdk;
}

async function lookAround(means: Means, { options, record, cdk }: Around): Promise<void> {
  const { outputs, s3, signal } = means;
  const keys = objectKeys(options.objects);
  await measure(means, record);
  await lookAtHealth(means, record);
  await lookAtContract(means, record);
  await lookAtContention(means, record);
  await lookAtSection(means, record);
  await putObjects(s3, outputs.Bucket, keys, signal);
  await record.look(
    'scan: equals an independent listing',
    async () => {
      const args = ['scan', '--state-machine', outputs.Scan, '--table', outputs.Table, '--json'];
      const { exitCode, output } = await leaseholdCommand(args, signal);
      expect(exitCode === 0, 'exit code 0', output.slice(-1_000));
      const scanned = JSON.parse(output) as { readonly objects: number; readonly bytes: number };
      const listed = await listPlainly(s3, outputs.Bucket, objectPrefix);
      const bytes = listed.reduce((sum, { size }) => sum + size, 0);
      const isSame =
        scanned.objects === listed.length && scanned.bytes === bytes && listed.length === keys.length;
      expect(isSame, `${listed.length} objects of ${bytes} bytes`, [scanned.objects, scanned.bytes]);
    },
    signal,
  );
  await record.look(
    'redeployment: nothing has changed',
    async () => {
      const { exitCode, output } = await cdk(['diff', '--fail'], signal);
      expect(exitCode === 0, 'no difference', output.slice(-1_000));
    },
    signal,
  );
  await using locks = throughService(means);
  const lease = await locks.acquire('acceptance/update', { leaseMs: 900_000 });
  await record.look(
    'update: a changed stack is deployed',
    async () => {
      const changed = 1_024;
      await done(cdk, ['deploy', '--require-approval', 'never', '-c', `memoryMb=${changed}`], signal);
      const command = new GetFunctionConfigurationCommand({ FunctionName: outputs.Service });
      const { MemorySize } = await means.lambda.send(command);
      expect(MemorySize === changed, `${changed} MB`, MemorySize);
    },
    signal,
  );
  await record.look(
    'update: what is held stays held, with its token',
    async () => {
      await lease.renew();
      expect(lease.isHeld, 'a lease that is held');
      await lease.release();
      const next = await locks.acquire('acceptance/update');
      expect(next.token > lease.token, 'a higher token', [lease.token, next.token]);
      await next.release();
    },
    signal,
  );
  for (const remark of options.endpoint === undefined ? [] : emulatorRemarks) tell(`left out: ${remark}`);
}

type Removed = Pick<Means, 'dynamo' | 'lambda' | 's3'> & {
  readonly cdk: Cdk;
  readonly outputs: Outputs | undefined;
};

/** Not by the user's signal: whatever was begun is taken away, also after an interruption. */
async function remove({ cdk, outputs, ...clients }: Removed, record: AcceptanceRecord): Promise<boolean> {
  const never = new AbortController().signal;
  let left: string[] = ['the stack'];
  await record.look(
    'removal: nothing is left',
    async () => {
      tell('removing all of it …');
      if (outputs) await emptyBucket(clients.s3, outputs.Bucket);
      await destroy(cdk);
      left = outputs ? await findLeftovers({ outputs, ...clients }) : [];
      expect(left.length === 0, 'nothing left', left);
    },
    never,
  );
  return left.length === 0;
}

function report({ json, endpoint }: AcceptanceOptions, record: AcceptanceRecord, isGone: boolean): void {
  const { findings, measured, failed } = record;
  if (json) {
    const leftOut = endpoint === undefined ? [] : emulatorRemarks;
    process.stdout.write(
      `${JSON.stringify({ ok: failed.length === 0, isGone, findings, leftOut, measured }, null, 2)}\n`,
    );
    return;
  }
  const lines = [
    ...Object.entries(measured).map(([name, value]) => `${name.padEnd(24)} ${value}`),
    '',
    ...findings.map(({ what, outcome, why }) => `${outcome}: ${what}${why ? ` (${why})` : ''}`),
    '',
    failed.length === 0 ? 'All was as expected.' : `${failed.length} NOT as expected.`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

interface HealthFinding {
  readonly check: string;
  readonly status: string;
}

/** What `doctor` says of the table. Expiry is looked at by itself, since emulators do not have it. */
async function lookAtHealth({ outputs, signal }: Means, record: AcceptanceRecord): Promise<void> {
  const args = ['doctor', '--table', outputs.Table, '--json'];
  const isExpiry = ({ check }: HealthFinding) => check === 'time to live';
  let findings: readonly HealthFinding[] = [];
  await record.look(
    'doctor: finds nothing wrong',
    async () => {
      const { output } = await leaseholdCommand(args, signal);
      ({ findings } = JSON.parse(output) as { readonly findings: readonly HealthFinding[] });
      expect(findings.some(isExpiry), 'a word about expiry', findings);
      const troubles = findings.filter((one) => one.status !== 'ok' && !isExpiry(one));
      expect(troubles.length === 0, 'nothing wrong', troubles);
    },
    signal,
  );
  await record.look(
    'doctor: items expire',
    async () => expect(findings.find(isExpiry)?.status === 'ok', 'a table whose items expire', findings),
    signal,
  );
}

/** A deployment that was cut off may still be under way, and can't be removed at once. */
async function destroy(cdk: Cdk): Promise<void> {
  const attempts = 20;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await done(cdk, ['destroy', '--force']);
      return;
    } catch (error) {
      if (attempt === attempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, 15_000));
    }
  }
}
