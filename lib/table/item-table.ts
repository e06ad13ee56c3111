import type { ConditionalChange, FilledForm } from './form.js';

/** An item as the store has it. What it means is for `lease-item.ts` to say. */
export type StoredItem = Readonly<Record<string, unknown>>;

/** What a conditional write came back with. */
export type WriteAnswer =
  /** Applied; `old` is the item before the write, `undefined` where there was none or it was not asked for. */
  | { readonly applied: true; readonly old: StoredItem | undefined }
  /**
   * Refused; `item` is what stood there, `undefined` where there was nothing. `retried`: an earlier attempt of the
   * same write got no answer and might still arrive.
   */
  | { readonly applied: false; readonly item: StoredItem | undefined; readonly retried: boolean };

/** Where a listing begins, and how much it reads at once. */
export interface Paging {
  /** The name after which it goes on, in the listing's own order. @default the beginning */
  readonly after?: string;
  /** Items a page. @default as many as fit into 1 MB */
  readonly pageSize?: number;
  /** Of a group only these names are read: a role may be limited to some, and a batch with another is refused. @default all */
  readonly only?: (name: string) => boolean;
}

/**
 * The few things that leases ask of a store, and the only way to it. `dynamoTable` is the real one; a
 * simulation brings its own and is held to the same contract suite.
 *
 * All methods throw a `StoreError` when the store can't be used, and all end: at the latest when the time-outs
 * that the table was made with have run out. A caller's signal ends them at once.
 */
export interface ItemTable {
  /** For messages. */
  readonly tableName: string;

  /** Changes one item if `change.condition` holds; nothing is written otherwise. Never unconditional. */
  update(name: string, change: ConditionalChange | FilledForm, signal?: AbortSignal): Promise<WriteAnswer>;

  /** Writes a whole new item if there is none under its name. Answers whether it did. */
  create(item: StoredItem & { readonly name: string }, signal?: AbortSignal): Promise<boolean>;

  /** One strongly consistent read. */
  get(name: string, signal?: AbortSignal): Promise<StoredItem | undefined>;

  /** Strongly consistent reads of many items; those that do not exist are missing from the answer, in no order. */
  getMany(names: readonly string[], signal?: AbortSignal): Promise<readonly StoredItem[]>;

  /** The names of a group by the index, page by page, in order. The index lags behind the table by a moment. */
  namesInGroup(group: string, signal?: AbortSignal, paging?: Paging): AsyncIterable<readonly string[]>;

  /** All items, page by page, strongly consistent. */
  scan(signal?: AbortSignal, paging?: Paging): AsyncIterable<readonly StoredItem[]>;

  /** One cheap request whose only use is the `Date` of its response. */
  ping(signal?: AbortSignal): Promise<void>;
}
