/**
 * Leasehold beside other locks, each as its page shows it, on one local engine, side by side. Run by
 * `npm run bench -- --only peers`, which bundles it; its packages are those of this folder (`npm ci --prefix test/bench/peers`).
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import deliveryHero from '@deliveryhero/dynamodb-lock';
import Redis from 'ioredis';
import { equalItemCycle } from '../bare-writes.ts';
import { heapAfter } from '../heap.ts';
import { onceByHand } from '../once.ts';
import { startRelay } from '../relay.ts';
import { inTurns, ratios } from '../rounds.ts';
import { rowOf } from '../row.ts';
import { ownLocks, plainClient, startStore, table } from '../store.ts';

process.env.AWS_SDK_JS_SUPPRESS_MAINTENANCE_MODE_MESSAGE = '1';
process.env.AWS_REGION = 'us-east-1';
const require = createRequire(import.meta.url);
const [, , given = '5'] = process.argv;
const rounds = Number(given);

await using dynamo = await startStore();
await makeTables(plainClient(dynamo.endpoint));
const redisAddress = await findRedis();

const rows = [
  ...(await cycles(0)),
  ...(await cycles(4)),
  ...(await travel()),
  ...(await repeats()),
  ...(await heaps()),
];
for (const kind of ['crash', 'release']) rows.push(...(await handOvers(kind)));
console.log(JSON.stringify(rows));
process.exit(0);

/** All of them, at an address. */
function contenders(endpoint, { leaseMs = 30_000, beats = true } = {}) {
  const own = ownLocks(endpoint, short(leaseMs));
  const hero = deliveryHero.dynamoDBLockClientFactory(DynamoDBDocument.from(plainClient(endpoint)), {
    tableName: 'hero',
    partitionKey: 'lockId',
    sortKey: 'lockGroup',
  });
  const heroOptions = { leaseDurationInMs: leaseMs, prolongLeaseEnabled: beats, prolongEveryMs: leaseMs / 4 };
  const { DynamoDB } = require('aws-sdk');
  const FailOpen = require('dynamodb-lock-client').FailOpen;
  const second = new DynamoDB.DocumentClient({
    ...{ endpoint, region: 'us-east-1', accessKeyId: 'local', secretAccessKey: 'local' },
    httpOptions: { agent: new (require('node:http').Agent)({ keepAlive: true }) },
  });
  const open = new FailOpen({
    ...{ dynamodb: second, lockTable: 'open', partitionKey: 'id', leaseDurationMs: leaseMs, retryCount: 100 },
    ...(beats && { heartbeatPeriodMs: Math.floor(leaseMs / 3) }),
  });
  const redis = redisAddress && new Redis(redisAddress);
  return {
    Leasehold: async (name) => {
      const lease = await own.acquire(name, { waitMs: 60_000 });
      return () => lease.release();
    },
    '@deliveryhero/dynamodb-lock': async (name) => {
      const lock = await hero.lock('group', name, heroOptions);
      return () => hero.releaseLock(lock);
    },
    'dynamodb-lock-client': async (name) => {
      const lock = await called((done) => open.acquireLock(name, done));
      return () => called((done) => lock.release(done));
    },
    ...(redis && {
      'SET NX in Redis': async (name) => {
        const value = String(Math.random());
        while (!(await redis.set(name, value, 'PX', leaseMs, 'NX'))) await pause(50);
        const script =
          'if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0';
        return () => redis.eval(script, 1, name, value);
      },
    }),
  };
}

/** Requests must fit into a lease. */
function short(leaseMs) {
  return { leaseMs, requestTimeoutMs: Math.min(1_000, leaseMs / 8) };
}

/** An uncontended lock and its release, against two bare writes. */
async function cycles(delayMs) {
  await using relay = await startRelay(dynamo.endpoint, delayMs);
  const locks = contenders(relay.endpoint);
  const client = plainClient(relay.endpoint);
  const run = Object.entries(locks).map(([label, acquire]) => [
    label,
    async () => (await acquire(`cycle/${delayMs}/${label}`))(),
  ]);
  const took = await inTurns(
    { ...Object.fromEntries(run), bare: () => equalItemCycle(client, table) },
    { rounds, turns: 40, warmUpTurns: 60 },
  );
  return Object.keys(locks).map((label) =>
    rowOf(
      `a lock and its release ÷ 2 bare writes, ${delayMs} ms away: ${label}`,
      '',
      ratios(took[label], took.bare),
    ),
  );
}

/** What travels for a lock and its release. */
async function travel() {
  const found = [];
  for (const label of Object.keys(contenders(dynamo.endpoint))) {
    await using relay = await startRelay(dynamo.endpoint, 0);
    const acquire = contenders(relay.endpoint)[label];
    if (label.includes('Redis')) continue;
    await (await acquire(`travel/${label}`))();
    const [bytes, requests] = [relay.bytesUp, relay.requests];
    for (let cycle = 0; cycle < 10; cycle++) await (await acquire(`travel/${label}`))();
    found.push(
      rowOf(`requests for a lock and its release: ${label}`, '', [(relay.requests - requests) / 10]),
      rowOf(`bytes up for them: ${label}`, '', [Math.round((relay.bytesUp - bytes) / 10)]),
    );
  }
  return found;
}

