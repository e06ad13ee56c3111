import { until } from '../until.js';
import { type RunningCommand, startCommand } from './command-line.js';
import { type LeaseTerminal, openLeaseTerminal } from './lease-terminal.js';

/** `leasehold run`, as it goes. */
export interface Running extends RunningCommand {
  /** What the command has said on stdout so far. */
  stdout(): string;
  /** Resolves when it has said this. */
  said(text: string): Promise<void>;
  /** Resolves when this was told on stderr. */
  saidOnStderr(text: string): Promise<void>;
}

/** A desk where commands run under its locks, with a short lease unless told otherwise. */
export interface RunInTerminal extends Omit<LeaseTerminal, 'run' | 'start'> {
  /** `leasehold run NAME options -- command`. */
  run(name: string, options: readonly string[], ...command: readonly string[]): Running;
  /** The same with a script for Node. */
  node(name: string, script: string, ...args: readonly string[]): Running;
  /** The command line with these words, against this engine. */
  bare(...args: readonly string[]): Running;
}

/** Each attempt of a request has more than a second: enough for a loaded machine. Renewed every three seconds. */
const leaseOptions = ['--lease', '9s', '--grace', '1s'];

/** Opens one. */
export async function runInTerminal(): Promise<RunInTerminal> {
  const desk = await openLeaseTerminal();
  const start = (args: readonly string[]): Running => {
    const running = startCommand(args, { LEASEHOLD_TABLE: 'leases' });
    let stdout = '';
    running.child.stdout!.on('data', (text: string) => {
      stdout += text;
    });
    return {
      ...running,
      stdout: () => stdout,
      said: (text) => until(`said "${text}"`, () => stdout.includes(text)),
      saidOnStderr: (text) => until(`said "${text}"`, () => running.stderr().includes(text)),
    };
  };
  const where = ['--endpoint', desk.dynamo.endpoint];
  const run: RunInTerminal['run'] = (name, options, ...command) =>
    start(['run', name, ...where, ...leaseOptions, ...options, '--', ...command]);
  return {
    ...desk,
    run,
    node: (name, script, ...args) => run(name, [], process.execPath, '-e', script, '--', ...args),
    // The test's own words come last: they win.
    bare: (word, ...args) => start([word!, ...where, ...args]),
  };
}
