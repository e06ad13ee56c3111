import { hostname } from 'node:os';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defaults, LockClient, type LockClientOptions } from '../../../lib/client/index.js';
import { VirtualWorld } from '../../bench/virtual-world.js';
import '../../simulation/run/loaded.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';

usePlainAbort();

const made: LockClient[] = [];
afterEach(() => Promise.all(made.splice(0).map((locks) => locks.close())));

/** What making a client with these options throws, in words. */
function refusalOf(options: object): string | undefined {
  try {
    made.push(new LockClient({ table: 'leases', region: 'eu-central-1', ...options } as LockClientOptions));
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ name: 'UsageError' });
    return (error as Error).message;
  }
}

describe('what a number may be, to the last one', () => {
  const day = 86_400_000;
  const patient = { leaseMs: 366 * day };

  it.each<[string, number, object, object?]>([
    ['requestTimeoutMs', 1, {}],
    ['maxAttempts', 1, {}],
    ['skewMs', 0, {}],
    ['retentionMs', day, {}],
    ['pollFloorMs', 1, {}],
    ['pollCeilingMs', 50, {}],
    ['pollCeilingMs', 7, { pollFloorMs: 7 }],
    ['renewEveryMs', 1, {}],
    ['safetyMarginMs', 0, {}],
    ['maxHoldMs', 1, {}],
  ])('%s may be %d, and nothing below', (option, least, others) => {
    expect(refusalOf({ ...others, [option]: least })).toBeUndefined();
    expect(refusalOf({ ...others, [option]: least - 1 })).toMatch(`${option}: must be a number`);
  });

  it.each<[string, number, object]>([
    ['maxAttempts', 10, patient],
    ['leaseMs', 366 * day, {}],
  ])('%s may be %d, and nothing above', (option, most, others) => {
    expect(refusalOf({ ...others, [option]: most })).toBeUndefined();
    expect(refusalOf({ ...others, [option]: most + 1 })).toMatch(`${option}: must be a number`);
  });

  it.each<[string, number, number]>([
    ['lockDelayMs', 0, 366 * day],
    ['minHoldMs', 0, 366 * day],
    ['waitMs', 0, Number.MAX_SAFE_INTEGER],
    ['endsInMs', 1, Number.MAX_SAFE_INTEGER],
  ])('%s of one call may be from %d to %d', async (option, least, most) => {
    const world = new VirtualWorld(1);
    const locks = world.locks(world.process('p'));
    const given = (value: number) => ({ [option]: option === 'endsInMs' ? () => value : value });
    for (const value of [least, most]) {
      const lease = await world
        .until(locks.acquire(`may be ${value}`, given(value)))
        .catch(({ message }) => void expect(message).toContain('arrived when its lease was already over'));
      if (lease) await world.until(lease.release());
    }
    const writes = world.writes;
    for (const value of [least - 1, ...(most < Number.MAX_SAFE_INTEGER ? [most + 1] : [])]) {
      const refused = world.until(locks.acquire('x', given(value)));
      await expect(refused).rejects.toMatchObject({
        ...{ name: 'UsageError', message: expect.stringContaining(`${option}: must be a number`) },
      });
    }
    expect(world.writes).toBe(writes);
  });

  it('endsInMs is a function: a number would be as old as the call', async () => {
    const world = new VirtualWorld(1);
    const call = world.until(world.locks(world.process('p')).acquire('x', { endsInMs: 5_000 as never }));
    await expect(call).rejects.toMatchObject({ message: expect.stringContaining('must be a function') });
  });
});

describe('C37 a lease has room for a renewal with all its attempts, before it is in danger', () => {
  const combinations: object[] = [
    {},
    { requestTimeoutMs: 700 },
    { maxAttempts: 5 },
    { renewEveryMs: 2_000 },
    { safetyMarginMs: 900 },
    { renewEveryMs: 1_000, safetyMarginMs: 0 },
    { requestTimeoutMs: 333, maxAttempts: 7, safetyMarginMs: 11 },
  ];

  it.each(combinations)('and a refusal names the least that will do: %j', async (options) => {
    const refusal = refusalOf({ ...options, leaseMs: 10 })!;
    const least = Number(/need at least (\d+)$/.exec(refusal)?.[1]);
    expect(refusalOf({ ...options, leaseMs: least })).toBeUndefined();
    expect(refusalOf({ ...options, leaseMs: least - 1 })).toContain(`leaseMs: ${least - 1} is too short`);
    // The same of a single call.
    const world = new VirtualWorld(1);
    const locks = world.locks(world.process('p'), { leaseMs: 100_000, ...options });
    const { requestTimeoutMs: _, maxAttempts: __, ...hold } = options as LockClientOptions;
    const lease = await world.until(locks.acquire('x', { ...hold, leaseMs: least }));
    await world.until(lease.release());
    const short = world.until(locks.acquire('x', { ...hold, leaseMs: least - 1 }));
    await expect(short).rejects.toMatchObject({ message: expect.stringContaining('is too short') });
  });

  it('and a refusal names what needs the room', () => {
    expect(refusalOf({ leaseMs: 3_000, requestTimeoutMs: 700 })).toBe(
      'leaseMs: 3000 is too short; renewEveryMs 1000 + requestTimeoutMs × maxAttempts 2100 + safetyMarginMs 300 ' +
        'need at least 3706',
    );
  });

  it('what the client says of its own lease does not count for a lease of another length', async () => {
    const world = new VirtualWorld(1);
    const locks = world.locks(world.process('p'), {
      leaseMs: 90_000,
      renewEveryMs: 60_000,
      safetyMarginMs: 20_000,
    });
    const short = await world.until(locks.acquire('short', { leaseMs: 20_000 }));
    await world.until(short.release());
    const same = world.until(locks.acquire('same', { leaseMs: 90_000, safetyMarginMs: 28_000 }));
    await expect(same).rejects.toMatchObject({ message: expect.stringContaining('renewEveryMs 60000') });
  });
});

