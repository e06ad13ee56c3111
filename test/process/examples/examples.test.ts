import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as ParquetExample from '../../../examples/parquet-inventory/processor.js';
import { createLeaseTable, type LocalDynamo, startDynamo } from '../../../lib/local/index.js';
import { bundled } from '../../support/bundle.js';
import { commandLine } from '../../support/bundles.js';
import { oneEngine } from '../../support/engines.js';
import { inByteOrder } from '../../support/scan/listed-keys.js';
import { outputBucket, Stage } from '../../support/scan/stage.js';

const root = join(import.meta.dirname, '..', '..', '..');
const examples = join(root, 'examples');
const run = promisify(execFile);

let dynamo: LocalDynamo;
let client: DynamoDBClient;
let documents: DynamoDBDocumentClient;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  dynamo = await startDynamo({ engine: oneEngine });
  client = new DynamoDBClient(dynamo.clientConfig());
  documents = DynamoDBDocumentClient.from(client);
  await createLeaseTable(client, 'leases');
  await client.send(
    new CreateTableCommand({
      TableName: 'settlements',
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  env = {
    ...process.env,
    AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  };
});
afterAll(async () => {
  client?.destroy();
  await dynamo?.stop();
  for (const one of await Promise.all(scripts.values())) await one[Symbol.asyncDispose]();
});

type Script = Awaited<ReturnType<typeof bundled>>;
const scripts = new Map<string, Promise<Script>>();

/** A file of an example, bundled with the package from its sources, once. */
function built(example: string, file: string): Promise<Script> {
  const entry = join(examples, example, file);
  const made = scripts.get(entry) ?? bundled(entry);
  scripts.set(entry, made);
  return made;
}

/** Invokes an example's handler once in a process of its own, as Lambda would, and answers what it answered. */
async function invoke(example: string, event: unknown): Promise<unknown> {
  const script = `
    import { handler } from ${JSON.stringify((await built(example, 'handler.ts')).path)};
    const context = { awsRequestId: String(process.pid), getRemainingTimeInMillis: () => 30_000 };
    handler(JSON.parse(process.argv.at(-1)), context).then(
      (answer) => { console.log(JSON.stringify(answer)); process.exit(0); },
      (error) => { console.log(JSON.stringify({ error: error.name })); process.exit(0); },
    );`;
  const args = ['--input-type=module', '-e', script, JSON.stringify(event)];
  const { stdout } = await run(process.execPath, args, { cwd: root, env });
  return JSON.parse(stdout.trim().split('\n').at(-1)!);
}

describe('the examples', () => {
  it('nightly-job runs once for a night, whoever starts it', async () => {
    const event = { scheduledTime: new Date().toISOString() };
    const answers = await Promise.all([invoke('nightly-job', event), invoke('nightly-job', event)]);
    expect(answers.filter((answer) => (answer as { ran: boolean }).ran)).toHaveLength(1);
    expect(await invoke('nightly-job', event)).toEqual({ ran: false, reason: 'finished' });
  });

  it('settlement settles a batch, and a late worker is refused by its token', async () => {
    const event = { batch: '99', amounts: [1, 2, 39] };
    expect(await invoke('settlement', event)).toEqual({ batch: '99', total: 42 });
    const { Item } = await documents.send(new GetCommand({ TableName: 'settlements', Key: { id: '99' } }));
    expect(Item).toMatchObject({ total: 42, fence: expect.any(Number) });
    const newer = { ...Item, fence: Number.MAX_SAFE_INTEGER, total: 0 };
    await documents.send(new PutCommand({ TableName: 'settlements', Item: newer }));
    expect(await invoke('settlement', event)).toEqual({ error: 'StaleTokenError' });
  });

  it('lock-kit uses each part of it, and what it prints is what the guide says that they cost', async () => {
    const { path } = await built('lock-kit', 'warehouse.ts');
    const { stdout } = await run(process.execPath, [path], { cwd: root, env });
    expect(stdout.trim().split('\n')).toEqual([
      'one of five calls at a time: 2 writes, 0 reads',
      'goods moved from one shelf to another, under the locks of both: 4 writes, 0 reads',
      'prices read beside nine others: 2 writes, 2 reads',
      'prices written alone: 22 writes, 0 reads',
      'the label printer, first come, first served: 2 writes, 1 reads',
      '  asked, for the reason of: deployment',
      'whoever plans the tours is asked to let go, and learns of it with its next renewal: 4 writes, 0 reads',
      'a report that is written at most once a minute: 2 writes, 0 reads',
      '  another one at once: no',
    ]);
  });

  it('deploy-lock deploys one at a time, labelled with tokens that rise', async () => {
    const releases = await mkdtemp(join(tmpdir(), 'leasehold-releases-'));
    try {
      const deploy = () =>
        run(
          process.execPath,
          [
            ...[commandLine, 'run', 'deploy/production'],
            ...['--table', 'leases', '--lease', '30s', '--wait', '1m', '--'],
            join(examples, 'deploy-lock', 'deploy.sh'),
          ],
          { cwd: root, env: { ...env, RELEASES_DIR: releases } },
        );
      await Promise.all([deploy(), deploy()]);
      expect(await readdir(releases)).toHaveLength(2);
    } finally {
      await rm(releases, { recursive: true, force: true });
    }
  });

  it('parquet-inventory lists every object once, in the files that its report names and no others', async () => {
    const { path } = await built('parquet-inventory', 'processor.ts');
    const { parquetInventory } = (await import(pathToFileURL(path).href)) as typeof ParquetExample;
    let hasFailed = false;
    const processor: typeof parquetInventory = {
      ...parquetInventory,
      async process(page, context) {
        const written = await parquetInventory.process(page, context);
        if (hasFailed) return written;
        hasFailed = true;
        throw new Error('fails once it has written: the file stays, and nobody may name it');
      },
    };
    await using stage = await Stage.open();
    const keys = Array.from({ length: 47 }, (_, index) => `k/${index % 3}/${index * 7919} é.txt`);
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', seats: 2, output: { bucket: outputBucket, prefix: 'inventory' } });
    await Promise.all([0, 1].map((seat) => scene.work({ seat, processor })));
    const { status, report } = await scene.verify({ processor });
    expect(status).toBe('complete');
    const { files } = report.result as ParquetExample.Written;
    const rows = [];
    for (const { key, objects } of files) {
      const bytes = await readFile(join(scene.root, outputBucket, key));
      const read = await parquetReadObjects({ file: new Uint8Array(bytes).buffer });
      expect(read).toHaveLength(objects);
      rows.push(...read);
    }
    expect(inByteOrder(rows.map(({ key }) => key as string))).toEqual(inByteOrder(keys));
    const [first] = rows;
    expect(first).toMatchObject({
      size: BigInt(Buffer.byteLength(`body of ${first!.key}`)),
      last_modified: expect.any(Date),
      storage_class: 'STANDARD',
    });
    const written = await readdir(join(scene.root, outputBucket), { recursive: true });
    expect(written.filter((name) => name.endsWith('.parquet')).length).toBe(files.length + 1);
  });

  it('leader leads, one of two, and hands the lead on when it is told to stop', async () => {
    const { path } = await built('leader', 'service.ts');
    const start = () => {
      const child = spawn(process.execPath, [path], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
      let said = '';
      child.stdout.on('data', (chunk) => {
        said += chunk;
      });
      return { child, said: () => said };
    };
    const first = start();
    await expect.poll(first.said).toContain('leading');
    const second = start();
    first.child.kill('SIGTERM');
    await expect.poll(second.said).toContain('leading');
    expect(first.said()).toContain('stopped');
    second.child.kill('SIGTERM');
    await once(second.child, 'exit');
    expect(second.child.exitCode).toBe(0);
  });
});
