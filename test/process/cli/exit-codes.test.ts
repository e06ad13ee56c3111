import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodes } from '../../../bin/cli/exit-codes.js';
import { commandHere } from '../../support/cli/command-here.js';
import { type Ended, runCommand } from '../../support/cli/command-line.js';
import { type LeaseTerminal, openLeaseTerminal } from '../../support/cli/lease-terminal.js';
import { alwaysRefusing } from '../../support/cli/scripted-step-functions.js';

const command = ['--', 'echo', 'ran'];
/** Each asks the store in its own way; the first are what most cases try. */
const commands: readonly (readonly string[])[] = [
  ['run', 'x', '--lease', '3s', '--wait', '300ms', ...command],
  ['ls'],
  ['run', 'x', '--lease', '3s', ...command],
  ['inspect', 'x'],
  ['break', 'x', 'some-id'],
  ['reopen', 'x'],
];
const few = commands.slice(0, 2);
const words = (args: readonly string[]) => args.join(' ');
const placed = (args: readonly string[], ...more: string[]) => {
  const end = args.indexOf('--');
  return end < 0 ? [...args, ...more] : [...args.slice(0, end), ...more, ...args.slice(end)];
};

describe('exit codes', () => {
  let desk: LeaseTerminal;
  beforeAll(async () => {
    desk = await openLeaseTerminal();
  });
  afterAll(() => desk?.[Symbol.asyncDispose]());

  /** What all commands end with. */
  async function endings(
    which: typeof commands,
    env: Record<string, string>,
    ...more: string[]
  ): Promise<Record<string, number | null>> {
    const ended: [string, Ended][] = [];
    for (const args of which) ended.push([words(args), await commandHere(placed(args, ...more), env)]);
    for (const [, { stdout, stderr }] of ended) {
      expect(stdout).toBe('');
      expect(stderr).toMatch(/^leasehold: /);
      expect(stderr).not.toContain('held by');
    }
    return Object.fromEntries(ended.map(([args, { exitCode }]) => [args, exitCode]));
  }
  const all = (which: typeof commands, code: number) =>
    Object.fromEntries(which.map((args) => [words(args), code]));

  it('D16 75 says that somebody else has the lock, and nothing else does', async () => {
    await using _lease = await desk.locks.acquire('taken');
    const ended = await runCommand(['run', 'taken', ...desk.where, '--', 'echo', 'ran']);
    expect(ended).toMatchObject({ exitCode: exitCodes.held, stdout: '' });
  });

  it('D16 79 says that the work is completed', async () => {
    const lease = await desk.locks.acquire('finished');
    await lease.complete('result');
    const { exitCode, stderr } = await runCommand(['run', 'finished', ...desk.where, '--', 'echo', 'ran']);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: exitCodes.completed,
      stderr: expect.stringContaining('"finished" was completed at'),
    });
  });

  it('D16 69 says that the store is out of reach', async () => {
    expect(await endings(commands, {}, '--endpoint', 'http://127.0.0.1:1')).toEqual(
      all(commands, exitCodes.unavailable),
    );
  });

  it.each([
    ['ThrottlingException', exitCodes.unavailable, few],
    ['ProvisionedThroughputExceededException', exitCodes.unavailable, few],
    ['AccessDeniedException', exitCodes.setUp, commands],
    ['UnrecognizedClientException', exitCodes.setUp, few],
  ])('D16 %s ends with %i', async (type, code, which) => {
    await using store = await alwaysRefusing(type);
    expect(await endings(which, { AWS_MAX_ATTEMPTS: '1' }, '--endpoint', store.endpoint)).toEqual(
      all(which, code),
    );
  });

  it('D16 78 says that there is no such table', async () => {
    const where = ['--endpoint', desk.dynamo.endpoint, '--table', 'absent'];
    expect(await endings(few, {}, ...where)).toEqual(all(few, exitCodes.setUp));
  });

  it('D16 78 says that there are no credentials', async () => {
    const none = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_EC2_METADATA_DISABLED: 'true' };
    expect(await endings(few, none, '--endpoint', desk.dynamo.endpoint)).toEqual(all(few, exitCodes.setUp));
  });

  it('D14 78 says that there is no Region, and how to give one', async () => {
    const env = { AWS_REGION: '' };
    expect(await endings(few, env, '--endpoint', desk.dynamo.endpoint)).toEqual(all(few, exitCodes.setUp));
    for (const args of [['scan', 's3://bucket'], ['doctor'], ['table', 'create']]) {
      const { exitCode, stderr } = await commandHere([...args, '--endpoint', desk.dynamo.endpoint], env);
      expect({ exitCode, stderr }).toEqual({
        exitCode: exitCodes.setUp,
        stderr:
          'leasehold: There is no Region: give one with --region, in AWS_REGION, or in the profile of AWS_PROFILE\n',
      });
    }
  });

  it('D16 are each in the reference, with their number', async () => {
    const page = await readFile(new URL('../../../docs/reference/command-line.md', import.meta.url), 'utf8');
    const documented = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    expect(documented).toEqual(expect.arrayContaining(Object.values(exitCodes)));
  });
});
