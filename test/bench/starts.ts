import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleLambda } from '../../bin/build/lambda-bundles.js';
import { buildLibrary } from '../../bin/build/package/library.js';
import { ratios } from './rounds.js';
import { medianOf, type Row, rowOf } from './row.js';
import { startStore, table } from './store.js';

const run = promisify(execFile);
const home = join(process.cwd(), '.leasehold/bench');
const starting = join(process.cwd(), 'test/bench/starting');

/** How long processes take until they can be used: what is imported by a program, and functions until their first answer. */
export async function startRows(rounds: number): Promise<readonly Row[]> {
  return [...(await importRows(rounds)), ...(await functionRows(rounds))];
}

/** A new process for each import. What Node itself needs to start is not counted. */
async function importRows(rounds: number): Promise<readonly Row[]> {
  const dist = join(home, 'package');
  await buildLibrary(dist);
  const importing = (what: string) => ({ program: () => `await import(${JSON.stringify(what)})` });
  const requiring = (what: string) => ({
    program: () =>
      `(await import('node:module')).createRequire(process.cwd() + '/bench.js')(${JSON.stringify(what)})`,
  });
  const took = await startsInTurns(
    {
      sdk: importing('@aws-sdk/client-dynamodb'),
      leasehold: importing(join(dist, 'node/index.js')),
      lambda: importing(join(dist, 'node/lambda.js')),
      sdkRequired: requiring('@aws-sdk/client-dynamodb'),
      required: requiring(join(dist, 'node/index.cjs')),
      lambdaRequired: requiring(join(dist, 'node/lambda.cjs')),
    },
    rounds,
  );
  return [
    ...rowsOf('cold import of leasehold ÷ of the SDK’s client', '≤ 1.15', took.leasehold, took.sdk),
    ...rowsOf('the same by require', '≤ 1.15', took.required, took.sdkRequired),
    ...rowsOf('cold import of leasehold/lambda ÷ of the SDK’s client', '≤ 1.3', took.lambda, took.sdk),
    ...rowsOf('the same by require', '≤ 1.3', took.lambdaRequired, took.sdkRequired),
  ];
}

/** By the clock, and by the processor's time, which a machine with other work to do changes less. */
function rowsOf(what: string, aim: string, measured: readonly Start[], base: readonly Start[]): Row[] {
  const by = (time: keyof Start) =>
    ratios(
      measured.map((start) => start[time]),
      base.map((start) => start[time]),
    );
  return [rowOf(what, aim, by('ms')), rowOf('— by CPU time', '', by('cpuMs'))];
}

/**
 * Bundled alike, with the same SDK client, from the same JSON to one item of the same size in a local engine. The service
 * does more: its first request asks for the time, each has an end, it checks what it is asked, and logs and counts what it
 * grants.
 */
async function functionRows(rounds: number): Promise<readonly Row[]> {
  await using dynamo = await startStore();
  const [service, bare] = await Promise.all([
    bundleLambda(join(process.cwd(), 'lambda/lock-service.ts'), join(home, 'service')),
    bundleLambda(join(starting, 'bare-handler.ts'), join(home, 'bare')),
  ]);
  const env = {
    ...process.env,
    // A proxy of this machine's would be gone through by one of the two.
    HTTPS_PROXY: '',
    https_proxy: '',
    AWS_CA_BUNDLE: '',
    AWS_REGION: 'us-east-1',
    LEASEHOLD_TABLE: table,
    LEASEHOLD_DYNAMODB_ENDPOINT: dynamo.endpoint,
    AWS_LAMBDA_FUNCTION_NAME: 'bench',
  };
  const silent = { LEASEHOLD_LOGS: 'off', LEASEHOLD_METRICS: 'off' };
  let calls = 0;
  const invoking = (path: string) => () => {
    const request = {
      operation: 'acquire',
      name: `start/${calls++}`,
      owner: 'bench',
      leaseMs: 10_000,
      leaseId: `lease-of-start-${calls}`,
    };
    return `const { handler } = await import(${JSON.stringify(path)});
      const answer = await handler(${JSON.stringify(request)}, { getRemainingTimeInMillis: () => 60_000 });
      if (answer?.ok !== true) throw new Error(JSON.stringify(answer))`;
  };
  const took = await startsInTurns(
    {
      service: { program: invoking(service.path), env },
      silent: { program: invoking(service.path), env: { ...env, ...silent } },
      bare: { program: invoking(bare.path), env },
    },
    rounds,
  );
  return [
    ...rowsOf(
      'lock service, bundle loaded to first answer ÷ a bare handler',
      '≤ 1.2',
      took.service,
      took.bare,
    ),
    ...rowsOf('the same without logs and metrics', '', took.silent, took.bare),
  ];
}

/** How long a program took, from its first line to its last. */
interface Start {
  readonly ms: number;
  /** Of its process, all threads together. */
  readonly cpuMs: number;
}

interface Program {
  /** Its text; another one for each start. */
  readonly program: () => string;
  readonly env?: NodeJS.ProcessEnv;
}

/** A new process for each start. Of each round the middle one counts. */
async function startsInTurns<Label extends string>(
  programs: Readonly<Record<Label, Program>>,
  rounds: number,
): Promise<Readonly<Record<Label, readonly Start[]>>> {
  const labels = Object.keys(programs) as Label[];
  const empty = () =>
    Object.fromEntries(labels.map((label) => [label, [] as Start[]])) as Record<Label, Start[]>;
  const took = empty();
  const starts = 5;
  for (let round = -1; round < rounds; round++) {
    const samples = empty();
    for (let start = 0; start < starts; start++) {
      for (const label of labels) samples[label].push(await startOnce(programs[label]));
    }
    if (round < 0) continue;
    for (const label of labels) {
      const middle = (time: keyof Start) => medianOf(samples[label].map((start) => start[time]));
      took[label].push({ ms: middle('ms'), cpuMs: middle('cpuMs') });
    }
  }
  return took;
}

async function startOnce({ program, env = process.env }: Program): Promise<Start> {
  const timed = `const used = process.cpuUsage(); const from = performance.now();
    ${program()};
    const ms = performance.now() - from; const { user, system } = process.cpuUsage(used);
    console.error('took', ms, (user + system) / 1000); process.exit(0);`;
  const { stderr } = await run(process.execPath, ['--input-type=module', '-e', timed], {
    cwd: process.cwd(),
    env: { ...env, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
  });
  const [, ms, cpuMs] = /took (\S+) (\S+)/.exec(stderr) ?? [];
  return { ms: Number(ms), cpuMs: Number(cpuMs) };
}
