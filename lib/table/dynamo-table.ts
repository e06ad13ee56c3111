import {
  type AttributeValue,
  type DynamoDBClient,
  GetItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { StoreClock } from '../clock/store-clock.js';
import { StoreError } from '../errors/index.js';
import { loadedOnce, type Runtime, sendWithin } from '../runtime/index.js';
import type { ConditionalChange, FilledForm } from './form.js';
import type { ItemTable, Paging, StoredItem, WriteAnswer } from './item-table.js';
import type { AskedTable } from './later-dynamo.js';
import { type Handler, lighten, sharing } from './own-client.js';
import { plainAttribute, toKey, unmarshalled } from './stored-item.js';
import { pingName } from './table-names.js';

/** What the table needs besides its name. */
export interface DynamoTableOptions {
  /** A DynamoDB client, or a document client. It is not changed: what is needed rides on each command. */
  readonly client: Pick<DynamoDBClient, 'send'>;
  /** Nobody else has the client, or adds middleware to it. @default false */
  readonly isClientOurs?: boolean;
  readonly tableName: string;
  readonly clock: StoreClock;
  readonly runtime: Runtime;
  /** The end of every call, over all its attempts, in milliseconds: real also where the client's own is not. */
  readonly callTimeoutMs: number;
}

// biome-ignore lint/suspicious/noExplicitAny: the SDK's commands share no type that names their input and output
type AnyCommand = any;
type Marshalled = Record<string, AttributeValue>;

const later = loadedOnce(() => import('./later-dynamo.js'));

/** The table in DynamoDB, through the AWS SDK. Every response also tells the store clock the time. */
export class DynamoTable implements ItemTable {
  readonly tableName: string;
  readonly #handlers = new Map<unknown, Handler>();
  readonly #options: DynamoTableOptions;
  /** Nobody adds middleware to the client any more. */
  readonly #isSettled: boolean;

  constructor(options: DynamoTableOptions) {
    this.tableName = options.tableName;
    this.#options = options;
    const { isClientOurs = false, client } = options;
    if (isClientOurs) lighten(client);
    // Whoever sets this has told the SDK the same of their own client.
    this.#isSettled = isClientOurs || (client as DynamoDBClient).config?.cacheMiddleware === true;
  }

  async update(
    name: string,
    change: ConditionalChange | FilledForm,
    signal?: AbortSignal,
  ): Promise<WriteAnswer> {
    const { update, condition, names, values } = filledIn(change) ?? (await later()).writtenOut(change, name);
    const command = new UpdateItemCommand({
      TableName: this.tableName,
      Key: toKey(name),
      UpdateExpression: update,
      ConditionExpression: condition,
      ...(names && { ExpressionAttributeNames: names }),
      ...(values && { ExpressionAttributeValues: values }),
      ...(change.wantsOld && { ReturnValues: 'ALL_OLD' }),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    try {
      const { Attributes } = await this.#send(command, signal);
      // An update that created the item answers with nothing; some engines with the bare key.
      const created = Object.keys(Attributes ?? {}).length <= 1;
      return { applied: true, old: created ? undefined : unmarshalled(Attributes) };
    } catch (error) {
      const { refusal } = await this.#laterFor(error, true, name, signal);
      return refusal(this.#asked, error, name, signal);
    }
  }

  async create(item: StoredItem & { readonly name: string }, signal?: AbortSignal): Promise<boolean> {
    return (await later()).create(this.#asked, item, signal);
  }

  async get(name: string, signal?: AbortSignal): Promise<StoredItem | undefined> {
    const command = new GetItemCommand({ TableName: this.tableName, Key: toKey(name), ConsistentRead: true });
    const { Item } = await this.#call(command, signal, name);
    return Item && unmarshalled(Item);
  }

  async getMany(names: readonly string[], signal?: AbortSignal): Promise<readonly StoredItem[]> {
    return (await later()).getMany(this.#asked, names, signal);
  }

  async *namesInGroup(
    group: string,
    signal?: AbortSignal,
    paging?: Paging,
  ): AsyncIterable<readonly string[]> {
    yield* (await later()).namesInGroup(this.#asked, group, signal, paging);
  }

  async *scan(signal?: AbortSignal, paging?: Paging): AsyncIterable<readonly StoredItem[]> {
    yield* (await later()).scan(this.#asked, signal, paging);
  }

  /** For what is loaded later. */
  get #asked(): AskedTable {
    return {
      ...this.#options,
      send: (command, signal) => this.#send(command, signal),
      call: (command, signal, name) => this.#call(command, signal, name),
      get: (name, signal) => this.get(name, signal),
    };
  }

  async ping(signal?: AbortSignal): Promise<void> {
    const command = new GetItemCommand({ TableName: this.tableName, Key: toKey(pingName) });
    await this.#call(command, signal);
  }

  async #call(command: AnyCommand, signal?: AbortSignal, name?: string): Promise<AnyCommand> {
    try {
      return await this.#send(command, signal);
    } catch (error) {
      const { failure } = await this.#laterFor(error, false, name, signal);
      throw await failure(this.#asked, error, 'read', name, signal);
    }
  }

  /**
   * What is known of errors, loaded with the first one. Not for a caller who has given up, and waits for nothing any more.
   *
   * @param isWrite whether the store may have applied it
   * @throws StoreError where nothing is known of the error: all of it may be true
   */
  async #laterFor(error: unknown, isWrite: boolean, name?: string, signal?: AbortSignal) {
    const unknown = () =>
      new StoreError(`Table "${this.tableName}" could not be used: ${error}`, name, {
        cause: error,
        retryable: true,
        mayHaveApplied: isWrite,
      });
    // The signal's reason may be an error of ours, as the loss of another lease is: the write may have been applied all the same.
    if (signal?.aborted) throw unknown();
    return later().catch(() => {
      throw unknown();
    });
  }

  async #send(command: AnyCommand, signal?: AbortSignal): Promise<AnyCommand> {
    const { client, clock, runtime, callTimeoutMs } = this.#options;
    timed(command, clock);
    if (this.#isSettled) sharing(command, this.#handlers);
    // The SDK would report an AbortError of its own; the signal's reason says whose doing it was.
    return sendWithin(runtime, callTimeoutMs, signal, (abortSignal) => client.send(command, { abortSignal }));
  }
}

/** The texts of a form, and the values of a call by its placeholders; `undefined` for what is to be written out. */
function filledIn(change: ConditionalChange | FilledForm) {
  if (!('form' in change) || change.change) return undefined;
  const values: Marshalled = {};
  for (const [part, text] of change.form.values) {
    const value = plainAttribute(change.values[part]);
    if (!value) return undefined;
    values[text] = value;
  }
  return { ...change.form, values };
}

/**
 * Lets the clock see the `Date` of every response to this command: also of errors, and of each attempt with the
 * moment at which that attempt was sent. It rides on the command, so that a client of the user's is not changed
 * and may serve many clocks.
 *
 * @see https://aws.amazon.com/blogs/developer/middleware-stack-modular-aws-sdk-js/
 */
export function timed(command: AnyCommand, clock: StoreClock): void {
  command.middlewareStack.add(
    // biome-ignore lint/suspicious/noExplicitAny: as above
    (next: any) => async (args: any) => {
      const sentAt = clock.instant();
      const result = await (args.send ?? next)(args);
      clock.observe(sentAt, readHeader(result.response, 'date'));
      return result;
    },
    // The innermost place: inside the SDK's retries, and before an error answer is turned into an exception.
    { step: 'deserialize', priority: 'low', name: 'leaseholdStoreClock', override: true },
  );
}

function readHeader(response: unknown, name: string): string | undefined {
  const headers = (response as { headers?: Record<string, string> } | undefined)?.headers ?? {};
  return headers[name] ?? Object.entries(headers).find(([header]) => header.toLowerCase() === name)?.[1];
}
