import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LockClient } from '../../../lib/client/index.js';
import { createSweepHandler } from '../../../lib/lambda/index.js';
import { createScanHandlers, inventory } from '../../../lib/scan/index.js';
import { type AskedRegions, askedRegions } from '../../support/aws/asked-regions.js';
import { commandHere } from '../../support/cli/command-here.js';

const table = 'arn:aws:dynamodb:eu-west-1:111122223333:table/leases';
const machine = 'arn:aws:states:ap-south-1:111122223333:stateMachine:Scan';
let asked: AskedRegions;

beforeEach(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('LEASEHOLD_LOGS', 'off');
  asked = await askedRegions();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await asked[Symbol.asyncDispose]();
});

/** Every request went to that Region, and named the whole ARN. */
function expectAsked(region: string, arn: string) {
  expect(asked.requests.length).toBeGreaterThan(0);
  for (const request of asked.requests) {
    expect(request.region).toBe(region);
    expect(request.said).toContain(arn);
  }
}

describe('D25: what is given by an ARN of another Region is asked for there, by the whole ARN', () => {
  it('the library’s table', async () => {
    await using locks = new LockClient({ table, endpoint: asked.endpoint });
    await expect(locks.tryAcquire('a')).rejects.toThrow();
    expectAsked('eu-west-1', table);
  });

  it('the library’s service', async () => {
    const service = 'arn:aws:lambda:eu-west-1:111122223333:function:leasehold';
    await using locks = new LockClient({ service, endpoint: asked.endpoint });
    await expect(locks.tryAcquire('a')).rejects.toThrow();
    expectAsked('eu-west-1', service);
  });

  it.each(['plan', 'work', 'verify', 'sweep'] as const)('the table of the %s function', async (name) => {
    const env = {
      LEASEHOLD_TABLE: table,
      LEASEHOLD_DYNAMODB_ENDPOINT: asked.endpoint,
      LEASEHOLD_LOGS: 'off',
    };
    const context = { getRemainingTimeInMillis: () => 60_000 };
    const handlers = {
      ...createScanHandlers({ processor: inventory(), env }),
      sweep: createSweepHandler({ env }),
    };
    const event = {
      run: 'r',
      seat: 0,
      seats: [],
      input: {},
      defaults: { bucket: 'data', prefix: '', seats: 1 },
    };
    await expect(
      (handlers[name] as (...args: unknown[]) => Promise<unknown>)(event, context),
    ).rejects.toThrow();
    expectAsked('eu-west-1', table);
  });

  it('the table of the command line', async () => {
    const { exitCode } = await commandHere(['ls', '--table', table, '--endpoint', asked.endpoint]);
    expect(exitCode).not.toBe(0);
    expectAsked('eu-west-1', table);
  });

  it('the state machine of the command line', async () => {
    await commandHere(['scan', '--state-machine', machine], { AWS_ENDPOINT_URL_SFN: asked.endpoint });
    expectAsked('ap-south-1', machine);
  });

  it('and a Region that is said besides, and is another, is refused before anything is asked', async () => {
    const commands = [
      ['ls', '--table', table],
      ['scan', '--state-machine', machine],
    ];
    for (const command of commands) {
      const { exitCode, stderr } = await commandHere([
        ...command,
        '--region',
        'us-east-1',
        '--endpoint',
        asked.endpoint,
      ]);
      expect(exitCode).not.toBe(0);
      expect(stderr).toMatch(
        /region: must be left out, or (eu-west-1, where table|ap-south-1, where state-machine) lies/,
      );
    }
    expect(asked.requests).toEqual([]);
  });
});
