import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import type { ClientOptions } from '../../../lib/client/client-options.js';
import { LockClient } from '../../../lib/client/index.js';
import {
  createLeaseTable,
  type LocalDynamo,
  type LocalS3,
  type MeteredClient,
  meteredClient,
  type S3FaultHook,
  type S3Request,
  startDynamo,
  startS3,
} from '../../../lib/local/index.js';
import {
  type PlanOptions,
  type Processor,
  planScan,
  readRun,
  type ScanPlan,
  type ScanVerdict,
  type SeatAnswer,
  type SeatOptions,
  verifyScan,
  workSeat,
} from '../../../lib/scan/index.js';
import { type ListedKeys, listedKeys } from './listed-keys.js';

export const table = 'leases';
export const bucket = 'data';
export const outputBucket = 'out';

/** A real engine for a test file. */
export class Stage implements AsyncDisposable {
  readonly dynamo: LocalDynamo;
  readonly metered: MeteredClient;
  #runs = 0;

  private constructor(dynamo: LocalDynamo) {
    this.dynamo = dynamo;
    this.metered = meteredClient(dynamo.clientConfig());
  }

  static async open(): Promise<Stage> {
    const dynamo = await startDynamo({ allowDocker: false });
    const client = new DynamoDBClient(dynamo.clientConfig());
    await createLeaseTable(client, table, { ttl: false });
    client.destroy();
    return new Stage(dynamo);
  }

  /** A bucket with these keys, and a run of its own. */
  async scene(keys: readonly string[] | Readonly<Record<string, string>> = []): Promise<Scene> {
    const root = await mkdtemp(join(tmpdir(), 'scan-test-'));
    await mkdir(join(root, bucket));
    await mkdir(join(root, outputBucket));
    const scene = await Scene.open(this, root, `run-${++this.#runs}`);
    await scene.put(keys);
    return scene;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.metered.close();
    await this.dynamo.stop();
  }
}

/** One scan: a real S3 endpoint over a real directory, real clients. */
export class Scene implements AsyncDisposable {
  /** Decides on the S3 requests that follow. */
  faults: S3FaultHook = () => 'ok';
  /** All list requests, as they came. */
  readonly lists: S3Request[] = [];
  readonly locks: LockClient;
  readonly s3: S3Client;
  readonly stage: Stage;
  readonly root: string;
  readonly run: string;
  readonly server: LocalS3;
  readonly #clients: { destroy?(): void; close?(): Promise<void> }[] = [];

  private constructor(stage: Stage, root: string, run: string, server: LocalS3) {
    this.stage = stage;
    this.root = root;
    this.run = run;
    this.server = server;
    this.locks = this.client();
    this.s3 = new S3Client({ ...server.clientConfig(), maxAttempts: 1 });
    this.#clients.push(this.s3);
  }

  static async open(stage: Stage, root: string, run: string): Promise<Scene> {
    let scene: Scene | undefined;
    const server = await startS3({
      buckets: { [bucket]: join(root, bucket), [outputBucket]: join(root, outputBucket) },
      faults: (request) => {
        if (request.operation === 'list') scene?.lists.push(request);
        return scene?.faults(request) ?? 'ok';
      },
    });
    scene = new Scene(stage, root, run, server);
    return scene;
  }

  /** A lock client of its own, as another process would have. */
  client(options: Partial<ClientOptions> = {}): LockClient {
    const client = new LockClient({
      table,
      client: this.stage.metered.client,
      leaseMs: 10_000,
      skewMs: 50,
      ...options,
    });
    this.#clients.push(client);
    return client;
  }

  /** A lock client whose leases run out soon when nobody renews them. */
  hastyClient(options: Partial<ClientOptions> = {}): LockClient {
    return this.client({
      leaseMs: 1_500,
      renewEveryMs: 400,
      safetyMarginMs: 100,
      requestTimeoutMs: 450,
      maxAttempts: 2,
      ...options,
    });
  }

  async put(keys: readonly string[] | Readonly<Record<string, string>>, into = bucket): Promise<void> {
    const entries = Array.isArray(keys)
      ? keys.map((key) => [key, `body of ${key}`] as const)
      : Object.entries(keys);
    for (const [key, body] of entries) {
      const file = join(this.root, into, key);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, body);
    }
  }

  plan(options: Partial<PlanOptions> = {}): Promise<ScanPlan> {
    const { locks, s3, run } = this;
    return planScan({ locks, s3, run, bucket, seats: 1, pageSize: 10, ...options });
  }

  work(options: Partial<SeatOptions> = {}): Promise<SeatAnswer> {
    const { locks, s3, run } = this;
    return workSeat({ locks, s3, run, seat: 0, processor: listedKeys(), ...options });
  }

  verify(
    options: { readonly processor?: Processor; readonly maxRounds?: number } = {},
  ): Promise<ScanVerdict> {
    const { locks, s3, run } = this;
    return verifyScan({ locks, s3, run, processor: listedKeys(), ...options });
  }

  read() {
    return readRun({ locks: this.locks, run: this.run });
  }

  /** Plans, works with one seat and verifies. */
  async scan(plan: Partial<PlanOptions> = {}): Promise<ScanVerdict> {
    await this.plan(plan);
    await this.work();
    return this.verify();
  }

  /** The keys of all completed slices' results. */
  async keys(): Promise<readonly string[]> {
    const { report } = await this.verify();
    return (report.result as ListedKeys).keys;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) {
      await client.close?.();
      client.destroy?.();
    }
    await this.server.stop();
    await rm(this.root, { recursive: true, force: true });
  }
}
