import {
  type AttributeValue,
  type DynamoDBClient,
  GetItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { StoreClock } from '../clock/store-clock.js';
import { StoreError } from '../errors/index.js';
import { callsOf, loadedOnce, type Runtime, sendWithin } from '../runtime/index.js';
import type { ConditionalChange, FilledForm } from './form.js';
import type { ItemTable, WriteAnswer } from './item-table.js';
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

const laterDynamo = loadedOnce(() => import('./later-dynamo.js'));

/** The table in DynamoDB, through the AWS SDK. Every response also tells the store clock the time. */
export function dynamoTable(options: DynamoTableOptions): ItemTable {
  const { client, isClientOurs, tableName, clock, runtime, callTimeoutMs } = options;
  if (isClientOurs) lighten(client);
  // Nobody adds middleware to it any more. Whoever sets this has told the SDK the same of their own client.
  const isSettled = isClientOurs || (client as DynamoDBClient).config?.cacheMiddleware === true;
  const handlers = new Map<unknown, Handler>();

  const send = (command: AnyCommand, signal?: AbortSignal): Promise<AnyCommand> => {
    timed(command, clock);
    if (isSettled) sharing(command, handlers);
    // The SDK would report an AbortError of its own; the signal's reason says whose doing it was.
    return sendWithin(runtime, callTimeoutMs, signal, (abortSignal) => client.send(command, { abortSignal }));
  };

  const later = async () => (await laterDynamo()).laterTable({ ...options, send, unsure });

  const unsure = (cause: unknown, mayHaveApplied: boolean, name?: string) =>
    new StoreError(`Table "${tableName}" could not be used: ${cause}`, name, {
      ...{ cause, retryable: true, mayHaveApplied },
    });

  /**
   * What is known of errors, loaded with the first one. Not for a caller who has given up, and waits for nothing any more.
   *
   * @param mayHaveApplied whether the store may have applied it
   * @throws StoreError where nothing is known of the error: all of it may be true
   */
  const laterFor = (error: unknown, mayHaveApplied: boolean, name?: string, signal?: AbortSignal) => {
    const unknown = () => unsure(error, mayHaveApplied, name);
    // The signal's reason may be an error of ours, as the loss of another lease is: the write may have been applied all the same.
    if (signal?.aborted) throw unknown();
    return later().catch(() => {
      throw unknown();
    });
  };

  return {
    tableName,

    async update(name, change, signal): Promise<WriteAnswer> {
      const { update, condition, names, values } =
        filledIn(change) ?? (await later()).writtenOut(change, name);
      const command = new UpdateItemCommand({
        TableName: tableName,
        Key: toKey(name),
        UpdateExpression: update,
        ConditionExpression: condition,
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: values,
        ReturnValues: change.wantsOld ? 'ALL_OLD' : undefined,
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      try {
        const { Attributes = {} } = await send(command, signal);
        // An update that created the item answers with nothing; some engines with the bare key.
        const created = Object.keys(Attributes).length <= 1;
        return { applied: true, old: created ? undefined : unmarshalled(Attributes) };
      } catch (error) {
        return (await laterFor(error, true, name, signal)).refusal(error, name, signal);
      }
    },

    async ping(signal) {
      try {
        await send(new GetItemCommand({ TableName: tableName, Key: toKey(pingName) }), signal);
      } catch (error) {
        throw await (await laterFor(error, false, undefined, signal)).failure(
          error,
          'read',
          undefined,
          signal,
        );
      }
    },

    ...callsOf(later, ['create', 'get', 'getMany'], ['namesInGroup', 'scan']),
  };
}

/** The texts of a form, and the values of a call by their placeholders; `undefined` for what is to be written out. */
function filledIn(change: ConditionalChange | FilledForm) {
  if (!('form' in change) || change.change) return undefined;
  const values: Marshalled = {};
  for (const [name, text] of change.form.values) {
    const value = plainAttribute(change.values[name]);
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
      clock.observe(sentAt, readDate(result.response));
      return result;
    },
    // The innermost place: inside the SDK's retries, and before an error answer is turned into an exception.
    { step: 'deserialize', priority: 'low', name: 'leaseholdStoreClock' },
  );
}

function readDate(response: unknown): string | undefined {
  const headers = (response as { headers?: Record<string, string> } | undefined)?.headers ?? {};
  return Object.entries(headers).find(([header]) => header.toLowerCase() === 'date')?.[1];
}
