import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  type LocalFunction,
  type LocalLambda,
  type LocalLambdaOptions,
  startLocalLambda,
} from '../../../bin/start/state-machine/index.js';
import { createLeaseTable, startDynamo, startS3, walkDirectory } from '../../../lib/local/index.js';
import { bundledHandler } from '../bundles.js';
import { madeTable } from '../made-table.js';

/** Everything a deployed scan needs, on this machine: engine, table, bucket with files, bundled functions. */
export interface ScanBench extends AsyncDisposable {
  readonly client: DynamoDBClient;
  /** What the functions get as environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Starts the bundled functions. */
  readonly start: (options?: {
    readonly env?: Readonly<Record<string, string>>;
    readonly work?: Partial<LocalFunction>;
    readonly hooks?: Omit<LocalLambdaOptions, 'functions'>;
  }) => Promise<LocalLambda>;
  /** What an independent walk of the bucket's directory finds. */
  readonly walked: () => Promise<{ readonly objects: number; readonly bytes: number }>;
}

/**
 * @param keys the files to put into the bucket `data`
 * @param content what each of them holds. @default its key
 */
export async function scanBench(
  keys: readonly string[],
  content: (key: string) => string = (key) => key,
): Promise<ScanBench> {
  const home = await mkdtemp(join(tmpdir(), 'leasehold-bench-'));
  const directory = join(home, 'data');
  for (const key of keys) {
    await mkdir(dirname(join(directory, key)), { recursive: true });
    await writeFile(join(directory, key), content(key));
  }
  const [dynamo, s3] = await Promise.all([startDynamo(), startS3({ buckets: { data: directory } })]);
  const client = new DynamoDBClient(dynamo.clientConfig());
  await createLeaseTable(client, 'leases');
  await madeTable(client, 'ledger', 'slice');
  const env = {
    LEASEHOLD_TABLE: 'leases',
    LEASEHOLD_DYNAMODB_ENDPOINT: dynamo.endpoint,
    LEASEHOLD_S3_ENDPOINT: s3.endpoint,
  };
  return {
    client,
    env,
    start: ({ env: more, work, hooks } = {}) => {
      const all = { env: { ...env, ...more }, timeoutMs: 30_000 };
      return startLocalLambda({
        functions: {
          plan: { handler: bundledHandler('plan'), ...all },
          work: { handler: bundledHandler('work'), ...all, ...work },
          verify: { handler: bundledHandler('verify'), ...all },
        },
        ...hooks,
      });
    },
    async walked() {
      let objects = 0;
      let bytes = 0;
      for await (const { size } of walkDirectory(directory)) {
        objects += 1;
        bytes += size;
      }
      return { objects, bytes };
    },
    async [Symbol.asyncDispose]() {
      client.destroy();
      await Promise.all([dynamo.stop(), s3.stop()]);
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** The path of a fixture of this folder. */
export function lambdaFixture(name: string): string {
  return fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
}
