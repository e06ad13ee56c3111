import { describe, expect, it } from 'vitest';
import {
  createLockService,
  createLockServiceHandler,
  createSweepHandler,
  observed,
} from '../../../lib/lambda/index.js';
import {
  createPlanHandler,
  createScanHandlers,
  createVerifyHandler,
  createWorkHandler,
} from '../../../lib/scan/index.js';

const context = { clock: {} };
const service = (options: unknown) => () => createLockService(options as never);
const watch =
  (...given: unknown[]) =>
  () =>
    observed(...(given as [never]));
const handle = async () => 'done';

const factories = {
  createLockServiceHandler,
  createSweepHandler,
  createPlanHandler,
  createWorkHandler,
  createVerifyHandler,
  createScanHandlers,
};

describe('a function refuses what can’t be right while it is made, and names it', () => {
  it.each([
    [service(undefined), 'createLockService: must be given an object with context'],
    [service({}), 'context: must be that of a LockClient with a table, got nothing'],
    // It would open every name to every caller.
    [
      service({ context, name: ['jobs/*'] }),
      'createLockService: has no option "name"; it takes context, names',
    ],
    [service({ context, operations: 'operator' }), 'operations: must be "use" or "operate", got "operator"'],
    [service({ context, maxLeaseMs: Number.NaN }), 'maxLeaseMs: must be a number at least 1, got NaN'],
    [watch(), 'observed: must be given the handler as a function, got nothing'],
    [watch(handle, { serviceName: 'orders' }), 'observed: has no option "serviceName"; it takes service'],
    [watch(handle, { flushEveryMs: -1 }), 'flushEveryMs: must be a number at least 0, got -1'],
  ])('%#: %s', (call, message) => {
    expect(call).toThrow(
      expect.objectContaining({ name: 'UsageError', message: expect.stringContaining(message) }),
    );
  });

  it.each(Object.entries(factories))('%s: a misspelt option, or none of its kind', (name, create) => {
    for (const [given, message] of [
      [{ enw: {} }, `${name}: has no option "enw"; it takes `],
      [null, `${name}: must be given an object with `],
    ] as const)
      expect(() => create(given as never)).toThrow(
        expect.objectContaining({ name: 'UsageError', message: expect.stringContaining(message) }),
      );
  });

  it.each(['createWorkHandler', 'createVerifyHandler', 'createScanHandlers'] as const)(
    '%s: what is no processor',
    (name) => {
      for (const processor of [null, {}, { process: handle }])
        expect(() => factories[name]({ processor: processor as never })).toThrow(
          /^processor: must be a processor/,
        );
    },
  );
});
