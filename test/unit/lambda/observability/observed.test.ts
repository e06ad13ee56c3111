import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { publish } from '../../../../lib/events/events.js';
import { observedFunction } from '../../../../lib/lambda/observability/bundled.js';
import { observed, observedBy } from '../../../../lib/lambda/observability/observed.js';
import type { Observer, PartSettings } from '../../../../lib/lambda/observability/observer.js';
import { ownListeners } from '../../../support/lambda/own-listeners.js';
import { sampleEvents } from '../../../support/sample-events.js';

type Part = (settings: PartSettings) => Observer | Promise<Observer>;

/** Parts that note what goes around an invocation. */
function scene() {
  const told: unknown[] = [];
  const made: [string, PartSettings][] = [];
  const part =
    (name: string): Part =>
    (settings) => {
      made.push([name, settings]);
      return {
        begin: (context, keys) => {
          told.push([`begin ${name}`, context, keys]);
          return (failure) => void told.push([`end ${name}`, failure]);
        },
      };
    };
  return { told, made, parts: { logs: part('logs'), metrics: part('metrics') } };
}

/** The lines that are written from now on, to the test's end. */
function written(): string[] {
  const lines: string[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    const write = vi.spyOn(stream, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
    onTestFinished(() => write.mockRestore());
  }
  return lines;
}

const names = (told: readonly unknown[]) => told.map((one) => (one as [string])[0]);

describe('an observed handler', () => {
  it('has its own arguments and answer; what watches begins before and ends after it, in turn', async () => {
    const { told, parts } = scene();
    const handler = observedBy(
      parts,
      (...given: [unknown, unknown]) => {
        told.push(['handler', ...given]);
        return 'done';
      },
      { env: {} },
    );
    const [event, context] = [{ operation: 'renew', name: 'x' }, { functionName: 'f' }];
    expect(await handler(event, context)).toBe('done');
    const keys = { operation: 'renew', lock: 'x' };
    expect(told).toEqual([
      ['begin logs', context, keys],
      ['begin metrics', context, keys],
      ['handler', event, context],
      ['end metrics', undefined],
      ['end logs', undefined],
    ]);
  });

  it('throws its own error, unchanged, and what watches is told of it', async () => {
    const { told, parts } = scene();
    const error = new RangeError('my own');
    const handler = observedBy(parts, async () => Promise.reject(error), { env: {} });
    expect(await handler().catch((thrown) => thrown)).toBe(error);
    expect(told.slice(2)).toEqual([
      ['end metrics', { error }],
      ['end logs', { error }],
    ]);
  });

  it('begins its parts once, at the first invocation', async () => {
    const { made, parts } = scene();
    const handler = observedBy(parts, async () => {}, { env: {} });
    expect(made).toEqual([]);
    await handler();
    await handler();
    expect(made.map(([name]) => name)).toEqual(['logs', 'metrics']);
  });

  it('without an event and a context, as by a test, has no keys', async () => {
    const { told, parts } = scene();
    await observedBy(parts, async () => {}, { env: { LEASEHOLD_METRICS: 'off' } })();
    expect(told).toEqual([
      ['begin logs', {}, {}],
      ['end logs', undefined],
    ]);
  });

  it('carries the keys that were chosen, and none where they can’t be read', async () => {
    const { told, parts } = scene();
    const env = { LEASEHOLD_LOGS: 'off' };
    const readKeys = (event: unknown) => ({ order: (event as { id: string }).id });
    const handler = observedBy(parts, async (_event: unknown) => 'done', { env, readKeys });
    await handler({ id: '7' });
    expect(await handler(undefined)).toBe('done');
    expect(told.filter((one) => (one as [string])[0].startsWith('begin'))).toEqual([
      ['begin metrics', {}, { order: '7' }],
      ['begin metrics', {}, {}],
    ]);
  });

  it('is not failed by what only watches', async () => {
    const broken =
      (where: string): Part =>
      () => ({
        begin: () => {
          if (where === 'begin') throw new Error('no room');
          return () => {
            throw new Error('no room');
          };
        },
      });
    const parts = { logs: broken('begin'), metrics: broken('end') };
    expect(await observedBy(parts, async () => 'done', { env: {} })()).toBe('done');
    const error = new RangeError('my own');
    const failing = observedBy(parts, () => Promise.reject(error), { env: {} });
    expect(await failing().catch((thrown) => thrown)).toBe(error);
  });

  it('has each part only where it is on: logs and metrics unless told otherwise', async () => {
    const begun = async (env: Readonly<Record<string, string>>) => {
      const { told, parts } = scene();
      await observedBy(parts, async () => {}, { env })();
      return names(told).filter((name) => name.startsWith('begin'));
    };
    expect(await begun({})).toEqual(['begin logs', 'begin metrics']);
    expect(await begun({ LEASEHOLD_LOGS: ' ', LEASEHOLD_METRICS: '' })).toEqual([
      'begin logs',
      'begin metrics',
    ]);
    expect(await begun({ LEASEHOLD_LOGS: 'off' })).toEqual(['begin metrics']);
    expect(await begun({ LEASEHOLD_LOGS: ' on ', LEASEHOLD_METRICS: ' off ' })).toEqual(['begin logs']);
    expect(await begun({ LEASEHOLD_LOGS: 'off', LEASEHOLD_METRICS: 'off' })).toEqual([]);
  });

  it.each(['LEASEHOLD_LOGS', 'LEASEHOLD_METRICS', 'LEASEHOLD_TRACING'])(
    '%s must be on or off: a UsageError of the invocation, and the handler is not run',
    async (variable) => {
      const { told, parts } = scene();
      const handler = observedBy(parts, async () => void told.push(['handler']), {
        env: { [variable]: 'yes' },
      });
      await expect(handler()).rejects.toThrow(
        expect.objectContaining({
          name: 'UsageError',
          message: `${variable}: must be "on" or "off", got "yes"`,
        }),
      );
      expect(told).toEqual([]);
    },
  );

  it('is of the service that was named, by the option, by the variable, or leasehold', async () => {
    const settingsOf = async (options: Parameters<typeof observedBy>[2]) => {
      const { made, parts } = scene();
      await observedBy(parts, async () => {}, options)();
      return made.map(([, settings]) => settings);
    };
    const POWERTOOLS_SERVICE_NAME = ' orders ';
    for (const [options, serviceName] of [
      [{ service: 'mine', env: { POWERTOOLS_SERVICE_NAME } }, 'mine'],
      [{ env: { POWERTOOLS_SERVICE_NAME } }, 'orders'],
      [{ env: { POWERTOOLS_SERVICE_NAME: ' ' } }, 'leasehold'],
      [{ env: {} }, 'leasehold'],
    ] as const) {
      const settings = await settingsOf(options);
      expect(settings.map((one) => one.serviceName)).toEqual([serviceName, serviceName]);
      expect(settings.map((one) => one.flushEveryMs)).toEqual([60_000, 60_000]);
    }
    const [own] = await settingsOf({ env: {}, flushEveryMs: 5 });
    expect(own!.flushEveryMs).toBe(5);
  });
});

describe('an observed handler, by Powertools as installed', () => {
  it('writes lines and metrics that name the service, what is on of them, and traces nothing outside of Lambda', async () => {
    using _ = ownListeners();
    const lines = written();
    const wrapped = (env: Readonly<Record<string, string>>) =>
      observed(
        async (_event: unknown) => {
          publish('held', sampleEvents.held);
          throw new RangeError('my own');
        },
        { service: 'orders', env: { LEASEHOLD_LOGS: 'off', LEASEHOLD_METRICS: 'off', ...env } },
      );
    const told = async (env: Readonly<Record<string, string>>) => {
      lines.length = 0;
      await expect(wrapped(env)({ run: 'r1' })).rejects.toThrow(/^my own$/);
      return lines.map((line) => JSON.parse(line));
    };
    expect(await told({ LEASEHOLD_TRACING: 'on' })).toEqual([]);
    expect(await told({ LEASEHOLD_METRICS: 'on' })).toMatchObject([{ service: 'orders', Held: 1 }]);
    const common = { service: 'orders', run: 'r1' };
    expect(await told({ LEASEHOLD_LOGS: 'on' })).toMatchObject([
      { ...common, level: 'INFO', message: 'lock held by another', lock: 'n' },
      { ...common, level: 'ERROR', message: 'invocation failed', error: { name: 'RangeError' } },
    ]);
  });
});

describe('an observed function of our own', () => {
  it.each([
    ['all that Powertools writes by its defaults', {}, 'INFO'],
    ['as its environment says', { POWERTOOLS_LOG_LEVEL: 'ERROR' }, 'ERROR'],
  ])('writes %s', async (_, env, quietest) => {
    using _listeners = ownListeners();
    const lines = written();
    vi.stubEnv('POWERTOOLS_SERVICE_NAME', 'orders');
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const handler = observedFunction(async (_event: unknown) => {
      publish('held', sampleEvents.held);
      throw new RangeError('my own');
    });
    await expect(handler({ run: 'r1' })).rejects.toThrow(/^my own$/);
    const parsed = lines.map((line) => JSON.parse(line));
    expect(parsed.filter((line) => '_aws' in line)).toMatchObject([{ service: 'orders', Held: 1 }]);
    const held = { level: 'INFO', message: 'lock held by another', service: 'orders', run: 'r1' };
    const failed = { level: 'ERROR', message: 'invocation failed', service: 'orders', run: 'r1' };
    const logged = parsed.filter((line) => 'level' in line);
    expect(logged).toMatchObject(quietest === 'INFO' ? [held, failed] : [failed]);
  });
});

describe('tracing that is on', () => {
  it('is of the service, by the tracer that is installed', async () => {
    const named: unknown[] = [];
    const segment = { addNewSubsegment: (name: string) => void named.push(name) };
    class Tracer {
      constructor(options: unknown) {
        named.push(options);
      }
      readonly getSegment = () => segment;
    }
    vi.doMock('@aws-lambda-powertools/tracer', () => ({ Tracer }));
    onTestFinished(() => void vi.doUnmock('@aws-lambda-powertools/tracer'));
    const env = { LEASEHOLD_LOGS: 'off', LEASEHOLD_METRICS: 'off', LEASEHOLD_TRACING: 'on' };
    expect(await observed(async () => 'done', { service: 'orders', env })()).toBe('done');
    expect(named).toEqual([{ serviceName: 'orders' }, '## orders']);
  });
});

describe('a part that is on and whose Powertools are not there', () => {
  it.each([
    ['logger', 'Logger', 'LEASEHOLD_LOGS'],
    ['metrics', 'Metrics', 'LEASEHOLD_METRICS'],
    ['tracer', 'Tracer', 'LEASEHOLD_TRACING'],
  ])('%s: a UsageError of the invocation with the line to type', async (name, exported, variable) => {
    const path = `@aws-lambda-powertools/${name}`;
    const cause = Object.assign(new Error(`Cannot find package '${path}'`), { code: 'ERR_MODULE_NOT_FOUND' });
    const get = () => {
      throw cause;
    };
    vi.doMock(path, () => Object.defineProperty({}, exported, { enumerable: true, get }));
    onTestFinished(() => void vi.doUnmock(path));
    const off = { LEASEHOLD_LOGS: 'off', LEASEHOLD_METRICS: 'off', LEASEHOLD_TRACING: 'off' };
    const handler = observed(async () => 'never', { env: { ...off, [variable]: 'on' } });
    await expect(handler()).rejects.toMatchObject({
      ...{ name: 'UsageError', cause },
      message: expect.stringMatching(`^observed: needs ${path}, .* npm install .*or set ${variable}=off$`),
    });
  });
});
