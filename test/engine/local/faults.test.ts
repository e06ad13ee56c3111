import { type DynamoDBClientConfig, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createLeaseTable,
  type LocalDynamo,
  type MeteredClient,
  meteredClient,
  startDynamo,
} from '../../../lib/local/index.js';
import { until } from '../../support/local/child-processes.js';
import { quickEngines } from '../../support/local/local-engines.js';

const never = 3_600_000;

describe.each(quickEngines)('faults in front of %s', (engine) => {
  let dynamo: LocalDynamo;
  let metered: MeteredClient;
  let name = 0;

  const connect = (config: DynamoDBClientConfig = {}) =>
    meteredClient({ ...dynamo.clientConfig(), maxAttempts: 1, ...config });

  /** Adds one: how often a request was applied is the number that it leaves behind. */
  const add = (options: { abortSignal?: AbortSignal } = {}, through = metered) =>
    through.client.send(
      new UpdateItemCommand({
        TableName: 'faults',
        Key: { name: { S: String(name) } },
        UpdateExpression: 'ADD applied :one',
        ExpressionAttributeValues: { ':one': { N: '1' } },
        ReturnValues: 'UPDATED_NEW',
      }),
      options,
    );

  const get = (through = metered) =>
    through.client.send(
      new GetItemCommand({ TableName: 'faults', Key: { name: { S: String(name) } }, ConsistentRead: true }),
    );

  const applied = async (): Promise<number> => Number((await get()).Item?.applied?.N ?? 0);

  beforeAll(async () => {
    dynamo = await startDynamo({ engine });
    await using plain = meteredClient(dynamo.clientConfig());
    await createLeaseTable(plain.client, 'faults');
  });

  beforeEach(() => {
    name++;
    metered = connect();
  });

  afterEach(() => metered.close());

  afterAll(() => dynamo.stop());

  it('count requests by operation, and reads and writes apart', async () => {
    await add();
    await add();
    await get();
    const { meter } = metered;
    expect(meter).toMatchObject({ total: 3, writes: 2, reads: 1 });
    expect(meter.operations).toEqual({ UpdateItem: 2, GetItem: 1 });
    expect(meter.count('UpdateItem')).toBe(2);
    expect(meter.count('PutItem')).toBe(0);
    expect(meter.log[0]).toMatchObject({ operation: 'UpdateItem', status: 200, faults: [], copy: false });
    expect(meter.log[0]?.body.Key).toEqual({ name: { S: String(name) } });
    meter.reset();
    expect(meter).toMatchObject({ total: 0, log: [] });
  });

  it('count the retries of the SDK', async () => {
    await using retrying = connect({ maxAttempts: 3 });
    retrying.faults.on('UpdateItem').times(2).dropRequest();
    await add({}, retrying);
    expect(retrying.meter.count('UpdateItem')).toBe(3);
    expect(await applied()).toBe(1);
  });

  it('lose a request before the engine sees it', async () => {
    metered.faults.on('UpdateItem').once().dropRequest();
    await expect(add()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await applied()).toBe(0);
    expect(metered.meter.log[0]).toMatchObject({ faults: ['drop-request'], error: 'TimeoutError' });
  });

  it('lose an answer after the engine has acted', async () => {
    metered.faults.on('UpdateItem').once().dropAnswer();
    await expect(add()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await applied()).toBe(1);
  });

  it('let the SDK apply a request twice when it retries a lost answer', async () => {
    await using retrying = connect({ maxAttempts: 2 });
    retrying.faults.on('UpdateItem').once().dropAnswer();
    expect((await add({}, retrying)).Attributes?.applied?.N).toBe('2');
  });

  it('hang an unsent request until the caller aborts', async () => {
    const hang = metered.faults.on('UpdateItem').hang();
    const abort = new AbortController();
    const hung = add({ abortSignal: abort.signal });
    await hang.reached();
    abort.abort();
    await expect(hung).rejects.toMatchObject({ name: 'AbortError' });
    expect(await applied()).toBe(0);
  });

  it('hang a request that the engine applies all the same', async () => {
    metered.faults.on('UpdateItem').hang({ sent: true });
    const abort = new AbortController();
    const hung = add({ abortSignal: abort.signal });
    hung.catch(() => {});
    while ((await applied()) === 0);
    await metered.faults.settled();
    abort.abort();
    await expect(hung).rejects.toMatchObject({ name: 'AbortError' });
    expect(await applied()).toBe(1);
  });

  it('leave a hung request to the timeout of the SDK', async () => {
    const requestHandler = { requestTimeout: 50, throwOnRequestTimeout: true };
    await using impatient = connect({ requestHandler });
    impatient.faults.on('UpdateItem').hang();
    await expect(add({}, impatient)).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('end a hung request when the client is closed', async () => {
    const hang = metered.faults.always({ kind: 'hang' });
    const hung = add();
    hung.catch(() => {});
    await hang.reached();
    await metered.close();
    await expect(hung).rejects.toThrow();
    await expect(get()).rejects.toThrow('closed');
  });

  it('delay a request on its way there and back', async () => {
    metered.faults.on('UpdateItem').delay({ beforeMs: 20, afterMs: 20 });
    expect((await add()).Attributes?.applied?.N).toBe('1');
  });

  it('let a caller abort a request that has not been sent yet', async () => {
    const delay = metered.faults.on('UpdateItem').delay({ beforeMs: never });
    const abort = new AbortController();
    const slow = add({ abortSignal: abort.signal });
    await delay.reached();
    abort.abort();
    await expect(slow).rejects.toMatchObject({ name: 'AbortError' });
    expect(await applied()).toBe(0);
  });

  it('let the timeout of the SDK end a delay, after the engine has acted', async () => {
    const requestHandler = { requestTimeout: 200, throwOnRequestTimeout: true };
    await using impatient = connect({ requestHandler });
    impatient.faults.on('UpdateItem').delay({ afterMs: never });
    await expect(add({}, impatient)).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(await applied()).toBe(1);
  });

  it('send a duplicate on its own', async () => {
    metered.faults.on('UpdateItem').once().duplicate({ afterMs: 20 });
    expect((await add()).Attributes?.applied?.N).toBe('1');
    await metered.faults.settled();
    expect(await applied()).toBe(2);
    expect(metered.meter.count('UpdateItem')).toBe(1);
    const updates = metered.meter.log.filter(({ operation }) => operation === 'UpdateItem');
    expect(updates.map(({ copy, status }) => ({ copy, status }))).toEqual([
      { copy: false, status: 200 },
      { copy: true, status: 200 },
    ]);
  });

  it('send a duplicate even of a request that its caller aborts', async () => {
    const duplicate = metered.faults.on('UpdateItem').once().duplicate({ afterMs: 0 });
    const abort = new AbortController();
    const aborted = add({ abortSignal: abort.signal });
    aborted.catch(() => {});
    await duplicate.reached();
    abort.abort();
    await aborted.catch(() => {});
    await metered.faults.settled();
    expect(await applied()).toBeGreaterThanOrEqual(1);
  });

  it('land a request after its caller has given up', async () => {
    metered.faults.on('UpdateItem').once().late({ afterMs: 50 });
    await expect(add()).rejects.toMatchObject({ name: 'TimeoutError' });
    await metered.faults.settled();
    expect(await applied()).toBe(1);
  });

  it('land a late request while its caller hangs', async () => {
    metered.faults.on('UpdateItem').once().late({ afterMs: 0, caller: 'hangs' });
    const abort = new AbortController();
    const hung = add({ abortSignal: abort.signal });
    hung.catch(() => {});
    while ((await applied()) === 0);
    abort.abort();
    await expect(hung).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('cancel what has not landed when the client is closed', async () => {
    metered.faults.on('UpdateItem').once().late({ afterMs: never });
    await expect(add()).rejects.toMatchObject({ name: 'TimeoutError' });
    const { faults } = metered;
    await metered.close();
    // Nothing is under way any more.
    await faults.settled();
    metered = connect();
    expect(await applied()).toBe(0);
  });

  it.each(['ThrottlingException', 'ProvisionedThroughputExceededException'] as const)(
    'throttle with %s, with a date as every answer has it',
    async (error) => {
      metered.faults.on('UpdateItem').throttle(error);
      await expect(add()).rejects.toMatchObject({ name: error, $metadata: { httpStatusCode: 400 } });
      expect(await applied()).toBe(0);
    },
  );

  it('fail with 500, before or after the engine has acted', async () => {
    metered.faults.on('UpdateItem').once().serverError();
    metered.faults.on('UpdateItem').once().serverError({ applied: true });
    await expect(add()).rejects.toMatchObject({ name: 'InternalServerError' });
    expect(await applied()).toBe(0);
    await expect(add()).rejects.toMatchObject({ name: 'InternalServerError' });
    expect(await applied()).toBe(1);
  });

  it('are retried by the SDK where they are transient', async () => {
    await using retrying = connect({ maxAttempts: 5 });
    retrying.faults.on('UpdateItem').once().throttle();
    retrying.faults.on('UpdateItem').once().serverError();
    retrying.faults.on('UpdateItem').once().dropRequest();
    expect((await add({}, retrying)).Attributes?.applied?.N).toBe('1');
    expect(retrying.meter.count('UpdateItem')).toBe(4);
  });

  it('move the date of every answer, also beside another fault', async () => {
    const dates: string[] = [];
    metered.client.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        dates.push((result.response as { headers: Record<string, string> }).headers.date ?? '');
        return result;
      },
      { step: 'deserialize', priority: 'low' },
    );
    const offsetMs = 86_400_000 * 365;
    metered.faults.always({ kind: 'clock', offsetMs });
    await get();
    metered.faults.on('GetItem').once().throttle();
    await get().catch(() => {});
    expect(dates).toHaveLength(2);
    for (const date of dates) {
      expect(new Date(date).toUTCString()).toBe(date);
      expect(Date.parse(date)).toBeGreaterThan(Date.now() + offsetMs / 2);
    }
  });

  it('choose requests by their content, skip some, and end after so many', async () => {
    const { faults } = metered;
    const rule = faults
      .on('UpdateItem')
      .when(({ body }) => body.Key.name.S === String(name))
      .skip(1)
      .times(2)
      .dropRequest();
    const outcomes: string[] = [];
    for (let i = 0; i < 5; i++) {
      outcomes.push(
        await add().then(
          () => 'applied',
          () => 'dropped',
        ),
      );
    }
    expect(outcomes).toEqual(['applied', 'dropped', 'dropped', 'applied', 'applied']);
    expect(rule.hits).toBe(2);
    const elsewhere = faults.when(({ body }) => body.Key?.name?.S === 'other', { kind: 'drop-request' });
    await add();
    expect(elsewhere.hits).toBe(0);
  });

  it('end when they are removed or the plan is cleared', async () => {
    const rule = metered.faults.always({ kind: 'drop-request' });
    await expect(add()).rejects.toThrow();
    rule.remove();
    await add();
    metered.faults.always({ kind: 'drop-request' });
    metered.faults.clear();
    await add();
    expect(await applied()).toBe(2);
  });

  it('leave no timer and no socket behind', async () => {
    const quiet = connect();
    quiet.faults.on('UpdateItem').once().hang({ sent: true });
    quiet.faults.on('UpdateItem').once().late({ afterMs: never });
    quiet.faults.on('UpdateItem').once().delay({ beforeMs: never });
    const hung = [add({}, quiet), add({}, quiet), add({}, quiet)];
    await Promise.all([quiet.close(), ...hung.map((one) => one.catch(() => {}))]);
    await metered.close();
    await until(async () => !process.getActiveResourcesInfo().includes('TCPSocketWrap'));
  });
});
