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
  const importing = (what: string) => `await import(${JSON.stringify(what)})`;
  const requiring = (what: string) =>
    `(await import('node:module')).createRequire(process.cwd() + '/bench.js')(${JSON.stringify(what)})`;
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
    rowOf('cold import of leasehold ÷ of the SDK’s client', '≤ 1.15', ratios(took.leasehold, took.sdk)),
    rowOf('the same by require', '≤ 1.15', ratios(took.required, took.sdkRequired)),
    rowOf('cold import of leasehold/lambda ÷ of the SDK’s client', '≤ 1.3', ratios(took.lambda, took.sdk)),
    rowOf('the same by require', '≤ 1.3', ratios(took.lambdaRequired, took.sdkRequired)),
  ];
}

/** Bundled alike, until the first answer of a local engine. */
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
    { service: invoking(service.path), bare: invoking(bare.path) },
    rounds,
    env,
  );
  return [
    rowOf(
      'lock service, bundle loaded to first answer ÷ a bare handler',
      '≤ 1.2',
      ratios(took.service, took.bare),
    ),
  ];
}

/** Milliseconds from the first line of the program to its last, as its process measures them. */
async function startsInTurns<Label extends string>(
  programs: Readonly<Record<Label, string | (() => string)>>,
  rounds: number,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Readonly<Record<Label, readonly number[]>>> {
  const labels = Object.keys(programs) as Label[];
  const took = Object.fromEntries(labels.map((label) => [label, [] as number[]])) as Record<Label, number[]>;
  const starts = 3;
  for (let round = -1; round < rounds; round++) {
    const samples = Object.fromEntries(labels.map((label) => [label, [] as number[]])) as Record<
      Label,
      number[]
    >;
    for (let start = 0; start < starts; start++) {
      for (const label of labels) {
        const given: string | (() => string) = programs[label];
        const program = typeof given === 'string' ? given : given();
        samples[label].push(await startOnce(program, env));
      }
    }
    if (round < 0) continue;
    for (const label of labels) took[label].push(medianOf(samples[label]));
  }
  return took;
}

async function startOnce(program: string, env: NodeJS.ProcessEnv): Promise<number> {
  const timed = `const from = performance.now(); ${program}; console.error('took', performance.now() - from); process.exit(0);`;
  const { stderr } = await run(process.execPath, ['--input-type=module', '-e', timed], {
    cwd: process.cwd(),
    env: { ...env, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
  });
  return Number(/took (\S+)/.exec(stderr)?.[1]);
}
