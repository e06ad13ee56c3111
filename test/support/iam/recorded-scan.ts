import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { LockClient } from '../../../lib/client/index.js';
import { createLeaseTable, startDynamo, startS3 } from '../../../lib/local/index.js';
import {
  createPlanHandler,
  createVerifyHandler,
  createWorkHandler,
  type Processor,
  readRun,
} from '../../../lib/scan/index.js';
import { splitSlice } from '../../../lib/scan/slices/slice-creation.js';
import { madeTable } from '../made-table.js';
import type { RecordedRequest } from './recorded-request.js';
import { recordRequests } from './request-recorder.js';

/** What each function of a scan was recorded sending. */
export type RecordedScan = Readonly<Record<'plan' | 'work' | 'verify', readonly RecordedRequest[]>>;

/**
 * Runs a scan of the prefix `logs/` of the bucket `data` with all that a scan can have: objects are read, results and
 * output go to `results/` of the bucket `out`, a ledger is kept, slices are split and handed over half-done.
 */
export async function recordedScan(): Promise<RecordedScan> {
  const home = await mkdtemp(join(tmpdir(), 'leasehold-iam-'));
  for (let i = 0; i < 60; i++) {
    const path = join(home, 'data', 'logs', `${'abcd'[i % 4]}`, `object-${i}.txt`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `object ${i}`);
  }
  await mkdir(join(home, 'out'));
  const dynamo = await startDynamo({ allowDocker: false });
  const s3 = await startS3({ buckets: { data: join(home, 'data'), out: join(home, 'out') } });
  const raw = new DynamoDBClient(dynamo.clientConfig());
  await createLeaseTable(raw, 'leases');
  await madeTable(raw, 'ledger', 'slice');
  raw.destroy();
  const record = () => recordRequests({ dynamodb: dynamo.endpoint, s3: s3.endpoint });
  const recorders = { plan: await record(), work: await record(), verify: await record() };
  const envOf = (name: keyof RecordedScan) => ({
    LEASEHOLD_TABLE: 'leases',
    LEASEHOLD_LEDGER_TABLE: 'ledger',
    LEASEHOLD_OUTPUT_BUCKET: 'out',
    LEASEHOLD_OUTPUT_PREFIX: 'results/',
    LEASEHOLD_DYNAMODB_ENDPOINT: recorders[name].endpoints.dynamodb,
    LEASEHOLD_S3_ENDPOINT: recorders[name].endpoints.s3,
  });
  const reader = new S3Client({ ...s3.clientConfig(), endpoint: recorders.work.endpoints.s3 });
  const pages = { done: 0 };
  const processor = readingProcessor(reader, pages);
  const plan = createPlanHandler({ env: envOf('plan') });
  const work = createWorkHandler({ processor, env: envOf('work') });
  const verify = createVerifyHandler({ processor, env: envOf('verify') });
  try {
    const run = 'run-1';
    await plan({ run, input: { bucket: 'data', prefix: 'logs/', seats: 2, slices: 1, pageSize: 5 } });
    await splitFirst(dynamo.clientConfig(), run);
    // The first call's time is short after two pages: what it leaves half-done is for the next.
    const short = { getRemainingTimeInMillis: () => (pages.done < 2 ? 60_000 : 1_000) };
    const first = await work({ run, seat: 0 }, short);
    if (first.status !== 'more') throw new Error(`the call that was to be short ended as ${first.status}`);
    const ample = { getRemainingTimeInMillis: () => 60_000 };
    await Promise.all([work({ run, seat: 0 }, ample), work({ run, seat: 1 }, ample)]);
    const { status } = await verify({ run });
    if (status !== 'complete') throw new Error(`the scan to be recorded ended as ${status}`);
    return {
      plan: recorders.plan.requests,
      work: recorders.work.requests,
      verify: recorders.verify.requests,
    };
  } finally {
    reader.destroy();
    for (const recorder of Object.values(recorders)) await recorder[Symbol.asyncDispose]();
    await Promise.all([dynamo.stop(), s3.stop()]);
    await rm(home, { recursive: true, force: true });
  }
}

/** A split that is written down, and whose slice is for the workers to make. */
async function splitFirst(config: DynamoDBClientConfig, run: string): Promise<void> {
  const client = new DynamoDBClient(config);
  await using locks = new LockClient({ table: 'leases', client });
  const { slices } = await readRun({ locks, run });
  if (!(await splitSlice(locks.context, slices[0]!, 'logs/b/'))) throw new Error('the split was refused');
  client.destroy();
}

/** Reads each object, writes one per page, and has results too large for an item. */
function readingProcessor(
  s3: S3Client,
  pages: { done: number },
): Processor<{ readonly texts: readonly string[] }> {
  return {
    inlineBytes: 1,
    empty: () => ({ texts: [] }),
    async process(page, { output, signal }) {
      const texts: string[] = [];
      for (const { key } of page.objects) {
        const { Body } = await s3.send(new GetObjectCommand({ Bucket: page.bucket, Key: key }), {
          abortSignal: signal,
        });
        texts.push(await Body!.transformToString());
      }
      await output.put('texts.json', JSON.stringify(texts));
      pages.done += 1;
      return { texts };
    },
    merge: (a, b) => ({ texts: [...a.texts, ...b.texts] }),
  };
}