describe('which store a client has', () => {
  const send = () => Promise.reject(new Error('nothing is sent'));
  it.each<[object, RegExp | undefined]>([
    [{ table: undefined, service: { send, host: 'x' } }, undefined],
    [{ table: undefined, service: 'leasehold' }, undefined],
    [{ service: 'leasehold' }, /^service: must be left out where a table is given/],
    [{ table: undefined }, /^table: the name of the lease table is missing/],
    [{ table: '' }, /^table: /],
    [{ table: 7 }, /^table: /],
    [{ table: undefined, service: '' }, /^service: must be the name/],
    [{ table: undefined, service: 7 }, /^service: must be the name/],
    [{ table: undefined, service: null }, /^service: must be the name/],
    [{ table: undefined, service: { send: 'send' } }, /^service: must be the name/],
    [{ endpoint: 'http://localhost:8000' }, undefined],
    [{ endpoint: 'https://x' }, undefined],
    [{ endpoint: 'localhost:8000' }, /^endpoint: must be an address such as http:\/\/localhost:8000/],
    [{ endpoint: '' }, /^endpoint: /],
    [{ endpoint: 'http://' }, /^endpoint: /],
    [{ endpoint: 'http:///x' }, /^endpoint: /],
    [{ owner: '' }, /^owner: /],
    [{ owner: 'x'.repeat(256) }, undefined],
    [{ owner: 'x'.repeat(257) }, /^owner: /],
    [{ owner: '\ud800' }, /^owner: /],
    [{ owner: 7 }, /^owner: /],
    [{ leaseMS: 7 }, /^LockClient: has no option "leaseMS"/],
  ])('%j', (options, refusal) => {
    if (refusal) expect(refusalOf(options)).toMatch(refusal);
    else expect(refusalOf(options)).toBeUndefined();
  });

  it.each([
    ['x'.repeat(16), true],
    ['x'.repeat(128), true],
    ['x'.repeat(15), false],
    ['x'.repeat(129), false],
    [`${'x'.repeat(16)} `, false],
    [7, false],
  ])('an owner key of 16 to 128 visible characters, which no message shows: %j', (ownerKey, isOne) => {
    const refusal = refusalOf({ table: undefined, service: 'leasehold', ownerKey });
    expect(refusal).toBe(
      isOne ? undefined : 'ownerKey: must be a string of 16 to 128 visible ASCII characters',
    );
  });

  it('takes each option that it has', () => {
    const own = {
      ...{ lambdaClient: undefined, client: undefined, ownerKey: undefined, runtime: undefined },
      ...{ service: undefined, endpoint: undefined, owner: undefined, maxHoldMs: undefined },
    };
    expect(refusalOf(own)).toBeUndefined();
  });

  it('is called, without a name of its own, so that people find it: its function, or its host and process', () => {
    const ownerIn = (env: Readonly<Record<string, string>>) => {
      for (const [key, value] of Object.entries(env)) vi.stubEnv(key, value);
      const locks = new LockClient({ table: 'leases', region: 'eu-central-1' });
      made.push(locks);
      vi.unstubAllEnvs();
      return locks.owner;
    };
    const lambda = { AWS_LAMBDA_FUNCTION_NAME: 'nightly', AWS_LAMBDA_LOG_STREAM_NAME: '2031/04/07/[1]ab' };
    expect(ownerIn(lambda)).toBe('nightly/2031/04/07/[1]ab');
    const [one, other] = [ownerIn({}), ownerIn({})];
    for (const owner of [one, other]) {
      expect(owner.startsWith(`${hostname()}/${process.pid}/`)).toBe(true);
      expect(owner.split('/').at(-1)).toMatch(/^.{8}$/);
    }
    expect(one).not.toBe(other);
    expect(ownerIn({ ...lambda, AWS_LAMBDA_LOG_STREAM_NAME: 'x'.repeat(300) })).toHaveLength(256);
  });

  it('a client with a service has no table to be asked', () => {
    const locks = new LockClient({ service: { send } as never });
    made.push(locks);
    expect(() => locks.context.table).toThrow(/needs a client with a table/);
  });
});

it('the defaults are those of the protocol', () => {
  expect(defaults).toEqual({
    ...{ leaseMs: 30_000, renewFraction: 1 / 3, safetyMarginFraction: 1 / 10, skewMs: 500 },
    ...{ retentionMs: 604_800_000, minRetentionMs: 86_400_000, maxLeaseMs: 31_622_400_000 },
    ...{ requestTimeoutMs: 1_000, maxAttempts: 3, waitMs: 0, pollFloorMs: 50, pollCeilingMs: 1_000 },
  });
});