/** Work that is done once, and asked for again. */
async function repeats() {
  const client = plainClient(dynamo.endpoint);
  const locks = ownLocks(dynamo.endpoint);
  const result = { orderId: 'order-4711', charged: 1_999, lines: ['a', 'b'] };
  const persistenceStore = new DynamoDBPersistenceLayer({ tableName: 'idempotent', awsSdkV3Client: client });
  const config = new IdempotencyConfig({});
  config.registerLambdaContext({ getRemainingTimeInMillis: () => 60_000 });
  const idempotent = makeIdempotent(async (_event) => result, {
    persistenceStore,
    config,
    dataIndexArgument: 0,
  });
  let calls = 0;
  const asked = { id: 'asked again' };
  await locks.once('again', async () => result);
  await onceByHand(client, 'again-by-hand');
  await idempotent(asked);
  const took = await inTurns(
    {
      first: () => locks.once(`first-${calls++}`, async () => result),
      firstPowertools: () => idempotent({ id: `first-${calls++}` }),
      firstByHand: () => onceByHand(client, `by-hand-${calls++}`),
      again: () => locks.once('again', async () => result),
      againPowertools: () => idempotent(asked),
      againByHand: () => onceByHand(client, 'again-by-hand'),
    },
    { rounds, turns: 40, warmUpTurns: 60 },
  );
  return [
    rowOf('once, first call ÷ by hand: Leasehold', '', ratios(took.first, took.firstByHand)),
    rowOf('once, first call ÷ by hand: Powertools', '', ratios(took.firstPowertools, took.firstByHand)),
    rowOf('once, asked again ÷ by hand: Leasehold', '', ratios(took.again, took.againByHand)),
    rowOf('once, asked again ÷ by hand: Powertools', '', ratios(took.againPowertools, took.againByHand)),
  ];
}

/** What a lock that is held keeps of the heap. */
async function heaps() {
  const found = [];
  for (const [label, acquire] of Object.entries(contenders(dynamo.endpoint))) {
    await (await acquire('heap'))();
    const before = await heapAfter();
    const held = [];
    for (let index = 0; index < 500; index++) held.push(await acquire(`heap/${index}`));
    found.push(
      rowOf(`bytes of heap for a held lock: ${label}`, '', [
        Math.round(((await heapAfter()) - before) / 500),
      ]),
    );
    for (const release of held) await release();
  }
  return found;
}

/** From the end of a hold to the grant of one who waited meanwhile: after a crash as a part of the lease of 1 s. */
async function handOvers(kind) {
  const leaseMs = kind === 'crash' ? 1_000 : 6_000;
  const found = [];
  // A holder that is never renewed and never gives back has crashed, to everybody else.
  const holders = contenders(dynamo.endpoint, { leaseMs, beats: kind !== 'crash' });
  const waiters = contenders(dynamo.endpoint, { leaseMs });
  for (const label of Object.keys(holders)) {
    const samples = [];
    for (let hold = 0; hold < 5; hold++) {
      const name = `${kind}/${label}/${hold}`;
      let [from, to] = [0, 0];
      const crashing =
        kind === 'crash' && label === 'Leasehold' ? ownLocks(dynamo.endpoint, short(leaseMs)) : undefined;
      // Whose clock is known by now, as a program's that runs.
      for (let look = 0; crashing && look < 5; look++) {
        await crashing.inspect('another');
        await pause(130);
      }
      const release = crashing ? await crashing.acquire(name) : await holders[label](name);
      from = performance.now();
      await crashing?.close();
      const waiting = waiters[label](name).then((end) => {
        to = performance.now();
        return end;
      });
      if (kind === 'release') {
        await pause(1_000);
        await release();
        from = performance.now();
      }
      await (await waiting)();
      samples.push(kind === 'crash' ? (to - from) / leaseMs : to - from);
    }
    const what =
      kind === 'crash'
        ? 'leases of 1 s from a crash to the next grant'
        : 'ms from a release after 1 s to the next grant, leases of 6 s';
    found.push(rowOf(`${what}: ${label}`, '', samples));
  }
  return found;
}

async function makeTables(client) {
  for (const [name, keys] of [
    ['hero', ['lockId', 'lockGroup']],
    ['open', ['id']],
    ['idempotent', ['id']],
  ]) {
    await client.send(
      new CreateTableCommand({
        TableName: name,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: keys.map((key) => ({ AttributeName: key, AttributeType: 'S' })),
        KeySchema: keys.map((key, index) => ({
          AttributeName: key,
          KeyType: index === 0 ? 'HASH' : 'RANGE',
        })),
      }),
    );
  }
}

/** The address of a Redis: `LEASEHOLD_REDIS_URL`, or that of a server which is started here. */
async function findRedis() {
  const { LEASEHOLD_REDIS_URL: address } = process.env;
  if (address) return address;
  const server = spawn('redis-server', ['--port', '6399', '--save', ''], { stdio: 'ignore' });
  const failed = new Promise((resolve) => server.once('error', () => resolve('failed')));
  const started = await Promise.race([failed, pause(1_000)]);
  if (started === 'failed') {
    console.error(
      'skipped: a lock in Redis: there is no redis-server here, and LEASEHOLD_REDIS_URL is not set',
    );
    return undefined;
  }
  process.once('exit', () => server.kill());
  return 'redis://127.0.0.1:6399';
}

function called(call) {
  return new Promise((resolve, reject) => call((error, value) => (error ? reject(error) : resolve(value))));
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
