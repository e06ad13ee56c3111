import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LockClient, type LockClientOptions } from '../../../lib/client/index.js';
import { checkTable } from '../../../lib/table/check-table.js';
import { EventLog } from '../../support/event-log.js';
import { useStage } from '../../support/use-stage.js';

/** Credentials as a provider of the user's own gives them. */
const credentials = { accessKeyId: 'x', secretAccessKey: 'x' };

describe('what is set up wrongly, and what may pass', () => {
  const stage = useStage({ leasesLeft: true });
  afterEach(() => vi.unstubAllEnvs());

  it('D14 no Region: at once, not after the whole wait, and it says how to give one', async () => {
    for (const variable of ['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE'])
      vi.stubEnv(variable, undefined);
    vi.stubEnv('AWS_CONFIG_FILE', '/nowhere');
    const client = new DynamoDBClient({ credentials });
    await using locks = new LockClient({ table: 'leases', client });
    const refused = await locks.acquire('a', { waitMs: 600_000 }).catch((error) => error);
    expect(refused).toMatchObject({ name: 'StoreError', retryable: false });
    expect(refused.message).toMatch(/"region", AWS_REGION.*--region/);
  });

  it('D15 credentials that are away for a second during a wait are part of waiting', async () => {
    using events = new EventLog();
    const name = stage.name();
    const holder = await stage.it.readyActor();
    let away = false;
    const provider = async () => {
      if (away) throw Object.assign(new Error('no answer'), { name: 'CredentialsProviderError' });
      return { ...credentials, expiration: new Date(Date.now() + 1) };
    };
    const waiter = await stage.it.readyActor({ config: { credentials: provider } });
    const lease = await holder.locks.acquire(name);
    const waiting = waiter.locks.acquire(name, { waitMs: 60_000 });
    await events.next('held', name);
    away = true;
    await lease.release();
    away = false;
    await (await waiting).release();
  });

  it('D15 credentials that never were there: at once', async () => {
    const provider = () =>
      Promise.reject(Object.assign(new Error('none'), { name: 'CredentialsProviderError' }));
    const client = new DynamoDBClient({ region: 'eu-west-1', credentials: provider });
    await using locks = new LockClient({ table: 'leases', client });
    await expect(locks.acquire('a', { waitMs: 600_000 })).rejects.toThrow(/credentials.*aws sso login/s);
  });

  describe('D43 credentials that hang', () => {
    const hanging = { region: 'eu-west-1', credentials: () => new Promise<never>(() => {}) };
    const clients = {
      table: () =>
        new LockClient({ table: 'leases', client: new DynamoDBClient(hanging), requestTimeoutMs: 30 }),
      service: () =>
        new LockClient({
          service: 'leasehold',
          lambdaClient: new LambdaClient(hanging),
          requestTimeoutMs: 30,
        }),
    };
    const calls: readonly [string, (locks: LockClient, signal?: AbortSignal) => Promise<unknown>][] = [
      ['acquire', (locks, signal) => locks.acquire('a', { ...(signal && { signal }) })],
      ['inspect', (locks, signal) => locks.inspect('a', { ...(signal && { signal }) })],
      ['break', (locks, signal) => locks.break('a', 'b', { ...(signal && { signal }) })],
      ['reopen', (locks, signal) => locks.reopen('a', { ...(signal && { signal }) })],
      [
        'list',
        (locks, signal) =>
          locks
            .list({ ...(signal && { signal }) })
            [Symbol.asyncIterator]()
            .next(),
      ],
    ];
    for (const way of ['table', 'service'] as const) {
      it.each(calls)(
        `D43 by a ${way}: %s ends by its own deadline, and by the signal`,
        async (_name, call) => {
          await using locks = clients[way]();
          await expect(call(locks)).rejects.toMatchObject({ name: 'StoreError', retryable: true });
          const controller = new AbortController();
          const running = call(locks, controller.signal);
          const reason = new Error('the caller’s own');
          controller.abort(reason);
          await expect(running).rejects.toBe(reason);
        },
      );
    }

    it('D43 renewal and release end, too', async () => {
      const name = stage.name();
      let hang = false;
      const provider = () =>
        hang
          ? new Promise<never>(() => {})
          : Promise.resolve({ ...credentials, expiration: new Date(Date.now() + 1) });
      const { locks } = await stage.it.readyActor({
        config: { credentials: provider },
        requestTimeoutMs: 500,
        maxAttempts: 1,
      });
      const lease = await locks.acquire(name);
      hang = true;
      await expect(lease.renew()).rejects.toMatchObject({ name: 'StoreError' });
      await expect(lease.release()).rejects.toMatchObject({ name: 'StoreError' });
    });

    it('D43 a check of the table ends by the signal', async () => {
      const { signal } = new AbortController();
      const aborted = AbortSignal.abort(new Error('enough'));
      const client = new DynamoDBClient(hanging);
      await expect(checkTable(client, 'leases', { signal: aborted })).rejects.toThrow('enough');
      expect(signal.aborted).toBe(false);
    });
  });

  it('D37 the least leaseMs that a refusal names is accepted', () => {
    for (const options of [
      {},
      { renewEveryMs: 1_234.5 },
      { safetyMarginMs: 77 },
      { requestTimeoutMs: 333, maxAttempts: 7 },
    ]) {
      const make = (leaseMs: number) =>
        new LockClient({ table: 't', region: 'eu-west-1', ...options, leaseMs });
      const refusal = (() => {
        try {
          return make(3).owner;
        } catch (error) {
          return (error as Error).message;
        }
      })();
      const least = Number(/need at least (\d+)/.exec(refusal)?.[1]);
      expect(() => make(least)).not.toThrow();
      expect(() => make(least - 1)).toThrow(/too short/);
    }
  });

  it.each<[string, Partial<LockClientOptions>]>([
    ['an empty Region', { region: '' }],
    ['a Region with a blank', { region: 'eu west 1' }],
    ['a Region that is a number', { region: 5 as never }],
    ['an empty endpoint', { endpoint: '' }],
    ['an endpoint without its scheme', { endpoint: 'localhost:8000' }],
    ['an endpoint of something else', { endpoint: 'ftp://localhost' }],
    ['a table that is no name', { table: 'my table' }],
    ['a table with a blank around it', { table: ' leases' }],
    ['a table by an ARN in capitals', { table: 'ARN:aws:dynamodb:eu-west-1:123456789012:table/leases' }],
    [
      'a service by its URL',
      { table: undefined as never, service: 'https://x.lambda-url.eu-west-1.on.aws/' },
    ],
  ])('D14 %s is refused when the client is made, and nothing is sent', (_, options) => {
    expect(() => new LockClient({ table: 'leases', ...options })).toThrow(
      expect.objectContaining({ name: 'UsageError' }),
    );
  });

  it.each(['2026-11-30T12:00:00Z', '1795979049116'])(
    'D38 a slot that is a text, as schedulers hand it over, is named as it came: %s',
    async (slot) => {
      const { locks } = await stage.it.readyActor();
      await expect(locks.cronSlot(stage.name(), slot as never, () => 1)).rejects.toMatchObject({
        name: 'UsageError',
        message: expect.stringContaining(`"${slot}"`),
      });
    },
  );

  it('D06 a lease whose end no date could hold is not asked for', async () => {
    const { locks } = await stage.it.readyActor();
    const name = stage.name();
    const longest = { name: 'UsageError', message: expect.stringContaining('31622400000') };
    await expect(locks.acquire(name, { leaseMs: 8.9e15 })).rejects.toMatchObject(longest);
    await using lease = await locks.acquire(name);
    await expect(lease.handOver({ leaseMs: 8.9e15 })).rejects.toMatchObject(longest);
    expect(lease.isHeld).toBe(true);
  });

  it('D38 a client without options, and options that are misspelt, are refused by name', async () => {
    const Untyped = LockClient as unknown as new (options?: unknown) => LockClient;
    expect(() => new Untyped()).toThrow(/LockClient: must be given an object/);
    expect(() => new Untyped({ tabel: 'x' })).toThrow(/no option "tabel"/);
    const { locks, meter } = await stage.it.readyActor();
    const untyped = locks as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    const calls: [string, unknown[]][] = [
      ['acquire', ['n', { wait: 5 }]],
      ['tryAcquire', ['n', { waitMS: 5 }]],
      ['withLock', ['n', () => 1, { lease: 5 }]],
      ['once', ['n', () => 1, { retain: 5 }]],
      ['cronSlot', ['n', Date.now(), () => 1, { wait: 5 }]],
      ['claimNext', [['n'], { wait: 5 }]],
      ['resume', [{}, { wait: 5 }]],
      ['inspect', ['n', { abort: 5 }]],
      ['break', ['n', 'l', { abort: 5 }]],
      ['reopen', ['n', { abort: 5 }]],
    ];
    for (const [call, args] of calls) {
      await expect(Promise.resolve().then(() => untyped[call]!(...args))).rejects.toThrow(/has no option/);
    }
    expect(() => locks.list({ grup: 'g' } as never)).toThrow(/has no option "grup"/);
    expect(meter.writes + meter.reads).toBe(0);
  });

  it('D38 work that is missing is refused before anything is acquired', async () => {
    const { locks, meter } = await stage.it.readyActor();
    for (const call of [
      () => locks.withLock('n', undefined as never),
      () => locks.withLock('n', { waitMs: 5 } as never),
      () => locks.once('n', undefined as never),
      () => locks.cronSlot('n', new Date(), undefined as never),
    ]) {
      await expect(call()).rejects.toThrow(/must be given the work as a function/);
    }
    expect(meter.writes).toBe(0);
  });

  it('D38 a slot in seconds is refused', async () => {
    const { locks } = await stage.it.readyActor();
    const slot = locks.cronSlot('n', Math.floor(Date.now() / 1000), () => 1);
    await expect(slot).rejects.toThrow(/these are seconds/);
  });

  it('D38 a table that does not exist is named with the Region', async () => {
    const { locks } = stage.it.actor({ table: 'nobody-s' });
    await expect(locks.acquire('n')).rejects.toThrow(
      /Table "nobody-s" does not exist in this account and Region \([a-z0-9-]+\); "leasehold table create" makes it/,
    );
  });
});
