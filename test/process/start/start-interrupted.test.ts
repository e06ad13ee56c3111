import { describe, expect, it, vi } from 'vitest';
import { twiceWithinAMillisecond } from '../../support/cli/double-signal.js';
import { descendants, isAlive, until } from '../../support/local/child-processes.js';
import { bySize } from '../../support/size.js';
import { type StartProcess, startProcess } from '../../support/start/start-process.js';
import { names, temporaryFiles } from '../../support/start/temporary-files.js';

vi.setConfig({ testTimeout: 240_000 });

const nothingLeft = { leftFiles: [], leftProcesses: [] };

/** When, at what it says, by which signal; with which exit code, and of how many processes at least. */
type Moment = readonly [when: string, said: RegExp, NodeJS.Signals, exitCode: number, minProcesses: number];

// The process that synthesizes; then the engine and the workers.
const moments: readonly Moment[] = [['at once, by a termination', /leasehold {2}/, 'SIGTERM', 143, 0]];
const moreMoments: readonly Moment[] = [
  ['at once', /leasehold {2}/, 'SIGINT', 130, 0],
  ['with one worker stopped, by a termination', / stopped in /, 'SIGTERM', 143, 4],
  ['while it makes itself ready', /synthesizing|planning|scanning|worker/, 'SIGINT', 130, 1],
  ['with one worker dead', / killed in /, 'SIGINT', 130, 3],
  ['with one worker stopped', / stopped in /, 'SIGINT', 130, 4],
];

describe('npm start, interrupted', () => {
  it.each(bySize({ short: moments, long: [...moments, ...moreMoments] }))(
    '%s leaves nothing behind',
    async (_when, said, signal, exitCode, minProcesses) => {
      await using files = await temporaryFiles(names(1_000, 5));
      const started = await startProcess(['--dir', files.directory, '--seats', '3', '--page-size', '20']);
      await interruptWhen(started, said, signal);
      const ended = await started.ended;
      const stderr = `error: stopped by ${signal}\n`;
      expect(ended).toMatchObject({ exitCode, stderr, ...nothingLeft });
      expect(ended.processesThen).toBeGreaterThanOrEqual(minProcesses);
    },
  );

  it('D22 as npm passes it on, twice within a millisecond, ends in order', async () => {
    await using files = await temporaryFiles(names(1_000, 5));
    const started = await startProcess(['--dir', files.directory, '--seats', '3', '--page-size', '20']);
    await started.said(/ stopped in /);
    await started.signalGroup('SIGINT');
    twiceWithinAMillisecond(started.child);
    const ended = await started.ended;
    expect(ended).toMatchObject({ exitCode: 130, ...nothingLeft });
    // A process that ends at once says nothing.
    expect(ended.stderr).toBe('error: stopped by SIGINT\n');
  });

  it('killed outright with one worker stopped leaves no process behind', async () => {
    await using files = await temporaryFiles(names(1_000, 5));
    const started = await startProcess(['--dir', files.directory, '--seats', '3', '--page-size', '20']);
    await started.said(/ stopped in /);
    const family = await descendants(started.child.pid);
    started.child.kill('SIGKILL');
    expect(family.length).toBeGreaterThanOrEqual(4);
    await until(async () => !(await Promise.all(family.map(isAlive))).includes(true));
    await started.ended;
  });
});

async function interruptWhen(started: StartProcess, said: RegExp, signal: NodeJS.Signals): Promise<void> {
  await started.said(said);
  await started.signalGroup(signal);
}
