import {
  type AttributeValue,
  BatchGetItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { StoreError, UsageError } from '../errors/index.js';
import { publish } from '../events/events.js';
import { BackOff, type Runtime, sleep } from '../runtime/index.js';
import { toExpression, withChange } from './expression.js';
import type { ConditionalChange, FilledForm } from './form.js';
import type { Paging, StoredItem, WriteAnswer } from './item-table.js';
import { type TableRequest, toTableFailure } from './store-errors.js';
import { plainAttribute, toKey, unmarshalled } from './stored-item.js';
import { groupIndexName } from './table-names.js';

/*
 * What a plain lock does not ask of the table in DynamoDB: lists, new items, changes of a caller's own, and what is made of
 * its errors. Loaded with the first of them.
 */

/** DynamoDB takes at most this many keys in one BatchGetItem. */
const batchSize = 100;

/** A batch of which nothing is read is asked for again this often, over some ten seconds in all. */
const maxThrottledRounds = 8;

/** Pauses before a batch is asked for again, in milliseconds. */
const batchSpacing = { firstPauseMs: 100, maxPauseMs: 5_000 };

type Marshalled = Record<string, AttributeValue>;

/** A change, written out as DynamoDB takes it. */
function writtenOut(change: ConditionalChange | FilledForm, name: string) {
  const filled = 'form' in change ? filledForm(change, name) : undefined;
  if (filled) return filled;
  const { values, ...texts } = toExpression('form' in change ? withChange(change) : change);
  // DynamoDB refuses an empty map.
  const isEmpty = Object.keys(values).length === 0;
  return { ...texts, values: isEmpty ? undefined : toMarshalled(values, name) };
}

/** A form keeps its texts, whatever its values are, unless somebody adds to it, or a value is not there. */
function filledForm({ form, values, change }: FilledForm, name: string) {
  if (change || form.values.some(([value]) => values[value] === undefined)) return undefined;
  const filled: Marshalled = {};
  for (const [value, text] of form.values) filled[text] = toAttribute(values[value], name);
  return { ...form, values: filled };
}

/** The table, and the way to ask it. */
export interface AskedTable extends Pick<TableRequest, 'tableName' | 'client' | 'clock'> {
  readonly runtime: Runtime;
  /** Throws the SDK's own errors. */
  readonly send: Ask;
  /** Makes an error of one of which nothing is known. */
  readonly unsure: (error: unknown, mayHaveApplied: boolean, name?: string) => StoreError;
}

// biome-ignore lint/suspicious/noExplicitAny: the SDK's commands share no type that names their input and output
type Ask = (command: any, signal?: AbortSignal) => Promise<any>;

/** What a listing needs of it. */
export interface ListedTable extends Pick<AskedTable, 'tableName' | 'runtime'> {
  /** Throws our errors. */
  readonly call: Ask;
}

/** What is asked of a table besides the writes of a plain lock. */
export function laterTable(table: AskedTable) {
  const { tableName, send } = table;
  const read = async (command: unknown, name?: string, signal?: AbortSignal) => {
    try {
      return await send(command, signal);
    } catch (error) {
      throw await failure(table, error, 'read', name, signal);
    }
  };
  const get = async (name: string, signal?: AbortSignal): Promise<StoredItem | undefined> => {
    const command = new GetItemCommand({ TableName: tableName, Key: toKey(name), ConsistentRead: true });
    const { Item } = await read(command, name, signal);
    return Item && unmarshalled(Item);
  };
  const listed: ListedTable = { ...table, call: (command, signal) => read(command, undefined, signal) };
  return {
    writtenOut,
    failure: (error: unknown, kind: TableRequest['kind'], name?: string, signal?: AbortSignal) =>
      failure(table, error, kind, name, signal),
    refusal: (error: unknown, name: string, signal?: AbortSignal) =>
      refusal({ ...table, get }, error, name, signal),
    create: (item: StoredItem & { readonly name: string }, signal?: AbortSignal) =>
      create(table, item, signal),
    get,
    getMany: (names: readonly string[], signal?: AbortSignal) => getMany(listed, names, signal),
    namesInGroup: (group: string, signal?: AbortSignal, paging?: Paging) =>
      namesInGroup(listed, group, signal, paging),
    scan: (signal?: AbortSignal, paging?: Paging) => scan(listed, signal, paging),
  };
}

/** A table that single items can be read of. */
interface ReadTable extends AskedTable {
  get(name: string, signal?: AbortSignal): Promise<StoredItem | undefined>;
}

/** See `ItemTable.create`. */
async function create(
  table: AskedTable,
  item: StoredItem & { readonly name: string },
  signal?: AbortSignal,
): Promise<boolean> {
  const command = new PutItemCommand({
    TableName: table.tableName,
    Item: toMarshalled(item, item.name),
    ConditionExpression: 'attribute_not_exists(#name)',
    ExpressionAttributeNames: { '#name': 'name' },
  });
  try {
    await table.send(command, signal);
    return true;
  } catch (error) {
    if (findRefusal(error)) return false;
    throw await failure(table, error, 'write', item.name, signal);
  }
}

/** The store's error as ours. */
async function failure(
  { tableName, client, clock, unsure }: AskedTable,
  error: unknown,
  kind: TableRequest['kind'],
  lockName?: string,
  signal?: AbortSignal,
): Promise<Error> {
  // Who has given up waits for nothing any more. As a signal's reason an error of ours, as the loss of another lease is, says
  // nothing of this request.
  if (signal?.aborted) return unsure(error, kind === 'write', lockName);
  return toTableFailure(error, { tableName, lockName, kind, client, clock });
}

/**
 * What a write that threw came to: the answer of one that was refused.
 *
 * @throws the store's error as ours
 */
async function refusal(
  table: ReadTable,
  error: unknown,
  name: string,
  signal?: AbortSignal,
): Promise<WriteAnswer> {
  const refused = findRefusal(error);
  if (!refused) throw await failure(table, error, 'write', name, signal);
  const retried = refused.attempts > 1;
  // The SDK hands the item over marshalled, also through lib-dynamodb. An engine without it costs one read.
  const item = refused.item
    ? unmarshalled(refused.item)
    : await getAfterRefusal(table, name, retried, signal);
  return { applied: false, item, retried };
}

async function getAfterRefusal(
  table: ReadTable,
  name: string,
  retried: boolean,
  signal: AbortSignal | undefined,
): Promise<StoredItem | undefined> {
  try {
    return await table.get(name, signal);
  } catch (error) {
    if (!retried || !(error instanceof StoreError)) throw error;
    // The refusal may have been that of a retry, after an earlier attempt was applied: nobody knows.
    const { message, cause, retryable } = error;
    throw new StoreError(message, name, { cause, retryable, mayHaveApplied: true });
  }
}

/** The item that made the store refuse a conditional write, if that is what the error says. */
function findRefusal(
  error: unknown,
): { readonly item: Marshalled | undefined; readonly attempts: number } | undefined {
  if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') return undefined;
  const refusal = error as Error & { Item?: Marshalled; $metadata?: { attempts?: number } };
  return { item: refusal.Item, attempts: refusal.$metadata?.attempts ?? 1 };
}

/**
 * As DynamoDB takes values.
 *
 * @throws UsageError if a value is none that DynamoDB can store
 */
function toMarshalled(values: Readonly<Record<string, unknown>>, name: string): Marshalled {
  const marshalled: Marshalled = {};
  for (const key in values) {
    if (values[key] !== undefined) marshalled[key] = toAttribute(values[key], name);
  }
  return marshalled;
}

/** What users give goes by the SDK. */
function toAttribute(value: unknown, name: string): AttributeValue {
  const plain = plainAttribute(value);
  if (plain) return plain;
  try {
    const { v } = marshall({ v: value }, { removeUndefinedValues: true });
    // Functions and symbols count as undefined; an expression would miss its value.
    if (v === undefined) throw new TypeError(`a value is a ${typeof value}`);
    return v;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`DynamoDB can't store what "${name}" was given: ${reason}`, name, { cause: error });
  }
}

