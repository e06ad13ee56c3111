import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createPlanHandler,
  createScanHandlers,
  createVerifyHandler,
  createWorkHandler,
  type Processor,
} from '../../../../lib/scan/index.js';
import { AwsInMemory } from '../../../support/lambda/aws-in-memory.js';

const keys = Array.from({ length: 12 }, (_, i) => `logs/${String(i).padStart(2, '0')}`);
const table = { LEASEHOLD_TABLE: 'leases' };
const input = { bucket: 'data', prefix: 'logs/', seats: 3, pageSize: 5 };
const context = { getRemainingTimeInMillis: () => 60_000 };

/** The keys themselves are the result. */
const listing: Processor<readonly string[]> = {
  empty: () => [],
  process: ({ objects }) => objects.map(({ key }) => key),
  merge: (a, b) => [...a, ...b],
};

/** The three functions of a scan, and the AWS that they find. */
function scene(env: Readonly<Record<string, string>> = {}, processor?: Processor<never>) {
  const aws = new AwsInMemory(keys);
  onTestFinished(() => aws[Symbol.dispose]());
  const options = { env: { ...table, ...env }, ...(processor && { processor }) };
  return {
    aws,
    plan: createPlanHandler(options),
    work: createWorkHandler(options),
    verify: createVerifyHandler(options),
  };
}

