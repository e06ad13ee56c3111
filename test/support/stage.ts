import {
  DeleteItemCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { LockClient, type LockClientOptions } from '../../lib/client/index.js';
import type { LeaseItem } from '../../lib/lease/index.js';
import {
  createLeaseTable,
  type EngineName,
  type LocalDynamo,
  type MeteredClient,
  meteredClient,
  startDynamo,
} from '../../lib/local/index.js';
import { oneEngine } from './engines.js';
import { LocalClocks } from './local-clocks.js';

/** A short lease, whose renewals still have time for all their attempts. */
export const shortLease = {
  leaseMs: 4_000,
  renewEveryMs: 1_000,
  safetyMarginMs: 300,
  requestTimeoutMs: 1_000,
  maxAttempts: 2,
  skewMs: 100,
  pollFloorMs: 10,
  pollCeilingMs: 50,
} as const;

/** Where requests are counted: none is repeated, and nothing renewed, because the machine stood still for a second. */
export const patientLease = { leaseMs: 60_000, renewEveryMs: 20_000, requestTimeoutMs: 10_000 } as const;

/** As {@link shortLease}, with a heart that beats fast. */
export const restlessLease = { ...shortLease, leaseMs: 2_500, renewEveryMs: 100 } as const;

/** One machine with a lock client of its own: its requests are counted and can go wrong, its clocks can lie. */
export interface Actor {
  readonly locks: LockClient;
  readonly meter: MeteredClient['meter'];
  readonly faults: MeteredClient['faults'];
  readonly clocks: LocalClocks;
}

/** How an {@link Actor} is made. */
export interface ActorOptions extends Partial<LockClientOptions> {
  /** For the SDK's client below the locks. */
  readonly config?: DynamoDBClientConfig;
}

/** One engine with a lease table, the actors that use it, and a back door to the items. */
export class Stage {
  readonly table = 'leases';
  readonly dynamo: LocalDynamo;
  /** Past all meters and faults. */
  readonly raw: DynamoDBClient;
  #actors: { readonly actor: Actor; readonly metered: MeteredClient }[] = [];

  private constructor(dynamo: LocalDynamo) {
    this.dynamo = dynamo;
    this.raw = new DynamoDBClient(dynamo.clientConfig());
  }

  /** Starts the engine and makes the table. */
  static async open(engine: EngineName = oneEngine): Promise<Stage> {
    const stage = new Stage(await startDynamo({ engine }));
    await createLeaseTable(stage.raw, stage.table);
    return stage;
  }

  /** A new machine. */
  actor(options: ActorOptions = {}): Actor {
    const { config, ...own } = options;
    const settings = { ...shortLease, ...own };
    const metered = meteredClient({
      ...this.dynamo.clientConfig(),
      maxAttempts: settings.maxAttempts,
      requestHandler: { requestTimeout: settings.requestTimeoutMs, throwOnRequestTimeout: true },
      ...config,
    });
    const clocks = new LocalClocks();
    const locks = new LockClient({
      table: this.table,
      client: metered.client,
      runtime: clocks,
      owner: `actor-${this.#actors.length}`,
      ...settings,
    });
    const actor = { locks, meter: metered.meter, faults: metered.faults, clocks };
    this.#actors.push({ actor, metered });
    return actor;
  }

  /** An actor that knows the store's time, and whose meter starts at nothing. */
  async readyActor(options: ActorOptions = {}): Promise<Actor> {
    const actor = this.actor(options);
    await actor.locks.context.table.ping();
    actor.meter.reset();
    return actor;
  }

  async item(name: string): Promise<LeaseItem | undefined> {
    const command = new GetItemCommand({
      TableName: this.table,
      Key: { name: { S: name } },
      ConsistentRead: true,
    });
    const { Item } = await this.raw.send(command);
    return Item && (unmarshall(Item) as LeaseItem);
  }

  async put(item: { readonly name: string } & Readonly<Record<string, unknown>>): Promise<void> {
    await this.raw.send(new PutItemCommand({ TableName: this.table, Item: marshall(item) }));
  }

  /** As TTL would, or a person with too many rights. */
  async remove(name: string): Promise<void> {
    await this.raw.send(new DeleteItemCommand({ TableName: this.table, Key: { name: { S: name } } }));
  }

  /** As if the lease had run out long ago by the store's time, without its holder noticing: a long pause. */
  async expire(name: string): Promise<void> {
    await this.raw.send(
      new UpdateItemCommand({
        TableName: this.table,
        Key: { name: { S: name } },
        UpdateExpression: 'SET expiresAt = :past',
        ConditionExpression: 'attribute_exists(leaseId)',
        ExpressionAttributeValues: { ':past': { N: '1' } },
      }),
    );
  }

  /** The whole table, for comparing before and after. */
  async everything(): Promise<Record<string, unknown>[]> {
    const { Items } = await this.raw.send(new ScanCommand({ TableName: this.table, ConsistentRead: true }));
    const items = (Items ?? []).map((item) => unmarshall(item));
    return items.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /**
   * Ends the actors, after each test.
   *
   * @throws Error when one of them left a timer behind, other than of leases that were never ended
   */
  async clear(options: { readonly leasesLeft?: boolean } = {}): Promise<void> {
    const actors = this.#actors;
    this.#actors = [];
    for (const { actor, metered } of actors) {
      await actor.locks.close();
      await metered.close();
    }
    if (options.leasesLeft) return;
    const timers = actors.reduce((sum, { actor }) => sum + actor.clocks.liveTimers, 0);
    if (timers > 0) throw new Error(`${timers} timers were left behind`);
  }

  async close(): Promise<void> {
    await this.clear({ leasesLeft: true });
    this.raw.destroy();
    await this.dynamo.stop();
  }
}