/** See `ItemTable.getMany`. */
async function getMany(
  { tableName, runtime, call }: ListedTable,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<readonly StoredItem[]> {
  const found: StoredItem[] = [];
  let wanted = [...new Set(names)].map(toKey);
  const backOff = new BackOff(runtime, batchSpacing);
  for (let throttledRounds = 0; wanted.length > 0; ) {
    const asked = wanted.slice(0, batchSize);
    const command = new BatchGetItemCommand({
      RequestItems: { [tableName]: { Keys: asked, ConsistentRead: true } },
    });
    const { Responses, UnprocessedKeys } = await call(command, signal);
    // One table was asked; an answer may call it by its name where it was asked for by its ARN.
    for (const item of Object.values<Marshalled[]>(Responses ?? {}).flat()) found.push(unmarshalled(item));
    const left: Marshalled[] = Object.values<{ readonly Keys?: Marshalled[] }>(UnprocessedKeys ?? {}).flatMap(
      ({ Keys }) => Keys ?? [],
    );
    wanted = [...left, ...wanted.slice(batchSize)];
    if (left.length === 0) continue;
    // A part of a batch may be throttled without an error; waiting longer each time is what AWS asks for.
    if (left.length < asked.length) backOff.reset();
    else throttledRounds += 1;
    if (throttledRounds > maxThrottledRounds) throw throttledBatch(tableName);
    await sleep(runtime, backOff.nextMs(), signal);
  }
  return found;
}

/** See `ItemTable.namesInGroup`. */
export async function* namesInGroup(
  { tableName, call }: ListedTable,
  group: string,
  signal?: AbortSignal,
  { after, pageSize }: Paging = {},
): AsyncIterable<readonly string[]> {
  let start: Marshalled | undefined =
    after === undefined ? undefined : { ...toKey(after), group: { S: group } };
  do {
    const command = new QueryCommand({
      TableName: tableName,
      IndexName: groupIndexName,
      KeyConditionExpression: '#group = :group',
      ExpressionAttributeNames: { '#group': 'group' },
      ExpressionAttributeValues: { ':group': { S: group } },
      ExclusiveStartKey: start,
      Limit: pageSize,
    });
    const page = await call(command, signal);
    yield (page.Items ?? []).map((item: Marshalled) => unmarshalled(item).name as string);
    start = placeAfter(page.LastEvaluatedKey, start, tableName);
  } while (start);
}

/** See `ItemTable.scan`. */
export async function* scan(
  { tableName, call }: ListedTable,
  signal?: AbortSignal,
  { after, pageSize }: Paging = {},
): AsyncIterable<readonly StoredItem[]> {
  let start: Marshalled | undefined = after === undefined ? undefined : toKey(after);
  do {
    const command = new ScanCommand({
      TableName: tableName,
      ConsistentRead: true,
      ExclusiveStartKey: start,
      Limit: pageSize,
    });
    const page = await call(command, signal);
    yield (page.Items ?? []).map(unmarshalled);
    start = placeAfter(page.LastEvaluatedKey, start, tableName);
  } while (start);
}

/** Where the next page begins. Without this check, a store that answers with the same place again is read for ever. */
function placeAfter(
  next: Marshalled | undefined,
  before: Marshalled | undefined,
  tableName: string,
): Marshalled | undefined {
  if (!next || JSON.stringify(next) !== JSON.stringify(before)) return next;
  const message = `A listing of table "${tableName}" does not move on: two pages end with the same item`;
  throw new StoreError(message, undefined, { retryable: false, mayHaveApplied: false });
}

function throttledBatch(tableName: string): StoreError {
  const message = `Table "${tableName}" is throttled: it answers no part of a batch`;
  const error = new StoreError(message, undefined, { retryable: true, mayHaveApplied: false });
  publish('throttled', { table: tableName, name: undefined, error });
  return error;
}
