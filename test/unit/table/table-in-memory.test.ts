import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { StoreClock } from '../../../lib/clock/store-clock.js';
import { StoreError } from '../../../lib/errors/index.js';
import { dynamoTable } from '../../../lib/table/index.js';
import { VirtualTime } from '../../support/virtual-time.js';

interface Sent {
  readonly operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: an input of any command
  readonly input: any;
  readonly signal: AbortSignal;
}

const told: object[] = [];
const listener = (event: unknown) => told.push(event as object);
subscribe('leasehold:throttled', listener);
afterEach(() => {
  told.length = 0;
});
afterAll(() => unsubscribe('leasehold:throttled', listener));

/** A table whose store answers so, one request after the other; the last answer stays. */
function scene(...answers: readonly (object | Error | 'hangs')[]) {
  const runtime = new VirtualTime();
  const clock = new StoreClock(runtime);
  const sent: Sent[] = [];
  const send = async (
    command: { readonly input: object },
    options: { readonly abortSignal: AbortSignal },
  ) => {
    const operation = command.constructor.name.replace(/Command$/, '');
    sent.push({ operation, input: command.input, signal: options.abortSignal });
    const answer = answers[Math.min(sent.length, answers.length) - 1] ?? {};
    if (answer === 'hangs') return new Promise(() => {});
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const region = { config: { region: async () => 'eu-central-1' } };
  const client = { send, ...region } as never;
  const table = dynamoTable({ client, tableName: 'leases', clock, runtime, callTimeoutMs: 3_000 });
  /** Some minutes later, by when it is settled. */
  const end = async <T>(work: Promise<T>): Promise<T> => {
    work.catch(() => {});
    await runtime.pass(300_000);
    return work;
  };
  return { table, runtime, sent, end };
}

const named = (name: string, more: object = {}) =>
  Object.assign(new Error(`it says ${name}`), { name, ...more });
const refusal = (more: object = {}) => named('ConditionalCheckFailedException', more);
const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(() => undefined).catch((error) => error);
const change = { set: { owner: 'o' }, condition: { text: '#a = :a', values: { ':a': 1 } } };
type Table = ReturnType<typeof scene>['table'];
const first = (listing: AsyncIterable<unknown>) => listing[Symbol.asyncIterator]().next();
const item = (name: string) => ({ name: { S: name }, version: { N: '7' } });

describe('a write', () => {
  it('is one request, under its condition, which asks for the item that refuses it', async () => {
    const { table, sent } = scene({});
    expect(await table.update('x', change)).toEqual({ applied: true, old: undefined });
    expect(sent.map(({ operation, input }) => [operation, input])).toEqual([
      [
        'UpdateItem',
        {
          ...{
            TableName: 'leases',
            Key: { name: { S: 'x' } },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
          ...{ UpdateExpression: 'SET #owner = :set_owner', ConditionExpression: '#a = :a' },
          ExpressionAttributeNames: { '#owner': 'owner', '#a': 'a' },
          ExpressionAttributeValues: { ':a': { N: '1' }, ':set_owner': { S: 'o' } },
        },
      ],
    ]);
  });

  it('without values sends none, which DynamoDB refuses, and asks for the item before where it is wanted', async () => {
    const { table, sent } = scene({ Attributes: item('x') });
    const removal = { remove: ['a'], condition: { text: 'attribute_exists(#a)' }, wantsOld: true };
    expect(await table.update('x', removal)).toEqual({ applied: true, old: { name: 'x', version: 7 } });
    expect(sent[0]!.input).toMatchObject({ ReturnValues: 'ALL_OLD', UpdateExpression: 'REMOVE #a' });
    expect(sent[0]!.input.ExpressionAttributeValues).toBeUndefined();
  });

  it.each([[undefined], [{}], [{ name: { S: 'x' } }]])(
    'that made the item had none before it: %j',
    async (Attributes) => {
      expect(await scene({ Attributes }).table.update('x', change)).toEqual({
        applied: true,
        old: undefined,
      });
    },
  );

  it.each([
    [{}, false],
    [{ $metadata: { attempts: 1 } }, false],
    [{ $metadata: { attempts: 2 } }, true],
  ])('that is refused brings the item, and whether it was tried before: %j', async (metadata, retried) => {
    const { table, sent } = scene(refusal({ Item: item('x'), ...metadata }));
    expect(await table.update('x', change)).toEqual({
      applied: false,
      item: { name: 'x', version: 7 },
      retried,
    });
    expect(sent).toHaveLength(1);
  });

  it('that is refused without the item costs one consistent read', async () => {
    const { table, sent } = scene(refusal(), { Item: item('x') });
    expect(await table.update('x', change)).toMatchObject({ applied: false, item: { version: 7 } });
    expect(sent[1]).toMatchObject({
      operation: 'GetItem',
      input: { TableName: 'leases', Key: { name: { S: 'x' } }, ConsistentRead: true },
    });
    expect(await scene(refusal(), {}).table.update('x', change)).toMatchObject({ item: undefined });
  });

  it('C09 whose refusal can’t be read may have been applied if it was tried before, and only then', async () => {
    const down = named('InternalServerError');
    const once = await thrownBy(scene(refusal(), down).table.update('x', change));
    expect(once).toMatchObject({ name: 'StoreError', mayHaveApplied: false, retryable: true });
    const twice = await thrownBy(
      scene(refusal({ $metadata: { attempts: 2 } }), down).table.update('x', change),
    );
    expect(twice).toMatchObject({
      ...{ name: 'StoreError', mayHaveApplied: true, retryable: true, lockName: 'x', cause: down },
      message: (once as Error).message,
    });
  });

  it('that creates demands that there is nothing, and says whether it did', async () => {
    const { table, sent } = scene({});
    expect(await table.create({ name: 'x', version: 1, gone: undefined })).toBe(true);
    expect(sent[0]).toMatchObject({
      operation: 'PutItem',
      input: {
        ...{ TableName: 'leases', ConditionExpression: 'attribute_not_exists(#name)' },
        ...{ ExpressionAttributeNames: { '#name': 'name' }, Item: { name: { S: 'x' }, version: { N: '1' } } },
      },
    });
    expect(await scene(refusal()).table.create({ name: 'x' })).toBe(false);
    expect(await thrownBy(scene(named('InternalServerError')).table.create({ name: 'x' }))).toMatchObject({
      ...{ name: 'StoreError', mayHaveApplied: true, lockName: 'x' },
    });
  });

  it.each<[string, unknown]>([
    ['a function', () => {}],
    ['an empty set', new Set()],
    ['a symbol', Symbol('a')],
  ])('of what DynamoDB can’t store is refused, and nothing is sent: %s', async (_, value) => {
    const { table, sent } = scene({});
    expect(await thrownBy(table.update('x', { ...change, set: { value } }))).toMatchObject({
      ...{ name: 'UsageError', lockName: 'x', cause: expect.any(Error) },
      message: expect.stringContaining('DynamoDB can\'t store what "x" was given'),
    });
    expect(sent).toEqual([]);
  });

  it('of what is nested is taken apart by the SDK', async () => {
    const { table, sent } = scene({});
    const value = { list: [1, 'a', undefined], half: 0.5, yes: true, none: null };
    await table.update('x', { ...change, set: { value } });
    expect(sent[0]!.input.ExpressionAttributeValues[':set_value']).toEqual({
      M: {
        list: { L: [{ N: '1' }, { S: 'a' }] },
        half: { N: '0.5' },
        yes: { BOOL: true },
        none: { NULL: true },
      },
    });
  });
});

describe('C40 a read', () => {
  it('of one item is strongly consistent; a ping is not, and reads an item of its own', async () => {
    const { table, sent } = scene({ Item: { ...item('x'), big: { N: '12345678901234567890' } } });
    expect(await table.get('x')).toEqual({ name: 'x', version: 7, big: 12345678901234567890n });
    expect(await scene({}).table.get('x')).toBeUndefined();
    await table.ping();
    expect(sent.map(({ input }) => input)).toEqual([
      { TableName: 'leases', Key: { name: { S: 'x' } }, ConsistentRead: true },
      { TableName: 'leases', Key: { name: { S: 'leasehold/ping' } } },
    ]);
  });

  it('of many is by the hundred, each name once', async () => {
    const names = Array.from({ length: 130 }, (_, i) => `n${i}`);
    const { table, sent, end } = scene(
      { Responses: { leases: [item('n0')] } },
      { Responses: { 'an:arn': [item('n129')] } },
    );
    expect(await end(table.getMany([...names, 'n0']))).toEqual([
      { name: 'n0', version: 7 },
      { name: 'n129', version: 7 },
    ]);
    const keys = sent.map(({ input }) =>
      input.RequestItems.leases.Keys.map((key: { name: { S: string } }) => key.name.S),
    );
    expect(keys).toEqual([names.slice(0, 100), names.slice(100)]);
    expect(sent[0]!.input.RequestItems.leases.ConsistentRead).toBe(true);
    expect(await scene().table.getMany([])).toEqual([]);
  });

  it('of many goes on with what was left out, after a pause', async () => {
    const left = { UnprocessedKeys: { leases: { Keys: [{ name: { S: 'b' } }] } } };
    const { table, sent, runtime } = scene(
      { Responses: { leases: [item('a')] }, ...left },
      { Responses: { leases: [item('b')] } },
    );
    const found = table.getMany(['a', 'b']);
    await runtime.pass(0);
    expect(sent).toHaveLength(1);
    await runtime.pass(1_000);
    expect(await found).toMatchObject([{ name: 'a' }, { name: 'b' }]);
    expect(sent[1]!.input.RequestItems.leases.Keys).toEqual([{ name: { S: 'b' } }]);
  });

  it('of more than a batch goes on behind what was left out: nothing is skipped, and nothing asked for twice', async () => {
    const names = Array.from({ length: 230 }, (_, i) => `n${i}`);
    const keysOf = (some: readonly string[]) => some.map((name) => ({ name: { S: name } }));
    const rest = [...names.slice(40, 100), ...names.slice(100, 140)];
    const { table, sent, end } = scene(
      {
        Responses: { leases: names.slice(0, 40).map(item) },
        UnprocessedKeys: { leases: { Keys: keysOf(names.slice(40, 100)) } },
      },
      { Responses: { leases: rest.map(item) } },
      { Responses: { leases: names.slice(140).map(item) } },
    );
    expect((await end(table.getMany(names))).map(({ name }) => name)).toEqual(names);
    expect(sent.map(({ input }) => input.RequestItems.leases.Keys)).toEqual(
      [names.slice(0, 100), rest, names.slice(140)].map(keysOf),
    );
  });

  it('of many waits longer each time that nothing is answered, and no longer than at first after a part was', async () => {
    const unprocessed = (...names: string[]) => ({
      UnprocessedKeys: { leases: { Keys: names.map((name) => ({ name: { S: name } })) } },
    });
    const nothing = unprocessed('a', 'b');
    const part = { Responses: { leases: [item('a')] }, ...unprocessed('b') };
    const { table, sent, runtime } = scene(nothing, nothing, nothing, part, {
      Responses: { leases: [item('b')] },
    });
    const found = table.getMany(['a', 'b']);
    const pauses: number[] = [];
    for (let asked = 1; asked < 5; asked += 1) {
      while (sent.length < asked) await runtime.pass(0);
      const before = runtime.monotonicMs();
      while (sent.length === asked) await runtime.pass(5);
      pauses.push(runtime.monotonicMs() - before);
    }
    const [first, second, third, afterPart] = pauses as [number, number, number, number];
    expect(second).toBeGreaterThan(first);
    expect(third).toBeGreaterThan(second);
    expect(afterPart).toBeLessThan(second);
    expect(await found).toHaveLength(2);
  });

  it('of many of which nothing is ever answered is throttled: told, and given up after eight times more', async () => {
    const nothing = { UnprocessedKeys: { leases: { Keys: [{ name: { S: 'a' } }] } } };
    const { table, sent, end } = scene(nothing);
    const thrown = await end(thrownBy(table.getMany(['a'])));
    expect(thrown).toMatchObject({
      ...{ name: 'StoreError', retryable: true, mayHaveApplied: false },
      message: 'Table "leases" is throttled: it answers no part of a batch',
    });
    expect(sent).toHaveLength(9);
    expect(told).toEqual([{ table: 'leases', name: undefined, error: thrown }]);
  });

  it('of a group asks its index, from a place on, page by page', async () => {
    const { table, sent } = scene({ Items: [item('a')], LastEvaluatedKey: { name: { S: 'a' } } }, {});
    const pages: (readonly string[])[] = [];
    for await (const page of table.namesInGroup('g', undefined, { after: 'before', pageSize: 5 }))
      pages.push(page);
    expect(pages).toEqual([['a'], []]);
    const query = {
      ...{ TableName: 'leases', IndexName: 'byGroup', KeyConditionExpression: '#group = :group', Limit: 5 },
      ExpressionAttributeNames: { '#group': 'group' },
      ExpressionAttributeValues: { ':group': { S: 'g' } },
    };
    expect(sent.map(({ operation, input }) => [operation, input])).toEqual([
      ['Query', { ...query, ExclusiveStartKey: { name: { S: 'before' }, group: { S: 'g' } } }],
      ['Query', { ...query, ExclusiveStartKey: { name: { S: 'a' } } }],
    ]);
    const first = scene({});
    for await (const _ of first.table.namesInGroup('g'));
    expect(first.sent[0]!.input.ExclusiveStartKey).toBeUndefined();
  });

  it('of all is strongly consistent, from a place on, page by page', async () => {
    const { table, sent } = scene({ Items: [item('a')], LastEvaluatedKey: { name: { S: 'a' } } }, {});
    const pages: unknown[] = [];
    for await (const page of table.scan(undefined, { after: 'before', pageSize: 5 })) pages.push(page);
    expect(pages).toEqual([[{ name: 'a', version: 7 }], []]);
    const scan = { TableName: 'leases', ConsistentRead: true, Limit: 5 };
    expect(sent.map(({ input }) => input)).toEqual([
      { ...scan, ExclusiveStartKey: { name: { S: 'before' } } },
      { ...scan, ExclusiveStartKey: { name: { S: 'a' } } },
    ]);
  });
});

describe('a request that fails', () => {
  it('C20 is the store’s error, with its cause; a write may have been applied, a read not', async () => {
    const down = named('InternalServerError');
    expect(await thrownBy(scene(down).table.update('x', change))).toMatchObject({
      ...{ name: 'StoreError', retryable: true, mayHaveApplied: true, lockName: 'x', cause: down },
      message: expect.stringContaining('Table "leases"'),
    });
    expect(await thrownBy(scene(down).table.get('x'))).toMatchObject({
      mayHaveApplied: false,
      lockName: 'x',
    });
    expect(told).toEqual([]);
  });

  it('for there are too many is told', async () => {
    const slow = named('ProvisionedThroughputExceededException');
    await thrownBy(scene(slow).table.get('x'));
    expect(told).toEqual([{ table: 'leases', name: 'x', error: slow }]);
  });

  it('for there is no such table says where it was looked for', async () => {
    expect(await thrownBy(scene(named('ResourceNotFoundException')).table.get('x'))).toMatchObject({
      ...{ name: 'StoreError', retryable: false },
      message: expect.stringMatching(
        /does not exist in this account and Region \(eu-central-1\).*leasehold table create/,
      ),
    });
  });

  it('of ours comes back as it is', async () => {
    const own = new StoreError('ours', 'y', { retryable: false, mayHaveApplied: false });
    expect(await thrownBy(scene(own).table.update('x', change))).toBe(own);
  });

  it('C20 that is not answered ends with its own time', async () => {
    const { table, runtime, sent } = scene('hangs');
    const write = thrownBy(table.update('x', change));
    await runtime.pass(2_999);
    expect(sent[0]!.signal.aborted).toBe(false);
    await runtime.pass(2);
    expect(await write).toMatchObject({ name: 'StoreError', retryable: true, mayHaveApplied: true });
    expect(sent[0]!.signal.aborted).toBe(true);
  });

  it.each<[string, boolean, (table: Table, signal: AbortSignal) => Promise<unknown>]>([
    ['a write', true, (table, signal) => table.update('x', change, signal)],
    ['one that creates', true, (table, signal) => table.create({ name: 'x' }, signal)],
    ['a read', false, (table, signal) => table.get('x', signal)],
    ['a read of many', false, (table, signal) => table.getMany(['x'], signal)],
    ['a ping', false, (table, signal) => table.ping(signal)],
    ['a group', false, (table, signal) => first(table.namesInGroup('g', signal))],
    ['a listing', false, (table, signal) => first(table.scan(signal))],
  ])(
    'C17 %s that its caller gives up ends at once; it may have been applied: %s',
    async (_, mayHaveApplied, ask) => {
      const stop = new AbortController();
      const { table, sent } = scene('hangs');
      const asked = thrownBy(ask(table, stop.signal));
      await new Promise(setImmediate);
      await new Promise(setImmediate);
      stop.abort(new StoreError('of another', 'y', { retryable: false, mayHaveApplied: !mayHaveApplied }));
      expect(sent[0]!.signal.aborted).toBe(true);
      expect(await asked).toMatchObject({ name: 'StoreError', retryable: true, mayHaveApplied });
    },
  );

  it('C17 the read after a refusal ends with its caller, too', async () => {
    const stop = new AbortController();
    const { table, sent } = scene(refusal(), 'hangs');
    const asked = thrownBy(table.update('x', change, stop.signal));
    for (let i = 0; i < 5; i++) await new Promise(setImmediate);
    expect(sent).toHaveLength(2);
    stop.abort('enough');
    expect(sent[1]!.signal.aborted).toBe(true);
    expect(await asked).toMatchObject({ name: 'StoreError', mayHaveApplied: false });
  });

  it('C17 for its caller has given up is unknown, whatever the reason: one of our own says nothing of the write', async () => {
    for (const reason of [
      new StoreError('of another', 'y', { retryable: false, mayHaveApplied: false }),
      'enough',
    ]) {
      const stop = new AbortController();
      const { table, sent } = scene('hangs');
      const write = thrownBy(table.update('x', change, stop.signal));
      await new Promise(setImmediate);
      stop.abort(reason);
      expect(sent[0]!.signal.aborted).toBe(true);
      const unknown = { name: 'StoreError', retryable: true, mayHaveApplied: true, lockName: 'x' };
      expect(await write).toMatchObject(unknown);
    }
  });
});