describe('the functions of a scan', () => {
  it('plan it, work on it and prove it, and answer what the state machine goes by', async () => {
    const { plan, work, verify, aws } = scene();
    expect(await plan({ run: 'one', defaults: input })).toEqual({
      run: 'one',
      seats: [0, 1, 2].map((seat) => ({ run: 'one', seat })),
      slices: 3,
      listRequests: aws.s3.length,
      existed: false,
    });
    expect(await verify({ run: 'one' })).toMatchObject({ status: 'more', error: 'ScanUnfinished', round: 1 });
    expect(await work({ run: 'one', seat: 0 }, context)).toMatchObject({
      ...{ run: 'one', seat: 0, status: 'done', objects: keys.length, slices: 3 },
    });
    expect(await work({ run: 'one', seat: 1 }, context)).toMatchObject({
      seat: 1,
      status: 'done',
      slices: 0,
    });
    expect(await verify({ run: 'one' })).toMatchObject({
      ...{ run: 'one', status: 'complete', error: '', round: 2 },
      // The inventory, unless they are given another processor.
      report: { objects: keys.length, tiles: true, result: { objects: keys.length, bytes: keys.length } },
    });
  });

  it('have one processor: what the one makes of the pages the other merges', async () => {
    const { plan, work, verify } = scene({}, listing as never);
    await plan({ run: 'one', defaults: input });
    await work({ run: 'one', seat: 0 }, context);
    expect((await verify({ run: 'one' })).report.result).toEqual(keys);
  });

  it('take what is to be scanned from the input, and from the defaults what that says nothing of', async () => {
    const { plan, work, verify } = scene();
    const given = { prefix: 'logs/1', seats: 1, slices: 3, cuts: ['logs/10'] };
    expect(await plan({ run: 'one', input: given, defaults: input })).toMatchObject({
      ...{ run: 'one', seats: [{ seat: 0 }], slices: 1 },
    });
    await work({ run: 'one', seat: 0 }, context);
    expect(await verify({ run: 'one' })).toMatchObject({ report: { objects: 2 } });
    // Cuts count where more than one page is there.
    const cut = await plan({ run: 'two', input: { ...given, prefix: null, pageSize: 1 }, defaults: input });
    expect(cut.slices).toBeGreaterThan(1);
    // A run that is named in the input goes on.
    expect(await plan({ run: 'three', input: { ...given, run: 'one' }, defaults: input })).toMatchObject({
      ...{ run: 'one', existed: true, seats: [{ run: 'one', seat: 0 }] },
    });
  });

  it.each([
    ['plan', 'x', 'event: must be an object'],
    ['plan', { run: 'r', defaults: 'x' }, 'defaults: must be an object'],
    ['plan', { run: 'r', input: 'x', defaults: input }, 'input: must be an object'],
    ['plan', { defaults: input }, 'run: must be a string that is not empty, got nothing'],
    ['plan', { run: 'r', defaults: { seats: 1 } }, 'bucket: must be a string'],
    ['plan', { run: 'r', input: { prefix: 1 }, defaults: input }, 'prefix: must be a string, got 1'],
    ...[0, 1_001, '2', undefined].map(
      (seats) =>
        [
          'plan',
          { run: 'r', input: { seats }, defaults: input },
          'seats: must be a whole number from 1 to 1000,',
        ] as const,
    ),
    ...[0, 10_001].map(
      (slices) =>
        [
          'plan',
          { run: 'r', input: { slices }, defaults: input },
          'slices: must be a whole number from 1 to 10000,',
        ] as const,
    ),
    ...[0, 1_001].map(
      (pageSize) =>
        [
          'plan',
          { run: 'r', input: { pageSize }, defaults: input },
          'pageSize: must be a whole number from 1 to 1000,',
        ] as const,
    ),
    ['plan', { run: 'r', input: { cuts: ['a', 1] }, defaults: input }, 'cuts: must be a list of strings'],
    ['plan', { run: 'r', input: { cuts: 'a' }, defaults: input }, 'cuts: must be a list of strings'],
    [
      'plan',
      { run: 'r', input: { requesterPays: 'on' }, defaults: input },
      'requesterPays: must be true or false, got "on"',
    ],
    ['work', undefined, 'run: must be a string that is not empty, got nothing'],
    ['work', 'x', 'event: must be an object'],
    ['work', { run: 'r' }, 'seat: must be a whole number from 0 to '],
    ['work', { run: 'r', seat: -1 }, 'seat: must be a whole number from 0 to '],
    ['verify', 'x', 'event: must be an object'],
    ['verify', {}, 'run: must be a string that is not empty, got nothing'],
  ] as const)('%s refuses %j for good, and asks nothing before', async (name, event, message) => {
    const handlers = scene();
    await expect(handlers[name](event, context)).rejects.toMatchObject({
      ...{ name: 'UsageError', message: expect.stringContaining(message) },
    });
    expect([...handlers.aws.dynamo, ...handlers.aws.s3]).toEqual([]);
  });

  it('plan up to a thousand seats, ten thousand slices and a thousand keys a page', async () => {
    const { plan } = scene();
    const most = { bucket: 'data', seats: 1_000, slices: 10_000, pageSize: 1_000 };
    expect((await plan({ run: 'one', input: most })).seats).toHaveLength(1_000);
  });

  it('tell seats that failed for good from those that another round may mend', async () => {
    const { plan, verify } = scene();
    await plan({ run: 'one', defaults: input });
    expect(await verify({ run: 'one', seats: [{ seat: 1, gaveUp: 'StoreError' }] })).toMatchObject({
      ...{ status: 'more', reason: expect.stringContaining('seat 1 gave up: StoreError') },
    });
    expect(await verify({ run: 'one', seats: [{ seat: 1, failed: 'AccessDenied' }] })).toMatchObject({
      ...{ status: 'failed', error: 'AccessDenied' },
    });
  });

  it('a seat ends before its invocation does, with its slice given back', async () => {
    const { plan, work } = scene();
    await plan({ run: 'one', defaults: input });
    const short = { getRemainingTimeInMillis: () => 4_000 };
    expect(await work({ run: 'one', seat: 0 }, short)).toMatchObject({ status: 'more', pages: 0 });
    expect(await work({ run: 'one', seat: 0 }, context)).toMatchObject({ status: 'done', takeovers: 0 });
  });
});

