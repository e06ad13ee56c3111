import {
  type AttributeValue,
  BatchGetItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { StoreClock } from '../clock/index.js';
import { StoreError, UsageError } from '../errors/index.js';
import { publish } from '../events/index.js';
import { BackOff, deadlineAfter, type Runtime, sendUntil, sleep } from '../runtime/index.js';
import { timed } from './date-header.js';
import { type ConditionalChange, toExpression } from './expression.js';
import type { LeaseTable, Paging, StoredItem, WriteAnswer } from './lease-table.js';
import { isMissing, isThrottling, toStoreError } from './store-errors.js';
import { groupIndexName, pingName } from './table-names.js';

/** DynamoDB takes at most this many keys in one BatchGetItem. */
const batchSize = 100;

/** A batch of which nothing is read is asked for again this often, over some ten seconds in all. */
const maxThrottledRounds = 8;

/** Pauses before a batch is asked for again, in milliseconds. */
const batchSpacing = { firstPauseMs: 100, maxPauseMs: 5_000 };

/** What the table needs besides its name. */
export interface DynamoTableOptions {
  /** A DynamoDB client, or a document client. It is not changed: what is needed rides on each command. */
  readonly client: Pick<DynamoDBClient, 'send'>;
  readonly tableName: string;
  readonly clock: StoreClock;
  readonly runtime: Runtime;
  /** The end of every call, over all its attempts, in milliseconds: real also where the client's own is not. */
  readonly callTimeoutMs: number;
}

// biome-ignore lint/suspicious/noExplicitAny: the SDK's commands share no type that names their input and output
type AnyCommand = any;
type Marshalled = Record<string, AttributeValue>;

/** The table in DynamoDB, through the AWS SDK. Every response also tells the store clock the time. */
export class DynamoTable implements LeaseTable {
  readonly tableName: string;
  readonly #options: DynamoTableOptions;

  constructor(options: DynamoTableOptions) {
    this.tableName = options.tableName;
    this.#options = options;
  }

  async update(name: string, change: ConditionalChange, signal?: AbortSignal): Promise<WriteAnswer> {
    const { update, condition, names, values } = toExpression(change);
    const command = new UpdateItemCommand({
      TableName: this.tableName,
      Key: toKey(name),
      UpdateExpression: update,
      ConditionExpression: condition,
      ExpressionAttributeNames: names,
      // DynamoDB refuses an empty map.
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: marshalled(values, name) }),
      ReturnValues: change.wantsOld ? 'ALL_OLD' : 'NONE',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    try {
      const { Attributes } = await this.#send(command, signal);
      // An update that created the item answers with nothing; some engines with the bare key.
      const created = Object.keys(Attributes ?? {}).length <= 1;
      return { applied: true, old: created ? undefined : unmarshalled(Attributes) };
    } catch (error) {
      const refused = findRefusal(error);
      if (!refused) throw await this.#failure(error, 'write', name);
      const retried = refused.attempts > 1;
      // The SDK hands the item over marshalled, also through lib-dynamodb. An engine without it costs one read.
      const item = refused.item
        ? unmarshalled(refused.item)
        : await this.#getAfterRefusal(name, retried, signal);
      return { applied: false, item, retried };
    }
  }

  async create(item: StoredItem & { readonly name: string }, signal?: AbortSignal): Promise<boolean> {
    const command = new PutItemCommand({
      TableName: this.tableName,
      Item: marshalled(item, item.name),
      ConditionExpression: 'attribute_not_exists(#name)',
      ExpressionAttributeNames: { '#name': 'name' },
    });
    try {
      await this.#send(command, signal);
      return true;
    } catch (error) {
      if (findRefusal(error)) return false;
      throw await this.#failure(error, 'write', item.name);
    }
  }

  async #getAfterRefusal(name: string, retried: boolean, signal: AbortSignal | undefined) {
    try {
      return await this.get(name, signal);
    } catch (error) {
      if (!retried || !(error instanceof StoreError)) throw error;
      // The refusal may have been that of a retry, after an earlier attempt was applied: nobody knows.
      const { message, cause, retryable } = error;
      throw new StoreError(message, name, { cause, retryable, mayHaveApplied: true });
    }
  }

  async get(name: string, signal?: AbortSignal): Promise<StoredItem | undefined> {
    const command = new GetItemCommand({ TableName: this.tableName, Key: toKey(name), ConsistentRead: true });
    const { Item } = await this.#call(command, signal, name);
    return Item && unmarshalled(Item);
  }

  async getMany(names: readonly string[], signal?: AbortSignal): Promise<readonly StoredItem[]> {
    const found: StoredItem[] = [];
    let wanted = [...new Set(names)].map(toKey);
    const backOff = new BackOff(this.#options.runtime, batchSpacing);
    for (let throttledRounds = 0; wanted.length > 0; ) {
      const asked = wanted.slice(0, batchSize);
      const command = new BatchGetItemCommand({
        RequestItems: { [this.tableName]: { Keys: asked, ConsistentRead: true } },
      });
      const { Responses, UnprocessedKeys } = await this.#call(command, signal);
      // One table was asked; an answer may call it by its name where it was asked for by its ARN.
      for (const item of Object.values<Marshalled[]>(Responses ?? {}).flat()) found.push(unmarshalled(item));
      const left: Marshalled[] = Object.values<{ readonly Keys?: Marshalled[] }>(
        UnprocessedKeys ?? {},
      ).flatMap(({ Keys }) => Keys ?? []);
      wanted = [...left, ...wanted.slice(batchSize)];
      if (left.length === 0) continue;
      // A part of a batch may be throttled without an error; waiting longer each time is what AWS asks for.
      if (left.length < asked.length) backOff.reset();
      else throttledRounds += 1;
      if (throttledRounds > maxThrottledRounds) throw this.#throttledBatch();
      await sleep(this.#options.runtime, backOff.nextMs(), signal);
    }
    return found;
  }

  async *namesInGroup(
    group: string,
    signal?: AbortSignal,
    { after, pageSize }: Paging = {},
  ): AsyncIterable<readonly string[]> {
    let start = after === undefined ? undefined : { ...toKey(after), group: { S: group } };
    do {
      const command = new QueryCommand({
        TableName: this.tableName,
        IndexName: groupIndexName,
        KeyConditionExpression: '#group = :group',
        ExpressionAttributeNames: { '#group': 'group' },
        ExpressionAttributeValues: marshall({ ':group': group }),
        ExclusiveStartKey: start,
        Limit: pageSize,
      });
      const page = await this.#call(command, signal);
      yield (page.Items ?? []).map((item: Marshalled) => unmarshalled(item).name as string);
      start = page.LastEvaluatedKey;
    } while (start);
  }

  async *scan(signal?: AbortSignal, { after, pageSize }: Paging = {}): AsyncIterable<readonly StoredItem[]> {
    let start = after === undefined ? undefined : toKey(after);
    do {
      const command = new ScanCommand({
        TableName: this.tableName,
        ConsistentRead: true,
        ExclusiveStartKey: start,
        Limit: pageSize,
      });
      const page = await this.#call(command, signal);
      yield (page.Items ?? []).map(unmarshalled);
      start = page.LastEvaluatedKey;
    } while (start);
  }

  async ping(signal?: AbortSignal): Promise<void> {
    const command = new GetItemCommand({ TableName: this.tableName, Key: toKey(pingName) });
    await this.#call(command, signal);
  }

  async #call(command: AnyCommand, signal?: AbortSignal, name?: string): Promise<AnyCommand> {
    try {
      return await this.#send(command, signal);
    } catch (error) {
      throw await this.#failure(error, 'read', name);
    }
  }

  #throttledBatch(): StoreError {
    const message = `Table "${this.tableName}" is throttled: it answers no part of a batch`;
    const error = new StoreError(message, undefined, { retryable: true, mayHaveApplied: false });
    publish('throttled', { table: this.tableName, name: undefined, error });
    return error;
  }

  /** The store's error as ours; that it is throttled is told, since most of it is waited out without another word. */
  async #failure(error: unknown, kind: 'read' | 'write', name?: string): Promise<Error> {
    if (isThrottling(error)) publish('throttled', { table: this.tableName, name, error });
    const region = isMissing(error) ? await findRegion(this.#options.client) : undefined;
    return toStoreError(error, this.tableName, name, kind, {
      region,
      answeredBefore: this.#options.clock.isSet,
    });
  }

  async #send(command: AnyCommand, signal?: AbortSignal): Promise<AnyCommand> {
    const { client, clock, runtime, callTimeoutMs } = this.#options;
    timed(command, clock);
    // The SDK would report an AbortError of its own; the signal's reason says whose doing it was.
    return sendUntil(deadlineAfter(runtime, callTimeoutMs, signal), (abortSignal) =>
      client.send(command, { abortSignal }),
    );
  }
}

