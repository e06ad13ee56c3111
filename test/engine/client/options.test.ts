import { describe, expect, it } from 'vitest';
import { defaults, LockClient, type LockClientOptions } from '../../../lib/client/index.js';
import { useStage } from '../../support/use-stage.js';

const usage = (option: string) =>
  expect.objectContaining({ name: 'UsageError', message: expect.stringContaining(`${option}:`) });

const wrong = [-1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, '5', null] as const;
const times = [
  'leaseMs',
  'renewEveryMs',
  'safetyMarginMs',
  'skewMs',
  'retentionMs',
  'requestTimeoutMs',
  'maxAttempts',
  'pollFloorMs',
  'pollCeilingMs',
  'maxHoldMs',
] as const;

describe('the options of a client', () => {
  const stage = useStage();

  const cases = times.flatMap((option) => wrong.map((value) => [option, value] as const));

  it.each(cases)('%s: %s is refused when the client is made', (option, value) => {
    const options = { table: 'leases', [option]: value } as unknown as LockClientOptions;
    if (value === null) return;
    expect(() => new LockClient(options)).toThrow(usage(option));
  });

  it.each([
    ...['leaseMs', 'renewEveryMs', 'safetyMarginMs', 'maxHoldMs', 'waitMs'],
    ...['minHoldMs', 'lockDelayMs'],
  ])('%s of one acquire is refused before any request', async (option) => {
    const { locks, meter } = stage.it.actor();
    for (const value of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(locks.acquire('x', { [option]: value })).rejects.toEqual(usage(option));
    }
    expect(meter.total).toBe(0);
    expect(await stage.it.item('x')).toBeUndefined();
  });

  it('C37 a lease too short for its renewals and their time-outs is refused, with limit and value', () => {
    const make = (leaseMs: number) => () =>
      new LockClient({ table: 'leases', leaseMs, renewEveryMs: 1_000, safetyMarginMs: 500 });
    expect(make(4_500)).not.toThrow();
    expect(make(4_499)).toThrow(
      expect.objectContaining({
        name: 'UsageError',
        message: expect.stringMatching(
          /leaseMs: 4499 is too short.*requestTimeoutMs × maxAttempts 3000.*4500/,
        ),
      }),
    );
  });

  it('C37 a lease too short for the client’s time-outs is refused for one acquire, too', async () => {
    const { locks, meter } = stage.it.actor();
    await expect(locks.acquire('x', { leaseMs: 1_000 })).rejects.toEqual(usage('leaseMs'));
    expect(meter.total).toBe(0);
  });

  it('a retention below a day is refused: a signed request may sleep for hours', () => {
    const make = (retentionMs: number) => () => new LockClient({ table: 'leases', retentionMs });
    expect(make(defaults.minRetentionMs)).not.toThrow();
    expect(make(defaults.minRetentionMs - 1)).toThrow(usage('retentionMs'));
  });

  it('a ceiling below the floor of the polls is refused', () => {
    const make = () => new LockClient({ table: 'leases', pollFloorMs: 100, pollCeilingMs: 99 });
    expect(make).toThrow(usage('pollCeilingMs'));
  });

  it.each([[''], [undefined], [7]])('a table that is %j is refused', (table) => {
    expect(() => new LockClient({ table } as unknown as LockClientOptions)).toThrow(usage('table'));
  });

  it('the defaults fit together', () => {
    expect(() => new LockClient({ table: 'leases' })).not.toThrow();
    const { leaseMs, renewFraction, safetyMarginFraction, requestTimeoutMs, maxAttempts } = defaults;
    const needed = leaseMs * (renewFraction + safetyMarginFraction) + requestTimeoutMs * maxAttempts;
    expect(needed).toBeLessThan(leaseMs);
  });
});
