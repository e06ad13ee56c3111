import { answered, refused, type StoreAnswer } from './answers.js';
import type { Item } from './attribute-values.js';
import { checkPlaceholders, conditionOf, updateOf } from './compiled.js';
import type { GroupIndex } from './group-index.js';
import { InvalidUpdate } from './update.js';

/** The parts of a request that write or test one item. */
export interface ItemRequest {
  readonly TableName: string;
  readonly Key: Item;
  readonly Item?: Item;
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
  readonly ReturnValues?: string;
  readonly ReturnValuesOnConditionCheckFailure?: string;
}

/** One item has changed. */
export interface ItemWrite {
  readonly table: string;
  readonly key: string;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

const none: Item = {};

/**
 * The tables: items by their one key, and conditional writes of one item as the engines do them. Items are never
 * changed, only replaced.
 */
export class SimStore {
  readonly #tables = new Map<string, Map<string, Item>>();
  readonly #index: GroupIndex;
  readonly #onWrite: (write: ItemWrite) => void;

  /** @param onWrite told of every write that is applied, a write that changes nothing included */
  constructor(index: GroupIndex, onWrite: (write: ItemWrite) => void) {
    this.#index = index;
    this.#onWrite = onWrite;
  }

  itemsOf(table: string): Map<string, Item> {
    const items = this.#tables.get(table) ?? new Map<string, Item>();
    this.#tables.set(table, items);
    return items;
  }

  get(table: string, key: Item): Item | undefined {
    return this.itemsOf(table).get(keyText(key));
  }

  /** Whether the condition holds; `undefined` if it does, otherwise the refusal. */
  findRefusal(request: ItemRequest): StoreAnswer | undefined {
    const names = request.ExpressionAttributeNames ?? {};
    const values = request.ExpressionAttributeValues ?? none;
    const text = request.ConditionExpression;
    const condition = text === undefined ? undefined : conditionOf(text);
    const update = request.UpdateExpression ? updateOf(request.UpdateExpression) : undefined;
    checkPlaceholders({ names, values }, condition, update);
    const before = this.get(request.TableName, request.Key);
    if (!condition || condition.test({ item: before ?? none, names, values })) return undefined;
    const withItem = request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && before !== undefined;
    return refused('ConditionalCheckFailedException', 'The conditional request failed', {
      ...(withItem && { Item: before }),
    });
  }

  /** What the item would be after the write, whose condition holds; `undefined` after a deletion. */
  resultOf(request: ItemRequest): Item | undefined {
    if (request.Item) return request.Item;
    if (request.UpdateExpression === undefined) return undefined;
    const before = this.get(request.TableName, request.Key) ?? request.Key;
    return updateOf(request.UpdateExpression).change({
      item: before,
      names: request.ExpressionAttributeNames ?? {},
      values: request.ExpressionAttributeValues ?? none,
    });
  }

  /** One conditional write of one item. */
  write(request: ItemRequest): StoreAnswer {
    return valid(() => {
      const refusal = this.findRefusal(request);
      if (refusal) return refusal;
      const before = this.get(request.TableName, request.Key);
      const after = this.resultOf(request);
      this.put(request.TableName, request.Key, after);
      const { ReturnValues } = request;
      const Attributes = ReturnValues === 'ALL_OLD' ? before : ReturnValues === 'ALL_NEW' ? after : undefined;
      return answered(Attributes ? { Attributes } : {});
    });
  }

  /** All or nothing, over items of any tables. */
  transact(requests: readonly (ItemRequest & { readonly isCheck: boolean })[]): StoreAnswer {
    return valid(() => {
      const refusals = requests.map((request) => this.findRefusal(request));
      if (refusals.some((refusal) => refusal !== undefined)) {
        const CancellationReasons = refusals.map((refusal) =>
          refusal ? { Code: 'ConditionalCheckFailed', ...refusal.body } : { Code: 'None' },
        );
        return refused('TransactionCanceledException', 'Transaction cancelled', { CancellationReasons });
      }
      const writes = requests.filter(({ isCheck }) => !isCheck);
      const results = writes.map((request) => this.resultOf(request));
      for (const [index, { TableName, Key }] of writes.entries()) this.put(TableName, Key, results[index]);
      return answered({});
    });
  }

  /** Replaces an item, or deletes it. */
  put(table: string, key: Item, after: Item | undefined): void {
    const items = this.itemsOf(table);
    const text = keyText(key);
    const before = items.get(text);
    if (after) items.set(text, after);
    else items.delete(text);
    const group = (after ?? before)?.group?.S;
    if (group !== undefined) after ? this.#index.add(group, text) : this.#index.remove(group, text);
    this.#onWrite({ table, key: text, before, after });
  }
}

/** All our tables have one key, a string. */
export function keyText(key: Item): string {
  for (const attribute in key) return key[attribute]!.S!;
  return '';
}

function valid(work: () => StoreAnswer): StoreAnswer {
  try {
    return work();
  } catch (error) {
    if (error instanceof InvalidUpdate) return refused('ValidationException', error.message);
    throw error;
  }
}
