import { Readable } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { StoreClock } from '../../../lib/clock/store-clock.js';
import { dynamoTable } from '../../../lib/table/index.js';
import { VirtualTime } from '../../support/virtual-time.js';

interface Request {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
interface Response {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const at = (ms: number) => new Date(ms).toUTCString();
const storeMs = Date.UTC(2031, 4, 7, 11, 13, 17);

/** A table by a client of the AWS SDK whose requests end here, before any socket. */
function scene(answers: readonly (Response | 'hangs')[], { isClientOurs = true, config = {} } = {}) {
  const sent: Request[] = [];
  const signals: (AbortSignal | undefined)[] = [];
  const handle = async (request: Request, options: { readonly abortSignal?: AbortSignal } = {}) => {
    sent.push(structuredClone({ headers: request.headers, body: Buffer.from(request.body).toString() }));
    signals.push(options.abortSignal);
    const answer = answers[Math.min(sent.length, answers.length) - 1] ?? {};
    if (answer === 'hangs') return new Promise<never>(() => {});
    const { statusCode = 200, headers, body = {} } = answer;
    return {
      response: {
        statusCode,
        headers: headers ?? {},
        body: Readable.from([Buffer.from(JSON.stringify(body))]),
      },
    };
  };
  const client = new DynamoDBClient({
    ...{ region: 'eu-central-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } },
    ...{ requestHandler: { handle } as never, maxAttempts: 2, ...config },
  });
  const runtime = new VirtualTime();
  const clock = new StoreClock(runtime, 500);
  const table = dynamoTable({
    client,
    isClientOurs,
    tableName: 'leases',
    clock,
    runtime,
    callTimeoutMs: 3_000,
  });
  return { table, clock, runtime, sent, signals };
}

const change = (owner: string) => ({ set: { owner }, condition: { text: 'attribute_exists(#a)' } });
const busy: Response = {
  ...{ statusCode: 500, headers: { date: at(storeMs - 7_000) } },
  body: { __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError' },
};

describe('store time', () => {
  it.each(['date', 'Date', 'DATE'])(
    'is what the header %s says, of an answer and of an error',
    async (header) => {
      for (const answer of [
        {},
        {
          statusCode: 400,
          body: { __type: 'x#ConditionalCheckFailedException', Item: { name: { S: 'x' } } },
        },
      ]) {
        const { table, clock } = scene([{ ...answer, headers: { server: 'x', [header]: at(storeMs) } }]);
        await table.update('x', change('o'));
        const { earliest, latest } = clock.now();
        expect(earliest).toBeLessThanOrEqual(storeMs);
        expect(earliest).toBeGreaterThanOrEqual(storeMs - 1_000);
        expect(latest).toBeGreaterThanOrEqual(storeMs + 999);
        expect(latest).toBeLessThanOrEqual(storeMs + 2_000);
      }
    },
  );

  it('is unknown without it', async () => {
    const { table, clock } = scene([{ headers: { server: 'x' } }]);
    await table.update('x', change('o'));
    expect(clock.isSet).toBe(false);
  });
});

describe.each([
  ['of our own', true, {}],
  ['of a user’s that nobody changes any more', false, { cacheMiddleware: true }],
  ['of a user’s', false, {}],
])('a client %s', (_, isClientOurs, config) => {
  it('sends each request as it is, however many went before', async () => {
    const { table, sent } = scene([{ headers: { date: at(storeMs) } }], { isClientOurs, config });
    for (const owner of ['first', 'second']) await table.update('x', change(owner));
    await table.get('y');
    await table.update('z', change('third'));
    const values = sent.map(({ body }) => {
      const { Key, ExpressionAttributeValues } = JSON.parse(body);
      return [Key.name.S, ExpressionAttributeValues?.[':set_owner']?.S];
    });
    expect(values).toEqual([
      ['x', 'first'],
      ['x', 'second'],
      ['y', undefined],
      ['z', 'third'],
    ]);
    const targets = sent.map(({ headers }) => headers['x-amz-target']);
    expect(targets.map((target) => target?.split('.')[1])).toEqual([
      ...['UpdateItem', 'UpdateItem', 'GetItem', 'UpdateItem'],
    ]);
    for (const { headers } of sent) expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 .*Signature=/);
  });

  it('ends the request whose signal aborts, and no other', async () => {
    const { table, sent, signals } = scene([{}, 'hangs'], { isClientOurs, config });
    const [before, stop] = [new AbortController(), new AbortController()];
    await table.get('x', before.signal);
    const asked = table.get('y', stop.signal).catch((error) => error);
    while (sent.length < 2) await new Promise(setImmediate);
    before.abort('late');
    expect(signals[1]?.aborted).toBe(false);
    stop.abort('enough');
    expect(signals[1]?.aborted).toBe(true);
    expect(await asked).toMatchObject({ name: 'StoreError', mayHaveApplied: false });
  });

  it('reads the answer of each', async () => {
    const item = (owner: string) => ({ body: { Item: { name: { S: 'x' }, owner: { S: owner } } } });
    const { table } = scene([item('first'), item('second')], { isClientOurs, config });
    expect(await table.get('x')).toMatchObject({ owner: 'first' });
    expect(await table.get('x')).toMatchObject({ owner: 'second' });
  });
});

describe('a client of our own', () => {
  it('sends no more than DynamoDB looks at, with every attempt', async () => {
    const { table, sent } = scene([busy, {}, {}]);
    await table.update('x', change('o'));
    await table.update('x', change('o'));
    expect(sent).toHaveLength(3);
    for (const { headers } of sent) {
      expect(headers['user-agent']).toBe('leasehold');
      for (const header of [
        'amz-sdk-invocation-id',
        'amz-sdk-request',
        'x-amz-user-agent',
        'x-amz-content-sha256',
      ])
        expect(headers).not.toHaveProperty(header);
      const signed = /SignedHeaders=([^,]+)/.exec(headers.authorization!)![1]!.split(';');
      expect(signed).not.toContain('content-length');
      // As Signature Version 4 demands.
      expect(signed).toEqual(expect.arrayContaining(['content-type', 'host', 'x-amz-date', 'x-amz-target']));
    }
  });

  it('a user’s is left as it is', async () => {
    const { table, sent } = scene([{}], { isClientOurs: false });
    await table.update('x', change('o'));
    expect(sent[0]!.headers['user-agent']).toMatch(/^aws-sdk-js/);
    expect(sent[0]!.headers).toHaveProperty('amz-sdk-request');
  });
});
