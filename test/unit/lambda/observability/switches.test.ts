import { describe, expect, it } from 'vitest';
import { notInstalled, readSwitches } from '../../../../lib/lambda/observability/switches.js';

describe('the switches', () => {
  it('are on for logs and metrics and off for tracing, unless told otherwise', () => {
    expect(readSwitches({})).toEqual({ logs: true, metrics: true, tracing: false });
    const other = { LEASEHOLD_LOGS: 'off', LEASEHOLD_METRICS: 'off', LEASEHOLD_TRACING: 'on' };
    expect(readSwitches(other)).toEqual({ logs: false, metrics: false, tracing: true });
    const said = { LEASEHOLD_LOGS: 'on', LEASEHOLD_METRICS: ' on', LEASEHOLD_TRACING: 'off' };
    expect(readSwitches(said)).toEqual({ logs: true, metrics: true, tracing: false });
  });
});

describe('a part whose Powertools are not there', () => {
  const missing = (specifier: string, code = 'ERR_MODULE_NOT_FOUND') =>
    Object.assign(new Error(`Cannot find package '${specifier}'`), { code });

  it.each([
    ['logs', 'logger', 'LEASEHOLD_LOGS', ''],
    ['metrics', 'metrics', 'LEASEHOLD_METRICS', ''],
    ['tracing', 'tracer', 'LEASEHOLD_TRACING', ' @aws-lambda-powertools/tracer'],
  ] as const)('%s: the line to type, and the switch', (part, name, variable, more) => {
    for (const code of ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']) {
      const cause = missing(`@aws-lambda-powertools/${name}`, code);
      expect(notInstalled(part, cause)).toMatchObject({
        name: 'UsageError',
        cause,
        message:
          `observed: needs @aws-lambda-powertools/${name}, which is not installed: ` +
          `npm install @aws-lambda-powertools/logger @aws-lambda-powertools/metrics${more}, or set ${variable}=off`,
      });
    }
  });

  it('any other error comes as it is: another package, a bundle’s own part, no error at all', () => {
    const others = [
      missing('@aws-lambda-powertools/commons'),
      missing('@aws-lambda-powertools/logger', 'EACCES'),
      new Error('@aws-lambda-powertools/logger'),
      { code: 'MODULE_NOT_FOUND' },
      undefined,
    ];
    for (const other of others) expect(notInstalled('logs', other)).toBe(other);
  });
});