/** The Region that the client asks, as far as it tells. */
async function findRegion(client: object): Promise<string | undefined> {
  const { config } = client as { readonly config?: { readonly region?: () => Promise<string> } };
  try {
    return await config?.region?.();
  } catch {
    return undefined;
  }
}

function toKey(name: string): Marshalled {
  return { name: { S: name } };
}

function marshalled(values: Readonly<Record<string, unknown>>, name: string): Marshalled {
  try {
    const result = marshall(values, { removeUndefinedValues: true });
    // Functions and symbols count as undefined; an expression would miss its value.
    const dropped = Object.keys(values).find((key) => values[key] !== undefined && !(key in result));
    if (dropped) throw new TypeError(`a value is a ${typeof values[dropped]}`);
    return result;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`DynamoDB can't store what "${name}" was given: ${reason}`, name, { cause: error });
  }
}

/** Numbers that no `number` can hold become a `bigint`, or the nearest `number` where they are no integers. */
function unmarshalled(item: Marshalled): StoredItem {
  return unmarshall(item, {
    wrapNumbers: (text: string) => {
      const value = Number(text);
      return Number.isSafeInteger(value) || !/^-?\d+$/.test(text) ? value : BigInt(text);
    },
  });
}

/** The item that made the store refuse a conditional write, if that is what the error says. */
function findRefusal(
  error: unknown,
): { readonly item: Marshalled | undefined; readonly attempts: number } | undefined {
  if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') return undefined;
  const refusal = error as Error & { Item?: Marshalled; $metadata?: { attempts?: number } };
  return { item: refusal.Item, attempts: refusal.$metadata?.attempts ?? 1 };
}
