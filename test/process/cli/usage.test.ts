import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { cannedServer, errorAnswer } from '../../support/canned-server.js';
import { commandHere } from '../../support/cli/command-here.js';
import { runCommand, startCommand } from '../../support/cli/command-line.js';
import { openLeaseTerminal } from '../../support/cli/lease-terminal.js';

const commands = [['ls'], ['inspect'], ['break'], ['reopen'], ['table', 'create'], ['scan']];

describe('the command line', () => {
  it.each(commands)('shows an example in the help of %s %s', async (...words) => {
    const { exitCode, stdout, stderr } = await commandHere([...words, '--help']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(`Usage: leasehold ${words.join(' ')}`);
    expect(stdout).toMatch(new RegExp(`Examples?:\\n  \\$ leasehold ${words.join(' ')}`));
    expect(stdout).toContain('--table <name>');
  });

  it('tells its version, as a process of its own', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(await runCommand(['--version'])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
  });

  it.each([
    ['no command', []],
    ['an unknown command', ['lease']],
    ['an unknown option', ['ls', '--grupo', 'x']],
    ['a missing argument', ['inspect']],
    ['too many arguments', ['reopen', 'a', 'b']],
    ['a duration without a unit', ['scan', 's3://b/p', '--lease', '30']],
    ['a duration of nothing', ['scan', 's3://b/p', '--lease', '0s']],
    ['a location that is no S3 address', ['scan', '/tmp']],
    ['no seats', ['scan', 's3://b/p', '--seats', '0']],
    ['an endpoint that is no URL', ['ls', '--endpoint', 'localhost:8000']],
    ['nothing to scan', ['scan']],
    ['an option that the state machine does not take', ['scan', '--state-machine', 'arn', '--lease', '30s']],
  ])('ends with 2 and a hint on stderr for %s', async (_what, args) => {
    const { exitCode, stdout, stderr } = await commandHere(args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^(leasehold: |Usage: )/);
    expect(stderr).not.toMatch(/^ +at .+:\d+:\d+/m);
  });

  it('takes no option of the command that is run for its own: one behind -- changes no error', async () => {
    const { exitCode, stderr } = await commandHere([
      'run',
      'x',
      '--lease',
      '1ms',
      '--',
      'echo',
      '--json',
      '--verbose',
    ]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^leasehold: --lease: must be at least [^\n]*\n$/);
  });

  it('refuses two lease ids of which only one can be meant', async () => {
    const { exitCode, stderr } = await commandHere(['break', 'x', 'one', '--lease-id', 'other']);
    expect(exitCode).toBe(2);
    expect(stderr).toBe('leasehold: Two lease ids were given: one and other\n');
  });

  it('names the unit that a duration lacks', async () => {
    const { stderr } = await commandHere(['scan', 's3://b/p', '--lease', '30']);
    expect(stderr).toContain("'30' is invalid. A duration needs a number above 0 and a unit: 30s");
  });

  it('tells a usage error as one JSON line with --json, before anything is parsed', async () => {
    const { exitCode, stdout, stderr } = await commandHere(['ls', '--grupo', '--json']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({
      error: { name: 'UsageError', code: 'USAGE', message: expect.stringContaining("'--grupo'") },
    });
  });
});

describe('the command line with a store', () => {
  it('says how to make a table that is missing, in one line', async () => {
    await using desk = await openLeaseTerminal();
    const { exitCode, stdout, stderr } = await commandHere([
      'ls',
      '--table',
      'absent',
      '--endpoint',
      desk.dynamo.endpoint,
    ]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 78, stdout: '' });
    expect(stderr).toMatch(/^leasehold: Table "absent" does not exist .*table create.*\n$/);
    expect(stderr.match(/table create/g)).toHaveLength(1);
  });

  it('C10 gives back what an unanswered request may have got before it ends, also when it is interrupted', async () => {
    await using server = await cannedServer((operation) => {
      // The wait looks whether somebody has the lock.
      if (operation === 'GetItem' && server.asked.includes('UpdateItem')) process.emit('SIGTERM', 'SIGTERM');
      return operation === 'UpdateItem'
        ? errorAnswer('InternalServerError', 'no answer of use')
        : { status: 200, body: {} };
    });
    const { hostname, port } = await server.client.config.endpoint!();
    const { exitCode } = await commandHere([
      ...['run', 'x', '--wait', '1m', '--endpoint', `http://${hostname}:${port}`, '--', 'echo', 'ran'],
    ]);
    expect(exitCode).toBe(143);
    const looks = server.asked.lastIndexOf('GetItem');
    expect(server.asked.slice(looks + 1)).toContain('UpdateItem');
  });

  it('ends with 69 and one line when nobody answers, and shows the cause when asked', async () => {
    const args = ['ls', '--endpoint', 'http://127.0.0.1:1'];
    const { exitCode, stderr } = await commandHere(args);
    expect(exitCode).toBe(69);
    expect(stderr).toMatch(/^leasehold: .*ECONNREFUSED.*\n$/);
    expect((await commandHere([...args, '--verbose'])).stderr).toMatch(/\[cause\]: /);
    const { error } = JSON.parse((await commandHere([...args, '--json'])).stderr);
    expect(error).toMatchObject({ name: 'StoreError', code: 'STORE_ERROR', retryable: true });
  });

  it('ends quietly when the reader of its output goes away', async () => {
    await using desk = await openLeaseTerminal();
    await desk.locks.acquire('somebody');
    const { child, ended, stderr } = startCommand(['ls', ...desk.where]);
    child.stdout?.destroy();
    expect(await ended).toMatchObject({ exitCode: 0 });
    expect(stderr()).toBe('');
  });
});
