import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { main } from '../../../bin/start/main.js';
import { parseStartOptions } from '../../../bin/start/start-options.js';
import { startProcess } from '../../support/start/start-process.js';

/** What the process would do and say, in this one. */
async function mainHere(args: readonly string[]) {
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      said[stream] += text;
      return true;
    });
  }
  const exitCode = await main(args);
  vi.restoreAllMocks();
  return { exitCode, ...said };
}

describe('the options of npm start', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('have defaults, and take what is given', () => {
    expect(parseStartOptions([])).toMatchObject({ leaseMs: 4_000, faults: true, json: false });
    expect(parseStartOptions([]).directory).toMatch(/node_modules\/?$/);
    const given = parseStartOptions([
      ...['--dir', '/a', '--seats', '3', '--slices', '9', '--page-size', '10', '--lease', '1500ms'],
      ...['--seed', '5', '--no-faults', '--json', '--engine', 'dynalite'],
    ]);
    expect(given).toEqual({
      directory: '/a',
      seats: 3,
      slices: 9,
      pageSize: 10,
      leaseMs: 1_500,
      seed: 5,
      faults: false,
      json: true,
      engine: 'dynalite',
    });
  });

  it.each([
    [['--seats', '0'], /seats/],
    [['--seats', 'many'], /seats/],
    [['--page-size', '1001'], /page-size/],
    [['--slices', '-1'], /slices/],
    [['--lease', '4'], /lease/],
    [['--lease', '10ms'], /lease/],
    [['--seed', '1.5'], /seed/],
    [['--engine', 'oracle'], /engine/],
    [['--dri', 'x'], /--dir/],
    [['surplus'], /argument/],
    [['--dir', '/there/is/none'], /no directory/],
    [['--dir', join(import.meta.dirname, 'start-options.test.ts')], /not a directory/],
  ])('refuses %j in words, with exit code 2, before anything is started', async (args, words) => {
    const { exitCode, stdout, stderr } = await mainHere(args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^error: /);
    expect(stderr).toMatch(words);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('refuses as a process, too, and leaves nothing behind', async () => {
    const { exitCode, stdout, stderr, leftFiles } = await (await startProcess(['--seats', '0'])).ended;
    expect({ exitCode, stdout, leftFiles }).toEqual({ exitCode: 2, stdout: '', leftFiles: [] });
    expect(stderr).toMatch(/^error: .*seats/);
  });

  it('shows an example in its help', async () => {
    const { exitCode, stdout } = await (await startProcess(['--help'])).ended;
    expect(exitCode).toBe(0);
    expect(stdout).toContain('npm start -- --dir');
  });
});