describe('what the functions find in their environment', () => {
  it('is read at the first invocation, not before: an error there has a name', async () => {
    const broken = { env: { ...table, LEASEHOLD_LEASE_MS: 'long' } };
    for (const handler of [createPlanHandler(broken), createVerifyHandler(broken)]) {
      await expect(handler({ run: 'one' })).rejects.toMatchObject({ name: 'UsageError' });
    }
    const work = createWorkHandler(broken);
    await expect(work({ run: 'one', seat: 0 }, context)).rejects.toMatchObject({ name: 'UsageError' });
  });

  it('is the process’s own environment, unless they are given another', async () => {
    vi.stubEnv('LEASEHOLD_TABLE', 'two words');
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const handler of [createPlanHandler(), createVerifyHandler(), createWorkHandler()]) {
      await expect(handler({ run: 'one', seat: 0 }, context as never)).rejects.toThrow(
        /^LEASEHOLD_TABLE: must be a name, or an ARN .*two words/,
      );
    }
    vi.stubEnv('LEASEHOLD_LOGS', 'yes');
    await expect(createScanHandlers().plan({})).rejects.toThrow(/^LEASEHOLD_LOGS: /);
  });

  it('makes two clients, once for all invocations', async () => {
    const { plan, aws } = scene();
    await plan({ run: 'one', defaults: input });
    await plan({ run: 'two', defaults: input });
    expect(aws.clients.size).toBe(2);
    const { TableName } = JSON.parse(aws.dynamo[0]!.body!);
    expect(TableName).toBe('leases');
  });

  it('sends requests to the Region of a table’s ARN, and follows a bucket to its own', async () => {
    const arn = 'arn:aws:dynamodb:ap-south-1:111122223333:table/leases';
    const { plan, aws } = scene({ LEASEHOLD_TABLE: arn });
    aws.answers = ({ operation, region }) =>
      operation === 'GET' && region !== 'us-west-2' ? elsewhere : undefined;
    await plan({ run: 'one', defaults: input });
    expect(new Set(aws.dynamo.map(({ region }) => region))).toEqual(new Set(['ap-south-1']));
    expect(aws.s3.map(({ region }) => region)).toContain('us-west-2');
  });

  it('sends requests to other addresses, where those are named', async () => {
    const { plan, aws } = scene({
      LEASEHOLD_DYNAMODB_ENDPOINT: 'http://dynamo.test:1',
      LEASEHOLD_S3_ENDPOINT: 'http://s3.test:2',
    });
    await plan({ run: 'one', defaults: input });
    for (const { protocol, hostname, port } of aws.dynamo) {
      expect({ protocol, hostname, port }).toEqual({ protocol: 'http:', hostname: 'dynamo.test', port: 1 });
    }
    // Such an address has no host name for each bucket.
    for (const { hostname, port, path } of aws.s3) {
      expect({ hostname, port, path }).toEqual({ hostname: 's3.test', port: 2, path: '/data/' });
    }
    expect(aws.s3.length).toBeGreaterThan(0);
  });

  it.each([
    ['on', {}, 'requester'],
    ['off', {}, undefined],
    ['off', { requesterPays: true }, 'requester'],
  ])('D26 says who pays: %s, %j', async (LEASEHOLD_REQUESTER_PAYS, own, payer) => {
    const { plan, work, aws } = scene({ LEASEHOLD_REQUESTER_PAYS });
    await plan({ run: 'one', input: own, defaults: input });
    await work({ run: 'one', seat: 0 }, context);
    expect(new Set(aws.s3.map(({ headers }) => headers['x-amz-request-payer']))).toEqual(new Set([payer]));
  });

  it('puts large results where the output goes, and finds them again', async () => {
    const env = { LEASEHOLD_OUTPUT_BUCKET: 'results', LEASEHOLD_OUTPUT_PREFIX: 'scans' };
    const { plan, work, verify, aws } = scene(env, { ...listing, inlineBytes: 10 } as never);
    await plan({ run: 'one', defaults: input });
    await work({ run: 'one', seat: 0 }, context);
    expect(aws.objects.size).toBeGreaterThan(0);
    for (const key of aws.objects.keys()) expect(key).toMatch(/^results\/scans\/one\/00000\d\/\d+\/partial-/);
    expect((await verify({ run: 'one' })).report.result).toEqual(keys);
  });

  it('does not send a request again by the SDK’s rules, which know nothing of the lease’s end', async () => {
    const { plan, aws } = scene();
    aws.answers = ({ operation }) =>
      operation === 'PutItem' || operation === 'UpdateItem' ? broken : undefined;
    await expect(plan({ run: 'one', defaults: input })).rejects.toMatchObject({
      ...{ name: 'StoreError', retryable: true },
    });
    expect(aws.dynamo.filter(({ operation }) => /Put|Update/.test(operation))).toHaveLength(1);
  });

  it('has leases as long as it says', async () => {
    const { plan, work, aws } = scene({ LEASEHOLD_LEASE_MS: '7000' });
    await plan({ run: 'one', defaults: input });
    await work({ run: 'one', seat: 0 }, context);
    const durations = aws.dynamo
      .filter(({ operation }) => operation === 'UpdateItem')
      .flatMap(
        ({ body }) => Object.values(JSON.parse(body!).ExpressionAttributeValues ?? {}) as { N?: string }[],
      )
      .map(({ N }) => Number(N))
      .filter((value) => value > Date.now() && value < Date.now() + 60_000);
    expect(durations.length).toBeGreaterThan(0);
    for (const end of durations) expect(end).toBeLessThan(Date.now() + 9_000);
  });
});

