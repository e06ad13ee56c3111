import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Random } from '../world/random.js';
import { answered, type StoreAnswer } from './answers.js';
import { type Item, NotSimulated } from './attribute-values.js';
import type { GroupIndex } from './group-index.js';
import { type ItemRequest, keyText, type SimStore } from './sim-store.js';

// biome-ignore lint/suspicious/noExplicitAny: the inputs of the SDK's commands, told apart by the command's name
type AnyInput = any;

/** What the operations work on. */
export interface Backend {
  readonly store: SimStore;
  readonly index: GroupIndex;
  readonly random: Random;
}

/** Whether a command changes nothing. */
export function isRead(operation: string): boolean {
  const known = reads.get(operation);
  if (known !== undefined) return known;
  const reading = /^(Get|BatchGet|Query|Scan|List|Head)/.test(operation);
  reads.set(operation, reading);
  return reading;
}

/** Asked of every request. */
const reads = new Map<string, boolean>();

/** Carries out one command of the SDK's, or of its document client's. */
export function carryOut({ store, index, random }: Backend, operation: string, input: AnyInput): StoreAnswer {
  switch (operation) {
    case 'UpdateItemCommand':
    case 'DeleteItemCommand':
      return store.write(input);
    case 'PutItemCommand':
      return store.write(withKey(input));
    case 'UpdateCommand':
    case 'DeleteCommand':
      return store.write(marshalled(input));
    case 'PutCommand':
      return store.write(withKey(marshalled(input)));
    case 'TransactWriteCommand':
      return store.transact(input.TransactItems.map(partOfTransaction));
    case 'GetItemCommand': {
      const found = store.get(input.TableName, input.Key);
      return answered(found ? { Item: found } : {});
    }
    case 'BatchGetItemCommand':
      return batch(store, random, input);
    case 'QueryCommand':
      return query(index, random, input);
    case 'ScanCommand':
      return scan(store, random, input);
    default:
      throw new NotSimulated(`the command ${operation}`);
  }
}

/** Some of the keys may be left for later; never all of them for ever. */
function batch(store: SimStore, random: Random, { RequestItems }: AnyInput): StoreAnswer {
  const [[table, { Keys }]] = Object.entries<AnyInput>(RequestItems) as [[string, { Keys: Item[] }]];
  const some = random.chance(0.1) ? random.whole(0, Keys.length) : Keys.length;
  const found = Keys.slice(0, some)
    .map((key) => store.get(table, key))
    .filter((item) => item !== undefined);
  const left = Keys.slice(some);
  return answered({
    Responses: { [table]: found },
    UnprocessedKeys: left.length > 0 ? { [table]: { Keys: left } } : {},
  });
}

/** Pages are as long as chance will have them. */
const maxInPage = 30;

/** A page of a whole table. */
function scan(store: SimStore, random: Random, input: AnyInput): StoreAnswer {
  const items = [...store.itemsOf(input.TableName)];
  const after = input.ExclusiveStartKey && keyText(input.ExclusiveStartKey);
  const start = after === undefined ? 0 : items.findIndex(([key]) => key === after) + 1;
  const page = items.slice(start, start + random.whole(1, maxInPage));
  const last = page.at(-1);
  const more = last !== undefined && start + page.length < items.length;
  return answered({
    Items: page.map(([, item]) => item),
    ...(more && { LastEvaluatedKey: { name: { S: last[0] } } }),
  });
}

/** A page of a group's names. */
function query(index: GroupIndex, random: Random, input: AnyInput): StoreAnswer {
  const group: string = input.ExpressionAttributeValues[':group'].S;
  const after: string | undefined = input.ExclusiveStartKey?.name.S;
  const names = index.namesIn(group);
  const start = after === undefined ? 0 : names.indexOf(after) + 1;
  const page = names.slice(start, start + random.whole(1, maxInPage));
  const last = page.at(-1);
  const more = last !== undefined && start + page.length < names.length;
  return answered({
    Items: page.map((name) => ({ name: { S: name } })),
    ...(more && { LastEvaluatedKey: { name: { S: last } } }),
  });
}

/** As the document client does it. */
function marshalled(input: AnyInput): ItemRequest {
  const values = input.ExpressionAttributeValues as Record<string, AttributeValue> | undefined;
  return {
    ...input,
    ...(input.Key && { Key: marshall(input.Key) }),
    ...(input.Item && { Item: marshall(input.Item) }),
    ...(values && { ExpressionAttributeValues: marshall(values) }),
  };
}

function partOfTransaction(part: AnyInput): ItemRequest & { readonly isCheck: boolean } {
  const request = part.Put ?? part.Update ?? part.Delete ?? part.ConditionCheck;
  const plain = marshalled(request);
  return { ...(plain.Item ? withKey(plain) : plain), isCheck: part.ConditionCheck !== undefined };
}

/** Our tables' keys are `name` for leases, `id` for resources and `slice` for a ledger's rows. */
function withKey(input: AnyInput): ItemRequest {
  const attribute = ['name', 'id', 'slice'].find((candidate) => candidate in input.Item)!;
  return { ...input, Key: { [attribute]: input.Item[attribute] } };
}