describe('the ledger of the functions', () => {
  const arn = 'arn:aws:dynamodb:ap-south-1:111122223333:table/ledger';
  const rowsOf = (aws: AwsInMemory) =>
    aws.dynamo.filter(
      ({ body }) => JSON.parse(body!).TableName === arn || JSON.parse(body!).TableName === 'ledger',
    );

  it('has a fenced row for each page, in its own table, wherever that lies', async () => {
    const { plan, work, aws } = scene({ LEASEHOLD_LEDGER_TABLE: arn });
    await plan({ run: 'one', defaults: input });
    const { pages } = await work({ run: 'one', seat: 0 }, context);
    const rows = rowsOf(aws);
    expect(rows).toHaveLength(pages);
    for (const { region } of rows) expect(region).toBe('ap-south-1');
  });

  it('is at the address of the other table, where one is named', async () => {
    const env = { LEASEHOLD_LEDGER_TABLE: 'ledger', LEASEHOLD_DYNAMODB_ENDPOINT: 'http://dynamo.test:1' };
    const { plan, work, aws } = scene(env);
    await plan({ run: 'one', defaults: input });
    await work({ run: 'one', seat: 0 }, context);
    expect(new Set(rowsOf(aws).map(({ hostname }) => hostname))).toEqual(new Set(['dynamo.test']));
  });

  it('is named where its table is no name and no ARN', async () => {
    const { work } = scene({ LEASEHOLD_LEDGER_TABLE: 'two words' });
    await expect(work({ run: 'one', seat: 0 }, context)).rejects.toMatchObject({
      ...{ name: 'UsageError', message: expect.stringMatching(/^LEASEHOLD_LEDGER_TABLE: must be a name/) },
    });
  });
});

describe('handlers with a processor of one’s own', () => {
  it('are those of the three functions', async () => {
    const { aws: _ } = scene();
    const env = { ...table, LEASEHOLD_LOGS: 'off', LEASEHOLD_METRICS: 'off' };
    const { plan, work, verify } = createScanHandlers({ env, processor: listing });
    await plan({ run: 'one', defaults: input });
    await work({ run: 'one', seat: 0 }, context);
    expect((await verify({ run: 'one' })).report.result).toEqual(keys);
  });

  it.each(['plan', 'work', 'verify'] as const)('%s is observed, as its environment says', async (name) => {
    const handlers = createScanHandlers({ env: { ...table, LEASEHOLD_LOGS: 'yes' } });
    await expect(handlers[name]({ run: 'one', seat: 0 }, context)).rejects.toMatchObject({
      ...{ name: 'UsageError', message: 'LEASEHOLD_LOGS: must be "on" or "off", got "yes"' },
    });
  });
});

const broken = { status: 500, body: JSON.stringify({ __type: 'InternalServerError', message: 'no' }) };
const elsewhere = {
  status: 301,
  headers: { 'x-amz-bucket-region': 'us-west-2' },
  body: '<Error><Code>PermanentRedirect</Code><Message>elsewhere</Message></Error>',
};
